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

struct found {
    const char **paths;
    size_t count, capacity;
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
    *ret_files = (struct profile_files){normal, files, 1};
    return true;
}

/* ---- directories ----------------------------------------------------------------------------- */

static bool path_keep(struct found *found, const char *path, struct arena *arena, struct err *err)
{
    const char **paths =
        arena_grow(arena, found->paths, found->count, &found->capacity, sizeof *paths);
    const char *normal = path_normal(arena, path);
    if (paths == NULL || normal == NULL)
        return arena_failed(arena, "the list of files", err);
    found->paths = paths;
    paths[found->count++] = normal;
    return true;
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
    for (FTSENT *entry; (entry = fts_read(tree)) != NULL;) {
        errno = entry->fts_errno;
        if (entry->fts_info == FTS_DNR)
            return err_set_errno(err, ERR_INPUT, "cannot search '%s'", entry->fts_path);
        if (entry->fts_info == FTS_F && format_of_path(entry->fts_path) != NULL &&
            !path_keep(found, entry->fts_path, arena, err))
            return false;
    }
    return true;
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

static bool sessions_group(const struct found *found, struct arena *arena,
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
        struct profile_files session = {NULL, &found->paths[i], next - i};
        struct profile_files *last = list.count == 0 ? NULL : &list.items[list.count - 1];
        if (last != NULL && is_one_capture(last, &session))
            last->file_count += session.file_count; /* neighbours in the sorted list */
        else
            list.items[list.count++] = session;
    }
    *ret_profiles = list;
    return profiles_name(ret_profiles, arena, err);
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
    if (found.count == 0)
        return err_set(err, ERR_MISSING,
                       "no profile below '%s': looked for files named *%s at any depth", path,
                       profile_formats[0].suffix);
    qsort(found.paths, found.count, sizeof *found.paths, compare_paths);
    return sessions_group(&found, arena, ret_profiles, err);
}
