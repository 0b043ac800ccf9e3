/* Bytes in, summary out: the public face of ingest/.
 *
 * discover: a path (file or directory) becomes profiles, each a list of host files. summarize: one
 * profile becomes one struct summary. Formats are a table (ingest/formats.c): a new one is one file
 * and one line.
 */
#ifndef INGEST_INGEST_H
#define INGEST_INGEST_H

#include "ops/runtime/arena.h"
#include "ops/runtime/conf.h"
#include "ops/runtime/err.h"
#include "schema/documents/chip_peaks.h"
#include "schema/documents/data_table.h"
#include "schema/documents/explanation.h"
#include "schema/documents/summary.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file that was left although nothing else tells what it might, and why. */
struct left_file {
    const char *path, *why;
};

/* One capture: a file per host. */
struct profile_files {
    const char *path; /* as the user gave it, in normal form: summary.source_path */
    const char **files;
    size_t file_count;
    bool is_loose; /* the files only share a folder, which is no session's */
    /* Files of the same folders that look like hosts of the capture in a form that is not read. */
    const char **unread;
    size_t unread_count;
    /* Files of the same folders that hold the same in a lesser form, and were left aside. */
    const char **aside;
    size_t aside_count;
    /* Files of the same folders that tell nothing, or cannot be read, where others tell. */
    const struct left_file *left;
    size_t left_count;
    /* A file of theirs that is broken, and why: what is read is the trace that lies by it. */
    const char *broken, *broken_why;
    /* Device memory profiles that lie by them. */
    const char **memory;
    size_t memory_count;
    /* Compiled programs (HLO protos) in files of their own, which tables of ops and figures ask for
       what the profile itself does not hold. */
    const char **programs;
    size_t program_count;
    /* Tables that xprof made of it, which are read with it when asked for (ingest_tables). */
    const char **tables;
    size_t table_count;
};

struct profile_list {
    struct profile_files *items;
    size_t count;
};

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

/* A file is one profile. A directory is searched for `*.xplane.pb` below it, for traces in Chrome's
 * JSON (`perfetto_trace.json.gz`, `*.trace.json.gz`, `*.trace.json`, and other JSON that is one)
 * and exports of Nsight Systems (`*.sqlite`) that no XPlane file stands for (ingest/traces.h);
 * files of one session directory are the hosts of one profile (Levanter's
 * <log_dir>/<run_id>/profiler/plugins/profile/<time>/<host>.xplane.pb); several session directories
 * are several profiles, in path order. ERR_MISSING: no such path, or a directory without profiles
 * (says what was looked for). ERR_INPUT: a folder cannot be searched. */
bool ingest_discover(const char *path, struct arena *arena, struct profile_list *ret_profiles,
                     struct err *err);

/* What can be read instead of profile->files[index], which is broken (failure): the trace of the
 * same host that was left aside. false: nothing, the failure stands; without memory, too. */
bool ingest_instead(const struct profile_files *profile, size_t index, const struct err *failure,
                    struct arena *arena, struct profile_files *ret_other);

/* Whether the host that was read of profile->files[index] tells anything, where something else can
 * be read instead, or it is what is read instead: ERR_INPUT where it holds no event. */
bool ingest_tells(const struct profile_files *profile, size_t index, const struct summary *host,
                  struct err *err);

/* Refuses a profile without events, with what may be the reason: that none could be read, where it
 * has items, else how it ended, and `remedy`. Returns false. */
bool ingest_no_events(const struct summary *summary, const char *path, const char *remedy,
                      struct err *err);

/* What cannot be read is profile->files[index] (broken), nor what was read instead (err, which then
 * says both where it is of the input). Returns false. */
bool ingest_failed_both(const struct err *broken, struct err *err);

/* Whether a file that was left aside is what ingest_instead may read for one of the profile's. */
bool ingest_stands_in(const struct profile_files *profile, const char *aside);

/* Whether the files are XPlane files by their names. */
bool ingest_is_xplane(const struct profile_files *profile);

/* Whether a file is a profile by its name or its first bytes, and nothing else; whether it is a
 * summary. */
bool ingest_is_profile(const char *path);
bool ingest_is_summary(const char *path);

/* What a file is that is neither: a sentence without subject and full stop, with what to do; NULL:
 * nothing is known of it. Static. */
const char *ingest_is_other(const char *path);

/* One explicit file, whatever its format: the reference's --xplane-file and --trace-file; and what
 * lies in its folder, and in the directory of its job, that is of it: programs and, where no other
 * file is nearer to them, device memory profiles. */
bool ingest_file(const char *path, struct arena *arena, struct profile_files *ret_files,
                 struct err *err);

/* Finds the tables of xprof in a folder, not below it: they are read with the profile, or, where it
 * has no file, are all that there is of it. ERR_MISSING: no such folder, or no table in it;
 * ERR_INPUT: the folder cannot be searched, or the profile has several files. */
bool ingest_tables(const char *folder, struct arena *arena, struct profile_files *profile,
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
bool ingest_host_move(struct summary *host, const char *path, struct arena *arena, struct err *err);

/* The capture of hosts[files->file_count], which are summaries of one file each in any order. Of
 * files only path (NULL = the folder that the files have in common) and the unread ones are asked.
 * ERR_INPUT: options contradict it, or the hosts were read with different options. */
bool ingest_capture(const struct summary *hosts, const struct profile_files *files,
                    const struct ingest_options *options, struct arena *arena,
                    struct summary *ret_summary, struct err *err);

/* Reads the files once, each alone, and fills *ret_summary in the arena: of several files that of
 * their capture, whatever they say. Of a file that is broken what ingest_instead finds is read,
 * unless the options are strict; options->warn hears of it. ERR_INPUT: malformed (names file, byte
 * offset, what was expected); ERR_LIMIT: over a bound; ERR_MISSING: no such file. */
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
