/* From a path to the files below it, and which of them may be one capture as far as places tell.
 *
 * Places are a guess: files of one folder, and sessions of one job's processes that begin together,
 * or of which each process has one. What the files say decides (ingest/source/join.h).
 */
#include "ingest/beside.h"
#include "ingest/formats.h"
#include "ingest/ingest.h"
#include "ingest/nsight/nsight.h"
#include "ingest/source/source.h"

#include "ops/runtime/file.h"
#include "ops/runtime/text.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Session directories of one capture are not further apart. */
enum { SESSION_SPREAD_S = 30 };

/* What a file is called that holds planes of a host, in whatever form: `<host>.xplane.<form>`. */
static const char xplane_mark[] = ".xplane.";

struct found {
    struct path_list profiles;
    struct path_list traces;   /* and exports: the same events as XPlane files have, but less of
                                  them */
    struct path_list memory;   /* device memory profiles */
    struct path_list programs; /* compiled ones, in files of their own */
    struct path_list aside;    /* of traces and tables, what is not read */
    struct path_list unread;   /* look like profiles, but no format reads them */
    const char *other;         /* the first of the other files that is known, … */
    const char *other_kind;    /* … and what it is */
    int looked_at;             /* other files */
};

/* ---- one file -------------------------------------------------------------------------------- */

bool ingest_file(const char *path, struct arena *arena, struct profile_files *ret_files,
                 struct err *err)
{
    return file_alone(path, arena, ret_files, err) && beside_find(ret_files, arena, err);
}

/* ---- directories ----------------------------------------------------------------------------- */

/* So many files are opened to tell why there is no profile. */
enum { OTHERS_LOOKED_AT = 200 };

/* Whoever gives a folder of other files is told what they are. */
static void other_look(struct found *found, const char *path, struct arena *arena)
{
    if (found->profiles.count + found->traces.count > 0 || found->other != NULL ||
        ++found->looked_at > OTHERS_LOOKED_AT)
        return;
    const struct sniffed sniffed = sniff_file(path);
    found->other_kind = sniffed.says_little ? NULL : sniffed.other;
    if (found->other_kind != NULL)
        found->other = arena_strdup(arena, path);
}

/* Where one of the format goes; NULL when its name alone does not make it one. */
static struct path_list *list_of(struct found *found, const FTSENT *entry,
                                 const struct profile_format *format)
{
    if (format == NULL || format == &profile_formats[FORMAT_XPLANE])
        return format == NULL ? NULL : &found->profiles;
    if (format == &profile_formats[FORMAT_TRACE] && format_is_named(entry->fts_path))
        return &found->traces;
    if (tool_table_is_named(entry->fts_name) && format == &profile_formats[FORMAT_TRACE])
        return NULL;
    const enum sniffed_kind kind = sniff_file(entry->fts_path).kind;
    if (format == &profile_formats[FORMAT_TRACE])
        return kind == SNIFFED_TRACE ? &found->traces : NULL;
    if (format == &profile_formats[FORMAT_MEMORY])
        return kind == SNIFFED_MEMORY ? &found->memory : NULL;
    return kind == SNIFFED_EXPORT && nsight_may_be_export(entry->fts_path) ? &found->traces : NULL;
}

/* What has the name of a profile is one, also a link that leads nowhere: it fails when it is read,
 * where it would else be a host that is silently missing. */
static bool entry_take(const FTSENT *entry, struct found *found, struct arena *arena,
                       struct err *err)
{
    struct path_list *list = list_of(found, entry, format_of_path(entry->fts_path, NULL));
    switch (entry->fts_info) {
    case FTS_F:
    case FTS_DEFAULT:
    case FTS_SLNONE:
    case FTS_NS:
        if (list == NULL && entry->fts_info == FTS_F) {
            if (program_is_named(entry->fts_name))
                list = &found->programs;
            else if (strstr(entry->fts_name, xplane_mark) != NULL)
                list = &found->unread;
            else
                other_look(found, entry->fts_path, arena);
            if (list != &found->programs && tool_table_is_named(entry->fts_name))
                path_keep(&found->aside, entry->fts_path, arena);
        }
        if (list != NULL)
            path_keep(list, entry->fts_path, arena);
        if (list != NULL || entry->fts_info != FTS_NS || entry->fts_errno != EACCES)
            return arena_ok(arena, "the list of files", err);
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

static int compare_entries(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static bool tree_search(const char *path, struct found *found, struct arena *arena, struct err *err)
{
    char *root = arena_strdup(arena, path);
    char *const roots[] = {root, NULL};
    __attribute__((cleanup(fts_cleanup))) FTS *tree =
        fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, compare_entries);
    if (tree == NULL)
        return err_set_errno(err, ERR_INPUT, "cannot search '%s'", path);
    for (FTSENT *entry; (errno = 0, entry = fts_read(tree)) != NULL;) {
        if (!entry_take(entry, found, arena, err))
            return false;
    }
    return errno == 0 || err_set_errno(err, ERR_INPUT, "cannot search '%s'", path);
}

/* By folder, then by name: what lies in one folder stands together. */
static int compare_paths(const void *a, const void *b)
{
    const char *left = *(const char *const *)a, *right = *(const char *const *)b;
    const size_t x = folder_length(left), y = folder_length(right);
    const int order = memcmp(left, right, x < y ? x : y);
    return order != 0 ? order : x != y ? (x > y) - (x < y) : strcmp(left, right);
}

static bool is_xplane(const char *path)
{
    return format_of_path(path, NULL) == &profile_formats[FORMAT_XPLANE];
}

/* The same, within a folder XPlane files first, then traces: a broken export gives way to them. */
static int compare_profiles(const void *a, const void *b)
{
    const char *left = *(const char *const *)a, *right = *(const char *const *)b;
    const struct profile_format *x = format_of_path(left, NULL), *y = format_of_path(right, NULL);
    return same_folder(left, right) && x != y ? (x > y) - (x < y) : compare_paths(a, b);
}

/* ---- sessions -------------------------------------------------------------------------------- */

/* Files of one folder; where they lie loose, those of one form. */
struct session {
    struct profile_files files;
    struct file_place place; /* of its first file */
    bool taken;
};

struct session_list {
    struct session *items;
    size_t count;
};

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

/* Sessions of one job, or times side by side. */
static bool same_job(const struct session *a, const struct session *b)
{
    size_t length = folder_length(a->place.folder);
    if (a->place.job == NULL && b->place.job == NULL && a->place.session_s >= 0 &&
        b->place.session_s >= 0)
        return length == folder_length(b->place.folder) &&
               memcmp(a->place.folder, b->place.folder, length) == 0;
    return text_same_told(a->place.job, b->place.job);
}

/* Whether the session is the only one of its process. */
static bool is_only(const struct session_list *list, const struct session *session)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct session *other = &list->items[i];
        if (other != session && same_job(other, session) &&
            other->place.process.value == session->place.process.value)
            return false;
    }
    return session->place.process.set;
}

/* Whether two sessions, of which neither is taken, may be parts of one capture. */
static bool may_be_one(const struct session_list *list, const struct session *a,
                       const struct session *b)
{
    if (!same_job(a, b))
        return false;
    bool ranked = a->place.process.set && b->place.process.set;
    if (ranked ? a->place.process.value == b->place.process.value
               : share_host(&a->files, &b->files))
        return false;
    bool timed = a->place.session_s >= 0 && b->place.session_s >= 0;
    return (timed && llabs(a->place.session_s - b->place.session_s) <= SESSION_SPREAD_S) ||
           (is_only(list, a) && is_only(list, b));
}

static struct session_list sessions_find(const struct path_list *found, struct arena *arena)
{
    struct session_list list = {arena_array(arena, struct session, found->count), 0};
    for (size_t i = 0, next; i < found->count; i = next) {
        struct session *session = &list.items[list.count++];
        const char *first = found->paths[i];
        session->place = file_place_of(first, arena);
        for (next = i + 1; next < found->count && same_folder(found->paths[next], first); next++) {
            if (file_place_is_loose(&session->place) &&
                is_xplane(found->paths[next]) != is_xplane(first))
                break;
        }
        session->files = (struct profile_files){.files = &found->paths[i], .file_count = next - i};
    }
    return list;
}

static struct profile_files profile_gather(struct session_list *list, const size_t *gathered,
                                           size_t count, struct arena *arena)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += list->items[gathered[i]].files.file_count;
    struct profile_files profile = {.files = arena_array(arena, const char *, total)};
    for (size_t i = 0; i < count; i++) {
        const struct profile_files *files = &list->items[gathered[i]].files;
        memcpy(profile.files + profile.file_count, files->files,
               files->file_count * sizeof *files->files);
        profile.file_count += files->file_count;
    }
    const char *first = profile.files[0];
    const struct file_place *place = &list->items[gathered[0]].place;
    profile.is_loose = file_place_is_loose(place);
    profile.path = first;
    if (total > 1) { /* the folder of the files, or of their job; as it was given */
        const size_t length = folder_length(first);
        const size_t below =
            count == 1 || place->job == NULL ? 0 : strlen(place->folder) - strlen(place->job);
        profile.path = below < length ? arena_strndup(arena, first, length - below) : ".";
    }
    return profile;
}

static struct profile_list sessions_group(const struct path_list *found, struct arena *arena)
{
    struct session_list sessions = sessions_find(found, arena);
    struct profile_list list = {arena_array(arena, struct profile_files, sessions.count), 0};
    size_t *gathered = arena_array(arena, size_t, sessions.count);
    for (size_t i = 0; i < sessions.count; i++) {
        size_t count = 0;
        for (size_t j = i; j < sessions.count && !sessions.items[i].taken; j++) {
            bool joins = !sessions.items[j].taken; /* it may belong to all that were gathered */
            for (size_t g = 0; g < count && joins; g++)
                joins = may_be_one(&sessions, &sessions.items[gathered[g]], &sessions.items[j]);
            if (joins)
                gathered[count++] = j;
        }
        for (size_t g = 0; g < count; g++)
            sessions.items[gathered[g]].taken = true;
        if (count > 0)
            list.items[list.count++] = profile_gather(&sessions, gathered, count, arena);
    }
    return list;
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

/* Says of each profile which files near it are in other forms, and which were left aside. */
static void others_assign(const struct found *found, struct profile_list *profiles,
                          struct arena *arena)
{
    for (size_t i = 0; i < profiles->count; i++) {
        struct profile_files *profile = &profiles->items[i];
        profile->unread = arena_array(arena, const char *, found->unread.count);
        profile->aside = arena_array(arena, const char *, found->aside.count);
        for (size_t j = 0; j < found->unread.count; j++) {
            if (may_be_host(profile, found->unread.paths[j]))
                profile->unread[profile->unread_count++] = found->unread.paths[j];
        }
        for (size_t j = 0; j < found->aside.count; j++) {
            if (paths_near(profile->files, profile->file_count, found->aside.paths[j]))
                profile->aside[profile->aside_count++] = found->aside.paths[j];
        }
    }
}

static bool nothing_found(const char *path, const struct found *found, struct err *err)
{
    const char *unread = found->unread.count > 0 ? found->unread.paths[0] : NULL;
    const char *kind = unread != NULL ? sniff_file(unread).other : NULL;
    if (unread != NULL)
        return err_set(err, ERR_MISSING, "no profile below '%s': '%s' %s", path, unread,
                       kind != NULL ? kind
                                    : "is in a form that is not read; decompress or convert it to "
                                      "*.xplane.pb");
    if (found->other != NULL)
        return err_set(err, ERR_MISSING, "no profile below '%s': '%s' %s", path, found->other,
                       found->other_kind);
    return err_set(
        err, ERR_MISSING,
        "no profile below '%s': looked for files named *%s, *%s, *%s and *%s at any depth, and "
        "for a trace in those named *%s and *%s",
        path, profile_formats[FORMAT_XPLANE].suffixes[0],
        profile_formats[FORMAT_TRACE].suffixes[TRACE_PACKED],
        profile_formats[FORMAT_TRACE].suffixes[TRACE_PLAIN],
        profile_formats[FORMAT_NSIGHT].suffixes[0],
        profile_formats[FORMAT_TRACE].suffixes[TRACE_JSON],
        profile_formats[FORMAT_TRACE].suffixes[TRACE_JSON_GZ]);
}

static void paths_sort(struct path_list *list, int (*compare)(const void *a, const void *b))
{
    if (list->count > 0)
        qsort(list->paths, list->count, sizeof *list->paths, compare);
}

bool ingest_discover(const char *path, struct arena *arena, struct profile_list *ret_profiles,
                     struct err *err)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return err_set_errno(err, ERR_INPUT, "cannot read '%s'", path);
    if (!S_ISDIR(info.st_mode)) {
        struct profile_files *file = arena_new(arena, struct profile_files);
        *ret_profiles = (struct profile_list){file, 1};
        return ingest_file(path, arena, file, err);
    }
    struct found found = {0};
    if (!tree_search(path, &found, arena, err))
        return false;
    paths_sort(&found.traces, compare_paths);
    paths_sort(&found.unread, compare_paths);
    bool *chosen = arena_array(arena, bool, found.traces.count);
    traces_choose(found.traces.paths, found.traces.count, found.profiles.paths,
                  found.profiles.count, chosen);
    for (size_t i = 0; i < found.traces.count; i++)
        path_keep(chosen[i] ? &found.profiles : &found.aside, found.traces.paths[i], arena);
    paths_sort(&found.profiles, compare_profiles);
    paths_sort(&found.memory, compare_paths);
    paths_sort(&found.programs, compare_paths);
    if (found.profiles.count + found.memory.count == 0)
        return nothing_found(path, &found, err);
    if (found.profiles.count == 0) {
        memory_alone(found.memory.paths, found.memory.count, arena, ret_profiles);
        return true;
    }
    *ret_profiles = sessions_group(&found.profiles, arena);
    others_assign(&found, ret_profiles, arena);
    programs_assign(found.programs.paths, found.programs.count, arena, ret_profiles);
    memory_assign(found.memory.paths, found.memory.count, arena, ret_profiles);
    return arena_ok(arena, "the list of files", err);
}
