/* See memory_beside.h. */
#include "ingest/memory_beside.h"
#include "ingest/traces.h"

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
