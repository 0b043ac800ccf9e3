/* The formats that can be read: a table. A new one is a room that opens its files as planes and
 * lines, and a line. */
#ifndef INGEST_FORMATS_H
#define INGEST_FORMATS_H

#include "ingest/ingest.h"
#include "ingest/xplane/xplane.h"

enum {
    FORMAT_XPLANE,
    FORMAT_TRACE,
    FORMAT_NSIGHT,
    FORMAT_NSIGHT_REPORT,
    FORMAT_MEMORY,
    FORMAT_XPROF,
    FORMAT_COUNT
};

/* Suffixes of traces: of the whole job, of a host, and what other JSON has, too. */
enum { TRACE_WHOLE_JOB, TRACE_PACKED, TRACE_PLAIN, TRACE_JSON_GZ, TRACE_JSON };

struct profile_format {
    const char *name;              /* summary.source_format */
    const char *what;              /* for messages */
    const char *const suffixes[6]; /* of its files, the preferred one first; ended by NULL */
    space_open_fn *open;
    bool has_ranges; /* of NVTX, of which --step-range names those that are steps */
};

/* The preferred one of a host first. */
extern const struct profile_format profile_formats[FORMAT_COUNT];

/* The format of a file by its name, in small or large letters; NULL when it is none of them.
 * *ret_suffix, which may be NULL, is the place of the suffix that it has. */
const struct profile_format *format_of_path(const char *path, size_t *ret_suffix);

/* Whether the name alone makes a file one of that format: `.json` does not. */
bool format_is_named(const char *path);

/* The format of a file by its first bytes; one without any is an XPlane file where it may be empty.
 * ERR_INPUT when it is known to be something else, with what to do about it. */
bool format_of_file(const char *path, bool may_be_empty, const struct profile_format **ret_format,
                    struct err *err);

/* Whether options->step_range, if there is one, can name anything in a file of the format;
 * ERR_INPUT. */
bool format_has_ranges(const struct profile_format *format, const struct ingest_options *options,
                       const char *path, struct err *err);

/* ERR_INPUT with what is wanted of it, where the profile is of device memory profiles alone, which
 * tell no times. */
bool format_has_times(const struct profile_files *profile, const char *wanted, struct err *err);

/* Reads one file and fills all members of the summary but those that all formats share
 * (summarize.c). */
bool file_summarize(const struct profile_format *format, const struct profile_files *files,
                    const struct ingest_options *options, struct arena *arena,
                    struct summary *summary, struct err *err);

#endif
