#include "ingest/beside.h"
#include "ingest/discover.h"
#include "ingest/formats.h"
#include "ingest/source/source.h"
#include "ingest/timeline/timeline.h"

#include "ops/runtime/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- memory ---------------------------------------------------------------------------------- */

/* The profile whose folder is next to that of a path, the last of several: memory is saved at the
 * end of what was captured. Of one folder the first, which has the XPlane files. */
static struct profile_files *profile_nearest(struct profile_list *profiles, const char *path)
{
    struct profile_files *nearest = NULL;
    size_t most = 0;
    for (size_t i = 0; i < profiles->count; i++) {
        const char *file = profiles->items[i].files[0];
        size_t same = 0, folders = 0;
        for (; file[same] != '\0' && file[same] == path[same]; same++)
            folders += file[same] == '/';
        if (nearest == NULL || folders > most ||
            (folders == most && !same_folder(nearest->files[0], file))) {
            nearest = &profiles->items[i];
            most = folders;
        }
    }
    return nearest;
}

void memory_alone(const char **paths, size_t count, struct arena *arena,
                  struct profile_list *ret_profiles)
{
    struct profile_list list = {arena_array(arena, struct profile_files, count), 0};
    for (; list.count < count; list.count++)
        list.items[list.count] = (struct profile_files){.path = paths[list.count],
                                                        .files = &paths[list.count],
                                                        .file_count = 1,
                                                        .is_loose = true};
    *ret_profiles = list;
}

void memory_assign(const char **paths, size_t count, struct arena *arena,
                   struct profile_list *profiles)
{
    for (size_t i = 0; i < count; i++) {
        struct profile_files *profile = profile_nearest(profiles, paths[i]);
        if (profile->memory == NULL)
            profile->memory = arena_array(arena, const char *, count);
        profile->memory[profile->memory_count++] = paths[i];
    }
}

/* ---- programs and tables --------------------------------------------------------------------- */

bool tool_table_is_named(const char *name)
{
    static const char *const tools[] = {"overview_page",
                                        "input_pipeline",
                                        "kernel_stats",
                                        "op_stats",
                                        "op_profile",
                                        "hlo_stats",
                                        "memory_profile.",
                                        "memory_viewer",
                                        "roofline_model",
                                        "pod_viewer",
                                        ".hlo_proto.",
                                        "tensorflow_stats",
                                        "after_optimizations.txt"};
    bool found = false;
    for (size_t i = 0; i < sizeof tools / sizeof tools[0] && !found; i++)
        found = strstr(name, tools[i]) != NULL;
    return found;
}

bool program_is_named(const char *name)
{
    static const char *const ends[] = {".hlo_proto.pb", "after_optimizations.hlo.pb"};
    bool found = false;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0] && !found; i++)
        found = strcmp(name, ends[i]) != 0 && text_ends_with(name, ends[i]);
    return found;
}

void programs_assign(const char **paths, size_t count, struct arena *arena,
                     struct profile_list *profiles)
{
    bool *again = arena_array(arena, bool, count); /* another one has the same name */
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count; k++)
            if (strcmp(path_base(paths[i]), path_base(paths[k])) == 0)
                again[i] = again[k] = true;
    for (size_t i = 0; i < profiles->count && count > 0; i++) {
        struct profile_files *profile = &profiles->items[i];
        profile->programs = arena_array(arena, const char *, count);
        for (size_t k = 0; k < count; k++)
            if (!again[k] || paths_near(profile->files, profile->file_count, paths[k]))
                profile->programs[profile->program_count++] = paths[k];
    }
}

/* ---- one file -------------------------------------------------------------------------------- */

bool file_alone(const char *path, struct arena *arena, struct profile_files *ret_files,
                struct err *err)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return err_set_errno(err, ERR_INPUT, "cannot read '%s'", path);
    const char **files = arena_array(arena, const char *, 1);
    files[0] = path_normal(arena, path);
    *ret_files = (struct profile_files){.path = files[0], .files = files, .file_count = 1};
    return true;
}

/* Whether an entry of the file's folder is a capture that comes before it: memory goes to the
 * first of a folder, which an XPlane file is before all others. */
static bool comes_before(const char *name, const char *file)
{
    const struct profile_format *format = format_of_path(name, NULL);
    const struct profile_format *own = format_of_path(file, NULL);
    if (format == NULL || format > &profile_formats[FORMAT_NSIGHT] || !format_is_named(name))
        return false;
    return format != own && (format == profile_formats || own == profile_formats)
               ? format == profile_formats
               : strcmp(name, path_base(file)) < 0;
}

/* Whether a later session lies by that of the file. */
static bool is_last_session(const struct file_place *place, struct arena *arena)
{
    const char *base = path_base(place->folder);
    const char *sessions = arena_strndup(arena, place->folder, (size_t)(base - place->folder));
    scoped_folder *entries = opendir(sessions);
    bool last = true;
    for (const struct dirent *entry; last && entries != NULL && (entry = readdir(entries)) != NULL;)
        last = strcmp(entry->d_name, base) <= 0;
    return last;
}

void path_keep(struct path_list *list, const char *path, struct arena *arena)
{
    list->paths = arena_grow(arena, list->paths, list->count, &list->capacity, sizeof *list->paths);
    list->paths[list->count++] = path_normal(arena, path);
}

static int beside_order(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* What lies by a file. */
struct beside {
    const char *file;
    struct path_list programs, memory;
    bool is_first; /* capture of the folder that was looked at */
};

static bool folder_failed(const char *folder, struct err *err)
{
    return err_set_errno(err, ERR_INPUT, "cannot list '%s' for what lies beside the profile",
                         folder);
}

/* Adds one folder's programs and device memory profiles; one that may not be listed, or is none,
 * has nothing. ERR_LIMIT; ERR_FULL and ERR_IO of the machine. */
static bool folder_look(struct beside *beside, const char *folder, struct arena *arena,
                        struct err *err)
{
    scoped_folder *entries = opendir(folder);
    beside->is_first = true;
    if (entries == NULL)
        return errno == EACCES || errno == ENOENT || errno == ENOTDIR || folder_failed(folder, err);
    for (const struct dirent *entry; errno = 0, (entry = readdir(entries)) != NULL;) {
        const bool is_memory =
            format_of_path(entry->d_name, NULL) == &profile_formats[FORMAT_MEMORY];
        if (comes_before(entry->d_name, beside->file))
            beside->is_first = false;
        if (!is_memory && !program_is_named(entry->d_name))
            continue;
        const char *path = path_join(arena, folder, entry->d_name);
        /* What cannot be looked at now is told of by who reads it. */
        const struct sniffed sniffed = is_memory ? sniff_file(path) : (struct sniffed){0};
        if (is_memory && sniffed.failure == 0 && sniffed.kind != SNIFFED_MEMORY)
            continue;
        path_keep(is_memory ? &beside->memory : &beside->programs, path, arena);
        if (!arena_ok(arena, "the list of files", err))
            return false;
    }
    return errno == 0 || folder_failed(folder, err);
}

bool beside_find(struct profile_files *file, struct arena *arena, struct err *err)
{
    const struct profile_format *format = format_of_path(file->path, NULL);
    struct beside beside = {.file = file->path};
    struct profile_list one = {file, 1};
    if (format == NULL || format > &profile_formats[FORMAT_NSIGHT])
        return true;
    const struct file_place place = file_place_of(file->path, arena);
    if (!folder_look(&beside, place.folder, arena, err))
        return false;
    bool is_first = beside.is_first;
    beside.memory.count = is_first ? beside.memory.count : 0;
    if (place.job != NULL && strcmp(place.job, place.folder) != 0) {
        const size_t own = beside.memory.count;
        if (!folder_look(&beside, place.job, arena, err))
            return false;
        if (!is_first || !is_last_session(&place, arena))
            beside.memory.count = own;
    }
    if (beside.programs.count > 0)
        qsort(beside.programs.paths, beside.programs.count, sizeof(char *), beside_order);
    if (beside.memory.count > 0)
        qsort(beside.memory.paths, beside.memory.count, sizeof(char *), beside_order);
    file->memory = beside.memory.paths;
    file->memory_count = beside.memory.count;
    programs_assign(beside.programs.paths, beside.programs.count, arena, &one);
    return true;
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* Whether a file ends early: one that begins as another does may be whole, and of another host. */
static bool was_cut(const char *path, const struct ingest_options *options, struct arena *arena)
{
    scoped_arena own;
    scoped_profile opened = {0};
    struct profile_files file;
    const struct profile_format *format;
    struct err ignored = {0};
    arena_init_within(&own, arena);
    if (!file_alone(path, &own, &file, &ignored) || !format_of_file(path, true, &format, &ignored))
        return true;
    const struct file_opener opener = {.open = format->open};
    return !profile_open(&file, &opener, options, &own, &opened, &ignored) ||
           opened.spaces[0].unread_bytes > 0;
}

/* The place of a file that stands before the one at `at` with the same bytes, or has more behind
 * them, which that one lacks; heads[count]. count: none does. */
static size_t whole_of(const struct file_head *heads, size_t count, size_t at,
                       const struct ingest_options *options, struct arena *arena)
{
    for (size_t of = 0; of < count; of++) {
        const bool is_same = heads[of].size == heads[at].size;
        if (of != at && !(is_same && of > at) && file_is_beginning(&heads[at], &heads[of]) &&
            (is_same || was_cut(heads[at].path, options, arena)))
            return of;
    }
    return count;
}

void copies_leave(const struct profile_files *profile, const struct ingest_options *options,
                  struct arena *arena, struct profile_files *ret_profile)
{
    const size_t count = profile->file_count;
    const char **files = arena_array(arena, const char *, count);
    struct left_file *left = arena_array(arena, struct left_file, profile->left_count + count);
    struct file_head *heads = arena_array(arena, struct file_head, count);
    *ret_profile = *profile;
    if (profile->left_count > 0)
        memcpy(left, profile->left, profile->left_count * sizeof *left);
    ret_profile->files = files;
    ret_profile->left = left;
    ret_profile->file_count = 0;
    for (size_t i = 0; i < count; i++)
        file_head_read(profile->files[i], &heads[i]);
    for (size_t i = 0; i < count; i++) {
        const size_t of = whole_of(heads, count, i, options, arena);
        if (of == count) {
            files[ret_profile->file_count++] = profile->files[i];
            continue;
        }
        const char *whole = path_base(profile->files[of]);
        const char *why =
            heads[of].size == heads[i].size
                ? arena_printf(arena, "it is '%s' again, byte for byte, and no other host", whole)
                : arena_printf(arena, "it is the beginning of '%s', cut off, and no other host",
                               whole);
        left[ret_profile->left_count++] = (struct left_file){profile->files[i], why};
    }
}

bool broken_leave(struct profile_files *profile, size_t index, const struct ingest_options *options,
                  struct arena *arena, struct err *err)
{
    const char *why = arena_strdup(arena, err->text);
    struct left_file *left = arena_array(arena, struct left_file, profile->left_count + 1);
    if (err->kind != ERR_INPUT || profile->file_count == 1)
        return false;
    if (profile->left_count > 0)
        memcpy(left, profile->left, profile->left_count * sizeof *left);
    left[profile->left_count++] = (struct left_file){profile->files[index], why};
    profile->left = left;
    profile->file_count--;
    memmove(profile->files + index, profile->files + index + 1,
            (profile->file_count - index) * sizeof *profile->files);
    if (options->warn != NULL)
        options->warn(left[profile->left_count - 1].path, why);
    *err = (struct err){0};
    return true;
}
