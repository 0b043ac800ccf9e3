/* The table of formats. */
#include "ingest/formats.h"
#include "ingest/memory/memory.h"
#include "ingest/nsight/nsight.h"
#include "ingest/source/source.h"
#include "ingest/trace/trace.h"
#include "ingest/xprof/xprof.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

const struct profile_format profile_formats[FORMAT_COUNT] = {
    [FORMAT_XPLANE] = {"xplane_pb", "XPlane file", {".xplane.pb"}, xspace_open, false},
    [FORMAT_TRACE] = {"perfetto_trace_json",
                      "trace in Chrome's JSON",
                      {"perfetto_trace.json.gz", ".trace.json.gz", ".trace.json", ".json.gz",
                       ".json"},
                      trace_open,
                      false},
    [FORMAT_NSIGHT] = {"nsight_sqlite", "export of Nsight Systems", {".sqlite"}, nsight_open, true},
    /* Of a folder no report is taken: it may be the one of an export beside it. */
    [FORMAT_NSIGHT_REPORT] =
        {"nsight_report", "report of Nsight Systems", {NULL}, nsight_report_open, true},
    [FORMAT_MEMORY] = {"device_memory_pprof",
                       "device memory profile",
                       {".prof", ".prof.gz", "memory_profile.pb"},
                       memory_open,
                       false},
    /* Of a folder no table is taken: it may be the one of a profile beside it. */
    [FORMAT_XPROF] = {"xplane_pb_xprof_tables", "table of xprof", {NULL}, xprof_open, false},
};

const struct profile_format *format_of_path(const char *path, size_t *ret_suffix)
{
    const size_t length = strlen(path);
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        const struct profile_format *format = &profile_formats[i];
        for (size_t s = 0; format->suffixes[s] != NULL; s++) {
            size_t suffix = strlen(format->suffixes[s]);
            if (length < suffix || strcasecmp(path + length - suffix, format->suffixes[s]) != 0)
                continue;
            if (ret_suffix != NULL)
                *ret_suffix = s;
            return format;
        }
    }
    return NULL;
}

bool format_of_file(const char *path, bool may_be_empty, const struct profile_format **ret_format,
                    struct err *err)
{
    static const int formats[] = {
        [SNIFFED_NOTHING] = FORMAT_XPLANE, [SNIFFED_TRACE] = FORMAT_TRACE,
        [SNIFFED_EXPORT] = FORMAT_NSIGHT,  [SNIFFED_REPORT] = FORMAT_NSIGHT_REPORT,
        [SNIFFED_MEMORY] = FORMAT_MEMORY,  [SNIFFED_TABLE] = FORMAT_XPROF};
    const struct sniffed content = sniff_file(path);
    errno = content.failure;
    if (content.failure != 0)
        return err_set_errno(err, ERR_INPUT, "cannot open '%s'", path);
    if (content.kind == SNIFFED_NOTHING && content.other != NULL &&
        !(content.is_empty && may_be_empty))
        return err_set(err, ERR_INPUT, "'%s' %s", path, content.other);
    *ret_format = &profile_formats[formats[content.kind]];
    return true;
}

bool format_has_ranges(const struct profile_format *format, const struct ingest_options *options,
                       const char *path, struct err *err)
{
    return options->step_range == NULL || format->has_ranges ||
           err_set(err, ERR_INPUT,
                   "'%s' has no NVTX ranges that --step-range could name: it is no export of "
                   "Nsight Systems, and its steps are found without",
                   path);
}

bool format_is_named(const char *path)
{
    size_t suffix;
    const struct profile_format *format = format_of_path(path, &suffix);
    /* Files of other kinds are called as some traces are, too: then the first bytes tell. */
    const bool is_common = format == &profile_formats[FORMAT_TRACE] && suffix >= TRACE_JSON_GZ;
    return format != NULL && !is_common;
}

bool ingest_is_xplane(const struct profile_files *profile)
{
    return format_of_path(profile->files[0], NULL) == &profile_formats[FORMAT_XPLANE];
}

bool format_has_times(const struct profile_files *profile, const char *wanted, struct err *err)
{
    const struct profile_format *format;
    if (profile->file_count != 1)
        return true;
    if (!format_of_file(profile->files[0], true, &format, err))
        return false;
    return format != &profile_formats[FORMAT_MEMORY] ||
           err_set(err, ERR_INPUT,
                   "no %s of '%s': it is a device memory profile, which holds the table "
                   "`allocations` and nothing else",
                   wanted, profile->path);
}

bool ingest_is_profile(const char *path)
{
    const enum sniffed_kind kind = sniff_file(path).kind;
    return (kind != SNIFFED_NOTHING && kind != SNIFFED_TABLE) || format_is_named(path);
}

bool ingest_is_summary(const char *path)
{
    return sniff_file(path).is_summary;
}

const char *ingest_is_other(const char *path)
{
    const struct sniffed sniffed = sniff_file(path);
    return sniffed.is_summary ? NULL : sniffed.other;
}
