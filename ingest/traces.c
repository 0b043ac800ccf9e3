/* Implements the choice of traces, by their places alone. */
#include "ingest/discover.h"
#include "ingest/formats.h"

#include <strings.h>

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
    return format_of_path(path, &suffix) == &profile_formats[FORMAT_TRACE] &&
           suffix == TRACE_WHOLE_JOB;
}

/* Whether one that follows is the same, but packed. */
static bool is_repeated(const char *const *traces, size_t count, size_t index)
{
    const size_t length = strlen(traces[index]);
    for (size_t i = index + 1; i < count && strncmp(traces[i], traces[index], length) == 0; i++) {
        if (strcasecmp(traces[i] + length, ".gz") == 0)
            return true;
    }
    return false;
}

/* A trace that its name says to be that of a host. */
static bool is_host(const char *path)
{
    size_t suffix;
    return format_of_path(path, &suffix) == &profile_formats[FORMAT_TRACE] &&
           (suffix == TRACE_PACKED || suffix == TRACE_PLAIN);
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

/* ---- what an XPlane file tells as well ------------------------------------------------------- */

static const char sessions[] = "/plugins/profile/";

/* Whether the file lies in the directory of the job that the XPlane file is of. */
static bool in_job_of(const char *xplane, const char *path)
{
    const char *below = strstr(xplane, sessions);
    const size_t job = below == NULL ? 0 : (size_t)(below - xplane);
    return below != NULL && strncmp(path, xplane, job) == 0 && path[job] == '/';
}

/* The trace of a whole job: of a session that it lies in, of the job whose directory that is, or of
 * the only file of its folder. */
static bool is_whole_of(const char *xplane, bool is_only, const char *trace)
{
    const size_t folder = folder_length(trace);
    return same_folder(xplane, trace)
               ? is_only || strstr(xplane, sessions) != NULL
               : in_job_of(xplane, trace) &&
                     strncmp(xplane + folder, sessions, sizeof sessions - 1) == 0;
}

/* Whether one of xplanes[count] tells what the trace does. */
static bool is_told(const char *const *xplanes, size_t count, const char *trace)
{
    const struct profile_format *format = format_of_path(trace, NULL);
    const size_t length = host_length(trace);
    size_t beside = 0;
    for (size_t i = 0; i < count; i++)
        beside += same_folder(xplanes[i], trace);
    for (size_t i = 0; i < count; i++) {
        const char *xplane = xplanes[i];
        if (format == &profile_formats[FORMAT_NSIGHT]
                ? is_near(xplane, trace) && in_job_of(xplane, trace)
            : is_whole_job(trace) ? is_whole_of(xplane, beside == 1, trace)
                                  : same_folder(xplane, trace) && host_length(xplane) == length &&
                                        memcmp(xplane, trace, length) == 0)
            return true;
    }
    return false;
}

/* Of the traces of one folder that are not told: each host's once; the one without a host's name,
 * which is of one host, instead of that host's own. */
static void folder_choose(const char *const *traces, size_t count, bool *chosen)
{
    size_t hosts = 0, whole = 0;
    for (size_t i = 0; i < count; i++) {
        whole += chosen[i] && is_whole_job(traces[i]);
        hosts += chosen[i] && is_host(traces[i]) && !is_repeated(traces, count, i);
    }
    for (size_t i = 0; i < count; i++)
        chosen[i] = chosen[i] && (is_whole_job(traces[i])
                                      ? hosts <= 1
                                      : !is_repeated(traces, count, i) &&
                                            (!is_host(traces[i]) || whole == 0 || hosts > 1));
}

/* ---- what stands in -------------------------------------------------------------------------- */

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

bool ingest_no_events(const struct summary *summary, const char *path, const char *remedy,
                      struct err *err)
{
    const struct string_list *said = &summary->coverage.warnings;
    const bool is_read = strcmp(summary->source_format, profile_formats[FORMAT_XPLANE].name) != 0 &&
                         summary->trace_overview.num_events_total > 0 && said->count > 0;
    return is_read ? err_set(err, ERR_INPUT, "'%s' holds no timeline events that can be read: %s",
                             path, said->items[0])
                   : err_set(err, ERR_INPUT,
                             "'%s' holds no timeline events: the process that wrote it was "
                             "probably killed before the end of the capture%s",
                             path, remedy);
}

bool ingest_tells(const struct profile_files *profile, size_t index, const struct summary *host,
                  struct err *err)
{
    return host->trace_overview.num_complete_events > 0 ||
           (profile->broken == NULL && other_of(profile, index) == NULL) ||
           ingest_no_events(host, profile->files[index], "", err);
}

bool ingest_failed_both(const struct err *broken, struct err *err)
{
    const struct err failure = *err;
    return failure.kind == ERR_MISSING || failure.kind == ERR_INPUT
               ? err_set(err, broken->kind, "%s; the trace beside it cannot be read either: %s",
                         broken->text, failure.text)
               : false;
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
        for (next = i; next < count && same_folder(traces[next], traces[i]); next++)
            ret_chosen[next] = !is_told(xplanes, xplane_count, traces[next]);
        folder_choose(traces + i, next - i, ret_chosen + i);
    }
}
