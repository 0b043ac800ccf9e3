/* Bytes in, summary out: the public face of ingest/.
 *
 * discover (ingest/discover.h): a path becomes profiles, each a list of host files. summarize: one
 * profile becomes one struct summary. Formats are a table (ingest/formats.c): a new one is one file
 * and one line.
 */
#ifndef INGEST_INGEST_H
#define INGEST_INGEST_H

#include "ingest/discover.h"
#include "ops/runtime/arena.h"
#include "ops/runtime/conf.h"
#include "ops/runtime/err.h"
#include "schema/documents/chip_peaks.h"
#include "schema/documents/data_table.h"
#include "schema/documents/explanation.h"
#include "schema/documents/summary.h"

#include <stdint.h>

enum breakdown_mode { BREAKDOWN_PER_TRACK, BREAKDOWN_GLOBAL };

struct host_question;

/* Bounds of hostile input; exceeding one is ERR_LIMIT that names it. 0 = its default. */
struct ingest_limits {
#define LIMIT_MEMBER(name, type, standard, min, max, help) int64_t name;
    CONF_LIMITS(LIMIT_MEMBER)
#undef LIMIT_MEMBER
};

struct ingest_options {
    int64_t warmup_steps;   /* default 5: steps with a smaller number are warm-up for the members of
                               profile_summary.v1, … */
    bool warmup_fixed;      /* … and for ours; else the data tell */
    const char *step_range; /* of exports of Nsight Systems: an extended regular expression whose
                               first group is the number of the step that a range is; NULL: ranges
                               with the common names are */
    int64_t hot_op_limit;   /* default 25; Python slice semantics */
    enum breakdown_mode mode;
    bool strict_input; /* a file that is cut off, was changed or goes on behind its end is ERR_INPUT
                          instead of a warning */
    bool may_be_empty; /* a file without a byte is a host without events, not ERR_INPUT: there are
                          others */
    bool leaves_broken; /* of several files one that cannot be read, or tells nothing, is left out,
                           and told; else it is ERR_INPUT, or a host without events */
    int threads;        /* 1 or more; the bytes of the result do not depend on it */
    struct ingest_limits limits;
    /* In files and lines beyond these sizes the index steps over all events at once. */
    int64_t skip_file_bytes, skip_line_bytes;
    /* Longer lines of ops are read ahead, where a thread is left for it and sums need no order. */
    int64_t ahead_line_bytes;
    /* Up to so many events sums are made in the reference's order, to the last bit. */
    int64_t exact_events;
    /* The device memory profiles of the host that is read, NULL: none is known. The first was named
       for it: it alone counts, and has to be read; else those that lie by it (profile_files). */
    const char *memory_profile;
    const char *const *memory_beside;
    size_t memory_beside_count;
    /* Compiled programs in files of their own (profile_files). */
    const char *const *programs;
    size_t program_count;
    /* Tables of xprof that are read with the file (profile_files). */
    const char *const *tables;
    size_t table_count;
    const char *capture_key; /* --capture: files of one key are one capture; NULL = not given */
    const struct fact *meta; /* --meta k=v: fills what the file does not say; a conflict is
                                ERR_INPUT naming both values */
    size_t meta_count;
    const struct fact *collected; /* beside the job: add to what the file says, never contradict it;
                                     a conflict is a warning of coverage */
    size_t collected_count;
    const struct host_question *question; /* what else is asked of the file (made_tables.h); NULL:
                                             nothing */
    struct device_limits peaks;           /* of devices, as stated: findings go by them */
    bool tells_launches; /* ops are told apart by how their kernels were launched, too */
    /* Called with a file that was not read, and why something else was, and with one of which a
       table says less than it holds; may be NULL. */
    void (*warn)(const char *path, const char *why);
    /* Called now and then while files are indexed, streamed and hashed, from any thread but one at
       a time; may be NULL. bytes_total is an estimate that only shrinks, unless lines turn out to
       be unsorted and are read again. */
    void (*progress)(void *context, int64_t bytes_done, int64_t bytes_total);
    void *progress_context;
};

/* The defaults: warm-up 5 for version 1 and by the data for ours, 25 hot ops, per track, one
 * thread, default limits. */
void ingest_options_init(struct ingest_options *options);

/* Takes threads and limits from the configuration, and a fixed number of warm-up steps unless the
 * options have one. */
void ingest_options_configure(struct ingest_options *options, const struct conf *conf);

/* Steps with a number below `steps` are warm-up, whatever the data tell. */
void ingest_options_fix_warmup(struct ingest_options *options, int64_t steps);

/* NVTX ranges that the expression matches are steps. ERR_USAGE: it is none, or has no group. */
bool ingest_options_name_steps(struct ingest_options *options, const char *expression,
                               struct err *err);

/* Reads one file alone, as a host of whatever capture it is part of: counts of hosts and devices in
 * options->meta wait for ingest_capture. Errors as of ingest_summarize. */
bool ingest_host(const char *path, const struct ingest_options *options, struct arena *arena,
                 struct summary *ret_summary, struct err *err);

/* The options for files->files[index]: the memory profiles beside a capture are those of its first
 * host. */
struct ingest_options ingest_options_of(const struct ingest_options *options,
                                        const struct profile_files *files, size_t index);

/* Says that the file lies at another path than it was read from: what its place tells follows. */
void ingest_host_move(struct summary *host, const char *path, struct arena *arena);

/* The capture of hosts[files->file_count], which are summaries of one file each in any order. Of
 * files only path (NULL = the folder that the files have in common) and the unread ones are asked.
 * ERR_INPUT: options contradict it, or the hosts were read with different options. */
bool ingest_capture(const struct summary *hosts, const struct profile_files *files,
                    const struct ingest_options *options, struct arena *arena,
                    struct summary *ret_summary, struct err *err);

/* Reads the files once, each alone, and fills *ret_summary in the arena: of several files that of
 * their capture; ERR_INPUT where they are not one (join_check). Of a file that is broken what
 * ingest_instead finds is read, unless the options are strict; options->warn hears of it.
 * ERR_INPUT: malformed (names file, byte offset, what was expected); ERR_LIMIT: over a bound;
 * ERR_MISSING: no such file. */
bool ingest_summarize(const struct profile_files *profile, const struct ingest_options *options,
                      struct arena *arena, struct summary *ret_summary, struct err *err);

/* A table that lies in the files themselves (ingest/data_tables/table_kinds.h). */
struct table_request {
    const char *name;
    int64_t limit; /* rows; 0 = all */
    /* Of tables of ops: what is stated of one device (a member that is set counts instead of the
       profile's own), and of one step of the whole job. */
    struct device_limits peaks;
    struct opt_f64 model_flops_per_step, tokens_per_step;
};

/* That table, of all hosts. ERR_USAGE: no table of that name (says which there are); ERR_INPUT:
 * files of this kind cannot give it (says why), or these hold nothing for it; else as
 * ingest_summarize. */
bool ingest_table(const struct table_request *request, const struct profile_files *profile,
                  const struct ingest_options *options, struct arena *arena,
                  struct data_table *ret_table, struct err *err);

/* Several tables of one profile, and its summary. */
struct table_set {
    const struct table_request *requests;
    size_t count;
    struct data_table *tables; /* [count], in the order of the requests … */
    struct err *refusals;      /* … and why there is none: ERR_INPUT; else ERR_NONE */
    struct summary summary;    /* as ingest_summarize makes it */
};

/* Reads the files once for all of them, but for tables that only a reading of its own gives (of
 * traces and exports). Fills tables, refusals and the summary. Errors as of ingest_summarize. */
bool ingest_table_set(struct table_set *set, const struct profile_files *profile,
                      const struct ingest_options *options, struct arena *arena, struct err *err);

/* Puts tables that xprof made, or that are like them, into the summary of the profile that they are
 * of, as `tables` of ingest_options do; that of such tables alone stays as it is. Errors as of
 * xprof_read. */
bool ingest_tables_merge(const char *const *paths, size_t count,
                         const struct ingest_options *options, struct arena *arena,
                         struct summary *summary, struct err *err);

/* The same of a summary, which keeps no other table than `allocations`; name is what the user calls
 * it. */
bool ingest_table_of_summary(const struct table_request *request, const struct summary *summary,
                             const char *name, struct arena *arena, struct data_table *ret_table,
                             struct err *err);

/* What of a profile is converted, and where to. */
struct convert_request {
    int fd;                               /* what is written to … */
    const char *name;                     /* … for messages */
    struct opt_i64 first_step, last_step; /* both are in; both unset: all there is, also outside of
                                             steps; one unset: from the first, to the last */
    const char *device;                   /* as summaries name it, without the hosts; NULL: all */
};

/* What came of it. */
struct convert_report {
    int64_t event_count;
    int64_t other_count;      /* events of other steps */
    int64_t dropped_count;    /* without a duration, a place in time or a name */
    struct string_list notes; /* sentences on what else of the files is not in it */
};

/* Writes the profile as a trace in Chrome's JSON, compressed with gzip. ERR_MISSING: no such step
 * or device; ERR_INPUT: there are no steps, or nothing is left to write; ERR_FULL; else as
 * ingest_summarize. */
bool ingest_convert(const struct convert_request *request, const struct profile_files *profile,
                    const struct ingest_options *options, struct arena *arena,
                    struct convert_report *ret_report, struct err *err);

/* Why the profile's steps take as long as they do. ERR_INPUT: it has neither steps nor ops of a
 * device; else as ingest_summarize. */
bool ingest_explain(const struct profile_files *profile, const struct ingest_options *options,
                    struct arena *arena, struct explanation *ret_explanation, struct err *err);

#endif
