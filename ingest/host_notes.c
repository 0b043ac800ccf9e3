/* See host_notes.h. A host that says nothing must not pass for one that has nothing to say. */
#include "ingest/host_notes.h"

#include "ops/runtime/file.h"

#include <stdlib.h>
#include <string.h>

/* A kind of finding is named so often one by one, the rest only counted. */
enum { MOST_NAMED = 8 };

static void rest_note(struct notes *notes, size_t count, const char *what)
{
    if (count > MOST_NAMED)
        NOTE(notes, "%zu more %s.", count - MOST_NAMED, what);
}

static bool has_events(const struct profile *profile, const struct xspace *space)
{
    for (size_t p = 0; p < space->plane_count; p++) {
        const struct xplane *plane = &space->planes[p];
        for (size_t i = 0; i < plane->line_count; i++) {
            if (profile->lines[plane->lines[i].ordinal].count > 0)
                return true;
        }
    }
    return false;
}

static void silent_hosts_note(struct notes *notes, const struct profile *profile)
{
    size_t count = 0;
    for (size_t i = 0; i < profile->space_count; i++) {
        const struct xspace *space = &profile->spaces[i];
        if (has_events(profile, space) || ++count > MOST_NAMED)
            continue;
        NOTE(notes, "Host '%s' recorded no events: '%s' has %lld bytes and nothing to count.",
             space->host, path_base(space->input.path), (long long)space->input.size_bytes);
    }
    rest_note(notes, count, "hosts recorded no events");
}

/* Hosts that only coordinate have no devices, but so have hosts whose devices went unseen. */
static void deviceless_hosts_note(struct notes *notes, const struct profile *profile,
                                  const struct summary *summary)
{
    size_t with_ops = 0, next = 0, count = 0;
    const char *first = NULL;
    for (size_t i = 0; i < profile->space_count; i++) {
        const char *host = profile->spaces[i].host;
        bool any = next < summary->device_count && summary->devices[next].host == host;
        while (next < summary->device_count && summary->devices[next].host == host)
            next++;
        with_ops += any;
        if (!any && has_events(profile, &profile->spaces[i]) && count++ == 0)
            first = host;
    }
    if (with_ops > 0 && count > 0)
        NOTE(notes, "%zu of %zu hosts have events, but no device with ops (the first: '%s').",
             count, profile->space_count, first);
}

static int compare_hashes(const void *a, const void *b)
{
    const struct source_file *const *left = a, *const *right = b;
    int order = strcmp((*left)->sha256, (*right)->sha256);
    return order != 0 ? order : (*left > *right) - (*left < *right);
}

static void copies_note(struct notes *notes, const struct summary *summary)
{
    size_t count = 0;
    const struct source_file **files =
        arena_array(notes->arena, const struct source_file *, summary->source_count);
    if (files == NULL) {
        notes->failed = true;
        return;
    }
    for (size_t i = 0; i < summary->source_count; i++)
        files[i] = &summary->sources[i];
    qsort(files, summary->source_count, sizeof *files, compare_hashes);
    for (size_t i = 1; i < summary->source_count; i++) {
        if (strcmp(files[i]->sha256, files[i - 1]->sha256) != 0 || ++count > MOST_NAMED)
            continue;
        NOTE(notes, "'%s' is the same file as '%s', byte for byte: it counts as another host.",
             path_base(files[i]->path), path_base(files[i - 1]->path));
    }
    rest_note(notes, count, "files are copies of others");
}

static void renamed_hosts_note(struct notes *notes, const struct profile *profile)
{
    size_t count = 0;
    const char *first = NULL;
    for (size_t i = 0; i < profile->space_count; i++) {
        const struct string_list *said = &profile->spaces[i].hostnames;
        if (said->count == 0 || *said->items[0] == '\0' ||
            strcmp(said->items[0], profile->spaces[i].host) == 0)
            continue;
        if (count++ == 0)
            first = said->items[0];
    }
    if (count > 0)
        NOTE(notes,
             "%zu files give a host name that another file has, too ('%s'): those hosts go by "
             "their files' names.",
             count, first);
}

static void unread_note(struct notes *notes, const struct profile_files *files)
{
    for (size_t i = 0; i < files->unread_count && i < MOST_NAMED; i++)
        NOTE(notes,
             "'%s' was not read: it is in another form than the files beside it. If it is a host "
             "of this capture, decompress or convert it.",
             path_base(files->unread[i]));
    rest_note(notes, files->unread_count, "files beside them were not read");
}

void host_notes_add(struct notes *notes, const struct profile *profile,
                    const struct summary *summary)
{
    unread_note(notes, profile->files);
    if (profile->space_count < 2)
        return;
    silent_hosts_note(notes, profile);
    deviceless_hosts_note(notes, profile, summary);
    renamed_hosts_note(notes, profile);
    copies_note(notes, summary);
}
