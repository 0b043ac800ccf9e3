/* See beside.h. */
#include "ingest/beside.h"
#include "ingest/traces.h"

#include "ops/runtime/file.h"

#include <string.h>

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

bool memory_alone(const char **paths, size_t count, struct arena *arena,
                  struct profile_list *ret_profiles, struct err *err)
{
    struct profile_list list = {arena_array(arena, struct profile_files, count), 0};
    if (list.items == NULL)
        return arena_failed(arena, "the list of files", err);
    for (; list.count < count; list.count++)
        list.items[list.count] = (struct profile_files){.path = paths[list.count],
                                                        .files = &paths[list.count],
                                                        .file_count = 1,
                                                        .is_loose = true};
    *ret_profiles = list;
    return true;
}

bool memory_assign(const char **paths, size_t count, struct arena *arena,
                   struct profile_list *profiles, struct err *err)
{
    for (size_t i = 0; i < count; i++) {
        struct profile_files *profile = profile_nearest(profiles, paths[i]);
        if (profile->memory == NULL)
            profile->memory = arena_array(arena, const char *, count);
        if (profile->memory == NULL)
            return arena_failed(arena, "the list of files", err);
        profile->memory[profile->memory_count++] = paths[i];
    }
    return true;
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
    const size_t length = strlen(name);
    bool found = false;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0] && !found; i++) {
        const size_t end = strlen(ends[i]);
        found = length > end && strcmp(name + length - end, ends[i]) == 0;
    }
    return found;
}

static bool is_only_name(const char *const *paths, size_t count, size_t index)
{
    for (size_t i = 0; i < count; i++)
        if (i != index && strcmp(path_base(paths[i]), path_base(paths[index])) == 0)
            return false;
    return true;
}

bool programs_assign(const char **paths, size_t count, struct arena *arena,
                     struct profile_list *profiles, struct err *err)
{
    for (size_t i = 0; i < profiles->count && count > 0; i++) {
        struct profile_files *profile = &profiles->items[i];
        profile->programs = arena_array(arena, const char *, count);
        if (profile->programs == NULL)
            return arena_failed(arena, "the list of files", err);
        for (size_t k = 0; k < count; k++)
            if (is_only_name(paths, count, k) ||
                paths_near(profile->files, profile->file_count, paths[k]))
                profile->programs[profile->program_count++] = paths[k];
    }
    return true;
}
