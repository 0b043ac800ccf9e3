/* From a path to profiles: which files belong to one capture.
 *
 * A session directory is a capture, a file in it a host. Hosts of one job may name their session
 * directories a second or two apart; such siblings are one capture when no host is in both
 * (spec/xprof.md A.2).
 */
#include "ingest/formats.h"
#include "ingest/ingest.h"

#include "ops/runtime/file.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* Session directories of one capture are not further apart. */
enum { SESSION_SPREAD_S = 30 };

/* What a file is called that holds planes of a host, in whatever form: `<host>.xplane.<form>`. */
static const char xplane_mark[] = ".xplane.";

struct path_list {
    const char **paths;
    size_t count, capacity;
};

struct found {
    struct path_list profiles;
    struct path_list unread; /* look like profiles, but no format reads them */
};

/* ---- one file -------------------------------------------------------------------------------- */

bool ingest_xplane_file(const char *path, struct arena *arena, struct profile_files *ret_files,
                        struct err *err)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return err_set_errno(err, ERR_INPUT, "cannot read '%s'", path);
    const char **files = arena_array(arena, const char *, 1);
    char *normal = path_normal(arena, path);
    if (files == NULL || normal == NULL)
        return arena_failed(arena, "a path", err);
    files[0] = normal;
    *ret_files = (struct profile_files){.path = normal, .files = files, .file_count = 1};
    return true;
}

/* ---- directories ----------------------------------------------------------------------------- */

static bool path_keep(struct path_list *list, const char *path, struct arena *arena,
                      struct err *err)
{
    const char **paths =
        arena_grow(arena, list->paths, list->count, &list->capacity, sizeof *paths);
    const char *normal = path_normal(arena, path);
    if (paths == NULL || normal == NULL)
        return arena_failed(arena, "the list of files", err);
    list->paths = paths;
    paths[list->count++] = normal;
    return true;
}

/* What has the name of a profile is one, also a link that leads nowhere: it fails when it is read,
 * where it would else be a host that is silently missing. */
static bool entry_take(const FTSENT *entry, struct found *found, struct arena *arena,
                       struct err *err)
{
    bool named = format_of_path(entry->fts_path) != NULL;
    switch (entry->fts_info) {
    case FTS_F:
    case FTS_DEFAULT:
    case FTS_SLNONE:
    case FTS_NS:
        if (named)
            return path_keep(&found->profiles, entry->fts_path, arena, err);
        if (entry->fts_info == FTS_F && strstr(entry->fts_name, xplane_mark) != NULL)
            return path_keep(&found->unread, entry->fts_path, arena, err);
        if (entry->fts_info != FTS_NS || entry->fts_errno != EACCES)
            return true;
        break; /* it may be a folder with profiles */
    case FTS_DNR:
    case FTS_ERR:
        break;
    default:
        return true;
    }
    errno = entry->fts_errno;
    return err_set_errno(err, ERR_INPUT, "cannot search '%s'", entry->fts_path);
}

static void fts_cleanup(FTS **tree)
{
    if (*tree != NULL)
        (void)fts_close(*tree);
}

static bool tree_search(const char *path, struct found *found, struct arena *arena, struct err *err)
{
    char *root = arena_strdup(arena, path);
    if (root == NULL)
        return arena_failed(arena, "a path", err);
    char *const roots[] = {root, NULL};
    __attribute__((cleanup(fts_cleanup))) FTS *tree =
        fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, NULL);
    if (tree == NULL)
        return err_set_errno(err, ERR_INPUT, "cannot search '%s'", path);
    for (FTSENT *entry; (errno = 0, entry = fts_read(tree)) != NULL;) {
        if (!entry_take(entry, found, arena, err))
            return false;
    }
    return errno == 0 || err_set_errno(err, ERR_INPUT, "cannot search '%s'", path);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* ---- sessions -------------------------------------------------------------------------------- */

static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path);
}

static bool same_folder(const char *a, const char *b)
{
    size_t length = folder_length(a);
    return length == folder_length(b) && memcmp(a, b, length) == 0;
}

/* The time that a session directory is named after, in seconds; -1 when it is named otherwise. */
static int64_t session_time(const char *path)
{
    size_t end = folder_length(path), begin = end;
    while (begin > 0 && path[begin - 1] != '/')
        begin--;
    struct tm time = {0};
    const char *rest = strptime(path + begin, "%Y_%m_%d_%H_%M_%S", &time);
    return rest == path + end ? (int64_t)timegm(&time) : -1;
}

static bool share_host(const struct profile_files *a, const struct profile_files *b)
{
    for (size_t i = 0; i < a->file_count; i++) {
        for (size_t j = 0; j < b->file_count; j++) {
            if (strcmp(path_base(a->files[i]), path_base(b->files[j])) == 0)
                return true;
        }
    }
    return false;
}

/* Whether two session directories, named in order, are parts of one capture. */
static bool is_one_capture(const struct profile_files *a, const struct profile_files *b)
{
    int64_t first = session_time(a->files[0]), second = session_time(b->files[0]);
    if (first < 0 || second < 0 || second - first > SESSION_SPREAD_S || share_host(a, b))
        return false;
    size_t a_parent = folder_length(a->files[0]), b_parent = folder_length(b->files[0]);
    while (a_parent > 0 && a->files[0][a_parent - 1] != '/')
        a_parent--;
    while (b_parent > 0 && b->files[0][b_parent - 1] != '/')
        b_parent--;
    return a_parent == b_parent && memcmp(a->files[0], b->files[0], a_parent) == 0;
}

/* One file is known by its own name, several by their directory. */
static bool profiles_name(struct profile_list *list, struct arena *arena, struct err *err)
{
    for (size_t i = 0; i < list->count; i++) {
        struct profile_files *profile = &list->items[i];
        const char *first = profile->files[0];
        profile->path =
            profile->file_count == 1 ? first : arena_strndup(arena, first, folder_length(first));
        if (profile->path == NULL)
            return arena_failed(arena, "the list of files", err);
    }
    return true;
}

static bool sessions_group(const struct path_list *found, struct arena *arena,
                           struct profile_list *ret_profiles, struct err *err)
{
    struct profile_list list = {arena_array(arena, struct profile_files, found->count), 0};
    if (list.items == NULL)
        return arena_failed(arena, "the list of files", err);
    for (size_t i = 0, next; i < found->count; i = next) {
        for (next = i + 1; next < found->count;) {
            if (!same_folder(found->paths[next], found->paths[i]))
                break;
            next++;
        }
        struct profile_files session = {.files = &found->paths[i], .file_count = next - i};
        struct profile_files *last = list.count == 0 ? NULL : &list.items[list.count - 1];
        if (last != NULL && is_one_capture(last, &session))
            last->file_count += session.file_count; /* neighbours in the sorted list */
        else
            list.items[list.count++] = session;
    }
    *ret_profiles = list;
    return profiles_name(ret_profiles, arena, err);
}

/* ---- files in other forms -------------------------------------------------------------------- */

static size_t host_length(const char *base)
{
    const char *mark = strstr(base, xplane_mark);
    return mark == NULL ? strlen(base) : (size_t)(mark - base);
}

/* Whether the file may hold a host of the profile that no file of it holds. */
static bool may_be_host(const struct profile_files *profile, const char *path)
{
    const char *base = path_base(path);
    size_t length = host_length(base);
    bool beside = false;
    for (size_t i = 0; i < profile->file_count; i++) {
        if (!same_folder(profile->files[i], path))
            continue;
        const char *other = path_base(profile->files[i]);
        if (host_length(other) == length && memcmp(other, base, length) == 0)
            return false;
        beside = true;
    }
    return beside;
}

static bool unread_assign(const struct path_list *unread, struct profile_list *profiles,
                          struct arena *arena, struct err *err)
{
    const char **paths = arena_array(arena, const char *, unread->count);
    if (paths == NULL)
        return arena_failed(arena, "the list of files", err);
    for (size_t i = 0; i < profiles->count; i++) {
        struct profile_files *profile = &profiles->items[i];
        profile->unread = paths;
        for (size_t j = 0; j < unread->count; j++) {
            if (may_be_host(profile, unread->paths[j]))
                profile->unread[profile->unread_count++] = unread->paths[j];
        }
        paths += profile->unread_count; /* a folder is part of one profile */
    }
    return true;
}

static bool nothing_found(const char *path, const struct path_list *unread, struct err *err)
{
    if (unread->count > 0)
        return err_set(err, ERR_MISSING,
                       "no profile below '%s': '%s' is in a form that is not read; decompress or "
                       "convert it to *%s",
                       path, unread->paths[0], profile_formats[0].suffix);
    return err_set(err, ERR_MISSING,
                   "no profile below '%s': looked for files named *%s at any depth", path,
                   profile_formats[0].suffix);
}

static void paths_sort(struct path_list *list)
{
    if (list->count > 0)
        qsort(list->paths, list->count, sizeof *list->paths, compare_paths);
}

bool ingest_discover(const char *path, struct arena *arena, struct profile_list *ret_profiles,
                     struct err *err)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return err_set_errno(err, ERR_INPUT, "cannot read '%s'", path);
    if (!S_ISDIR(info.st_mode)) {
        struct profile_files *file = arena_new(arena, struct profile_files);
        if (file == NULL)
            return arena_failed(arena, "the list of files", err);
        *ret_profiles = (struct profile_list){file, 1};
        return ingest_xplane_file(path, arena, file, err);
    }
    struct found found = {0};
    if (!tree_search(path, &found, arena, err))
        return false;
    paths_sort(&found.profiles);
    paths_sort(&found.unread);
    if (found.profiles.count == 0)
        return nothing_found(path, &found.unread, err);
    return sessions_group(&found.profiles, arena, ret_profiles, err) &&
           unread_assign(&found.unread, ret_profiles, arena, err);
}
