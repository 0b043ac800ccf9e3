/* See traces.h. */
#include "ingest/traces.h"
#include "ingest/formats.h"

enum { WHOLE_JOB }; /* place in its format's list of the suffix that is a whole name */

static bool is_near(const char *a, const char *b)
{
    size_t left = folder_length(a), right = folder_length(b);
    size_t length = left < right ? left : right;
    const char *longer = left < right ? b : a;
    return memcmp(a, b, length) == 0 && (left == right || length == 0 || longer[length] == '/');
}

bool paths_near(const char *const *files, size_t count, const char *path)
{
    bool found = false;
    for (size_t i = 0; i < count && !found; i++)
        found = is_near(files[i], path);
    return found;
}

static bool is_whole_job(const char *path)
{
    size_t suffix;
    return format_of_path(path, &suffix) != NULL && suffix == WHOLE_JOB;
}

/* Whether the next one is the same, but packed. */
static bool is_repeated(const char *const *traces, size_t count, size_t index)
{
    const size_t length = strlen(traces[index]);
    return index + 1 < count && strncmp(traces[index + 1], traces[index], length) == 0 &&
           strcmp(traces[index + 1] + length, ".gz") == 0;
}

/* Of the traces of one folder: each host's once; the one without a host's name, which is of one
 * host, instead of that host's own. */
static void folder_choose(const char *const *traces, size_t count, bool *chosen)
{
    size_t hosts = 0, whole = 0;
    for (size_t i = 0; i < count; i++) {
        whole += is_whole_job(traces[i]);
        hosts += !is_whole_job(traces[i]) && !is_repeated(traces, count, i);
    }
    for (size_t i = 0; i < count; i++)
        chosen[i] = is_whole_job(traces[i])
                        ? hosts <= 1
                        : !is_repeated(traces, count, i) && (whole == 0 || hosts > 1);
}

/* The name of a file without what its format adds. */
static size_t host_length(const char *path)
{
    size_t suffix, length = strlen(path);
    const struct profile_format *format = format_of_path(path, &suffix);
    return format == NULL ? length : length - strlen(format->suffixes[suffix]);
}

/* Of one host both are in one folder; the trace of a whole job is of the only host that there is.
 */
static bool is_same_host(const struct profile_files *profile, const char *file, const char *trace)
{
    size_t length = host_length(file);
    return same_folder(file, trace) &&
           (is_whole_job(trace) ? profile->file_count == 1
                                : length == host_length(trace) && memcmp(file, trace, length) == 0);
}

static bool stands_in_for(const struct profile_files *profile, size_t index, const char *aside)
{
    return format_of_path(aside, NULL) == &profile_formats[FORMAT_TRACE] &&
           is_same_host(profile, profile->files[index], aside);
}

/* The trace that stands in for the file; NULL: none. */
static const char *other_of(const struct profile_files *profile, size_t index)
{
    for (size_t i = 0; i < profile->aside_count; i++) {
        if (stands_in_for(profile, index, profile->aside[i]))
            return profile->aside[i];
    }
    return NULL;
}

bool ingest_has_other(const struct profile_files *profile, size_t index)
{
    return other_of(profile, index) != NULL;
}

bool ingest_stands_in(const struct profile_files *profile, const char *aside)
{
    bool found = false;
    for (size_t i = 0; i < profile->file_count && !found; i++)
        found = stands_in_for(profile, i, aside);
    return found;
}

bool ingest_instead(const struct profile_files *profile, size_t index, const struct err *failure,
                    struct arena *arena, struct profile_files *ret_other)
{
    const char *other = other_of(profile, index);
    if (failure->kind != ERR_INPUT || other == NULL)
        return false;
    const char **files = arena_array(arena, const char *, 1);
    const char *why = arena_strdup(arena, failure->text);
    if (files == NULL || why == NULL)
        return false;
    files[0] = other;
    *ret_other = (struct profile_files){
        .path = files[0],
        .files = files,
        .file_count = 1,
        .is_loose = profile->is_loose,
        .broken = profile->files[index],
        .broken_why = why,
        .memory = profile->memory,
        .memory_count = index == 0 ? profile->memory_count : 0,
    };
    return true;
}

void traces_choose(const char *const *traces, size_t count, const char *const *xplanes,
                   size_t xplane_count, bool *ret_chosen)
{
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && same_folder(traces[next], traces[i]);)
            next++;
        if (!paths_near(xplanes, xplane_count, traces[i]))
            folder_choose(traces + i, next - i, ret_chosen + i);
    }
}
