/* The summary of one profile: profile_summary.v1, and the members that we add beside it.
 *
 * v1 members carry the meaning, order and arithmetic of the reference tool (ingest/README.md has
 * the paragraphs named at each struct); their times are microseconds as doubles. Ours are computed
 * from integer picoseconds and kept as such here; the JSON form shows microseconds (`_us`), exact
 * to the picosecond. Everything a summary points to lives in the arena that it was made in. Strings
 * are NUL-terminated UTF-8; NULL means absent (JSON null). Lists are NULL with count 0 when empty.
 */
#ifndef SCHEMA_DOCUMENTS_SUMMARY_H
#define SCHEMA_DOCUMENTS_SUMMARY_H

#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"
#include "ops/runtime/json.h"
#include "schema/documents/optional.h"

#include <jansson.h>

/* ---- profile_summary.v1 ---- */

struct run_metadata {
    const char *run_path, *run_id, *artifact_ref, *artifact_name;
    const char *hardware_type, *mesh_or_topology, *git_sha, *config_hash;
    struct opt_i64 num_devices, num_hosts;
};

struct trace_overview {
    const char *display_time_unit;
    int64_t num_events_total, num_complete_events, num_processes, num_threads;
    struct opt_f64 profile_start_ts, profile_end_ts; /* µs */
    const char *duration_basis;
    bool suspected_truncation;
    struct string_list quality_warnings;
};

struct trace_provenance {
    const char *trace_sha256; /* lower-case hex */
    struct string_list run_ids, source_file_hints;
};

struct duration_stats { /* §7; all but count absent when empty; µs */
    int64_t count;
    struct opt_f64 mean, median, p90, min, max;
};

struct step_class {   /* §7 */
    const char *name; /* typical, light, heavy */
    int64_t count;
    double fraction_of_steady;
    struct duration_stats stats;
    struct opt_i64 representative_step;
    struct opt_f64 representative_duration;
    struct opt_i64 periodicity;
};

struct step_time {
    int64_t warmup_steps_ignored;
    struct duration_stats all_steps, steady_state_steps;
    struct step_class *classes;
    size_t class_count;
};

enum breakdown_part {
    PART_COMPUTE,
    PART_COMMUNICATION,
    PART_HOST,
    PART_STALL,
    PART_OTHER,
    PART_COUNT
};
extern const char *const breakdown_part_names[PART_COUNT];

struct time_breakdown { /* §6 */
    const char *duration_basis;
    double total_duration;
    struct {
        double total_duration, share_of_total;
    } part[PART_COUNT];
};

struct hot_op { /* §8 */
    const char *name, *canonical_name, *category;
    int64_t count;
    double total_duration, exclusive_duration, avg_duration;
    const char *shape_signature, *source_file, *tf_op_path;
    struct opt_f64 flop_proxy_per_invocation;
};

struct semantic_family { /* §9 */
    const char *family;
    int64_t count;
    double total_duration, exclusive_duration, share_of_total, avg_duration, avg_exclusive_duration;
    const char *example_op, *dominant_shape_signature;
    struct opt_f64 flop_proxy_total, time_per_flop_proxy;
};

struct communication_op { /* §10 */
    const char *collective;
    int64_t count;
    double total_duration, avg_duration;
};

struct gap_before_op { /* §11 */
    const char *name;
    int64_t count;
    double total_gap_duration, max_gap_duration, avg_gap_duration;
    const char *payload_op, *marker_op;
};

struct hierarchical_region { /* §12 */
    const char *path;
    int64_t depth, count;
    double inclusive_duration, exclusive_duration;
};

struct gap_region_context { /* §13 */
    const char *op_name, *region_path;
    int64_t count;
    double total_gap_duration, avg_gap_duration;
};

struct optimization_candidate { /* §14 */
    const char *candidate_id, *title, *rationale;
    struct string_list evidence, suggestions;
};

/* ---- ours ---- */

struct producer {
    const char *version;        /* of stepledger */
    int64_t definition_version; /* of the measures below; never compared across versions */
    const char *breakdown_mode; /* exclusive_per_track | exclusive_global */
    int64_t warmup_steps;       /* of profile_summary.v1's members; with warmup_fixed of ours too */
    bool warmup_fixed; /* steps numbered below warmup_steps are warm-up; else the data tell */
    bool has_step_range;
    const char *step_range; /* the expression that named the steps; NULL: nobody did */
    int64_t hot_op_limit;
};

/* A named fact about how the profile came to be, with where it was read: "plane_stat",
 * "plane_name", "task_environment", "hostnames", "hlo", "option" (--meta), "derived". Names are
 * those of schema/documents/provenance_fields.h or free ones. */
struct fact {
    const char *name, *value, *source;
};

/* When the profile was captured, as clock_iso writes it: what people say, before its own clock. */
#define CAPTURED_AT_FACT "captured_at"

struct hlo_program {
    const char *name;        /* module name without the id */
    const char *fingerprint; /* hex SHA-256 over what survives a run; NULL when the file does not
                                hold the program */
    int64_t run_count;       /* module runs seen on devices */
};

struct device_peak {
    const char *device;
    struct opt_f64 tflops, hbm_gb_per_s;
    const char *source;
};

struct environment {
    const char *device_type; /* e.g. "TPU v5e"; NULL when unknown */
    struct opt_i64 device_count, host_count;
    const char *topology;
    struct string_list hosts; /* sorted */
    struct fact *facts;       /* sorted by name; each name once */
    size_t fact_count;
    struct hlo_program *programs;
    size_t program_count;
    struct device_peak *peaks;
    size_t peak_count;
};

/* How steps were found, best first: what bounds a step, and which clock measured it. */
enum step_method {
    STEPS_NONE,
    STEPS_LINE,       /* a device's line `Steps` */
    STEPS_ANNOTATION, /* the host's annotation; lasts as long as the ops launched in it */
    STEPS_MODULE_RUN, /* runs of the main program on a device's line `XLA Modules` */
    STEPS_LAUNCH,     /* launches of the main program: its kernels on a GPU */
    STEPS_HOST,       /* the host's annotation, as long as it lasts on the host */
    STEPS_CALL,       /* calls of a compiled function on the host, from one to the next */
    STEP_METHOD_COUNT
};
/* none steps_line step_annotation module_run program_launch host_annotation host_call */
extern const char *const step_method_names[STEP_METHOD_COUNT];

/* Numbers that the profile holds; those of the other methods are counted from 0 by the reader, so
 * that no rule on numbers is about them. */
static inline bool step_method_has_numbers(enum step_method method)
{
    return method == STEPS_LINE || method == STEPS_ANNOTATION || method == STEPS_HOST;
}

/* Marks of the host: what is called so, or what --step-range names. */
static inline bool step_method_is_annotated(enum step_method method)
{
    return method == STEPS_ANNOTATION || method == STEPS_HOST;
}

/* Why a step is warm-up, as step_row.warmup_reason. */
#define WARMUP_NUMBER "number"           /* below a fixed number of warm-up steps */
#define WARMUP_COMPILATION "compilation" /* the host compiled while the step ran */
#define WARMUP_HOST_WAIT "host_wait"     /* apart from the rest, and the device waited */
#define WARMUP_APART "apart"             /* slower than the rest by more than their noise */
#define WARMUP_CUT "cut"                 /* no warm-up: the last one, whose end was not recorded */

struct step_span {   /* one step on one device (or host thread when there is no device) */
    uint32_t device; /* index into summary.devices; UINT32_MAX for a host span */
    int64_t start_ps, duration_ps;
};

struct step_row {
    int64_t number;
    bool warmup;               /* left out of steady figures */
    const char *warmup_reason; /* a WARMUP_… above; NULL = steady, or an older document */
    bool host_compiled;        /* in it, or between the step before and it */
    int64_t max_ps;            /* the slowest device: what a user waits for */
    int64_t mean_ps;           /* over devices, rounded down */
    uint32_t slowest;          /* device index, UINT32_MAX without devices */
    bool has_period;
    int64_t period_ps; /* start of the next step - start of this one, on the slowest device of this
                          one; over the steps in between that lack their mark, the mean */
    bool has_input_wait;
    int64_t input_wait_ps; /* for input, to the next step, as the host did that waited longest */
    bool has_gap;
    int64_t gap_before_ps;   /* start of this one - end of the one before, on the same device,
                                smallest over devices */
    struct step_span *spans; /* one per device that has the step */
    size_t span_count;
};

struct step_table {
    enum step_method method;
    const char *program;   /* whose runs, launches or calls the steps are, or the expression that
                              named its annotations; NULL = marks tell, by their usual names */
    struct step_row *rows; /* ascending numbers */
    size_t count;
    int64_t steady_count; /* rows that are not warm-up */
    int64_t steady_spans; /* device spans of those rows: the divisor of per-step op figures */
    struct opt_f64
        steady_median_us; /* median over steady rows of max_ps, in µs: THE step time of ours */
    struct opt_f64 steady_p90_us;
};

struct device_row {     /* interval unions over the profile's window; nothing is counted twice */
    const char *name;   /* "/device:TPU:0", qualified "host/…" when several hosts */
    const char *host;   /* NULL when the file does not say */
    int64_t window_ps;  /* last end - first start of its op events */
    int64_t busy_ps;    /* union of op events */
    int64_t idle_ps;    /* window - busy */
    int64_t compute_ps; /* union of compute ops */
    int64_t exposed_comm_ps;       /* |communication \ compute| */
    int64_t overlapped_comm_ps;    /* |communication ∩ compute| */
    int64_t exposed_copy_ps;       /* |copies \ (compute ∪ communication)| */
    int64_t steady_step_median_ps; /* -1 when no steady step was seen on it */
    int64_t op_count;
};

struct op_row {            /* the whole op table, one row per signature */
    const char *signature; /* survives a recompile: category|opcode|shapes|source op path */
    const char *name;      /* an example: the exact event name seen first */
    const char *category;  /* hlo_category, else compute/communication/stall/copy */
    const char *opcode;    /* "fusion", "all-reduce-start", kernel family; NULL when unknown */
    const char *program;   /* module name; NULL when unknown */
    const char *phase;     /* forward, backward, recompute, optimizer, other, unattributed */
    const char *shape_signature, *source_file, *op_path;
    bool asynchronous;    /* on asynchronous lines alone: beside others, never of busy time */
    int64_t count;        /* events, all devices */
    int64_t device_count; /* devices it ran on */
    int64_t total_ps, self_ps;
    int64_t max_device_self_ps; /* of the device that spent most on it */
    uint32_t max_device;
    int64_t steady_count;   /* events inside steady steps */
    int64_t steady_self_ps; /* theirs; / step_table.steady_spans = per step and device */
    int64_t short_count, short_self_ps; /* the same of ops that last < 5 µs each, on average */
    int64_t short_steady_count, short_steady_self_ps; /* in no document */
    struct opt_f64 flops, bytes_accessed; /* totals over events, when the file holds them */
    bool has_device_class;                /* of program_ops: what the kernels do, "compute" … */
    const char *device_class;
};

struct coverage {
    struct string_list warnings;    /* what was not recognised; never empty where a list above is */
    int64_t events_dropped_counter; /* num_occurrences events: no time position */
    int64_t events_dropped_zero;    /* duration 0 or negative */
    int64_t events_dropped_nameless;  /* no metadata or no name */
    int64_t events_out_of_range;      /* too far from the others for devices, ops and steps */
    int64_t unsorted_lines;           /* lines that were out of order and were sorted */
    int64_t bytes_read, bytes_unread; /* unread: after a truncation point */
    struct opt_i64 bytes_behind;      /* the end of the profile, and not read; unset: none */
    struct opt_i64 files_unproven;    /* whose checksum is wrong or missing; unset: none */
    struct opt_i64 steps_unmarked;    /* that lack their annotation, by numbers; unset: none */
    struct opt_i64 ops_apart;         /* that belong to no annotated step; unset: none */
    struct opt_f64 ops_apart_us;      /* their own time, all devices together */
    struct opt_f64 joined_time_share; /* of the ops' own time, told by programs; unset: none was */
    double steady_idle_us_per_step;   /* mean over steady spans of span - union of ops in it */
};

/* What is in use on devices at one moment, as a device memory profile tells it. Sizes that are not
 * known are 0 and counted apart. */
struct memory_row {
    const char *device, *kind; /* "buffer", "executable"; "" when the profile does not say */
    const char *source;        /* "train.py:41": the innermost line that is none of a package */
    const char *function;
    int64_t bytes, count;  /* of allocations */
    int64_t unknown_count; /* of those, how many have no known size */
};

/* The same of all rows of one device, or of one kind. */
struct memory_share {
    const char *name;
    int64_t bytes, count, unknown_count;
};

/* One input file of the profile. */
struct source_file {
    const char *path, *host, *sha256;
    int64_t size_bytes;
};

struct memory_summary {
    int64_t bytes, count, unknown_count; /* of all rows */
    struct memory_share *devices;        /* most bytes first; "" holds what is of no device */
    size_t device_count;
    struct memory_share *kinds;
    size_t kind_count;
    struct memory_row *allocations; /* most bytes first */
    size_t allocation_count;
    struct source_file *sources; /* the files that tell it */
    size_t source_count;
};

/* What a program holds of a device's memory at its peak. */
struct program_buffer {
    const char *kind;                           /* parameter, constant, output, temporary */
    const char *instruction, *shapes, *op_path; /* that makes it; NULL: not told */
    int64_t bytes;
};

/* What was measured beyond times of ops, for the figures of a step; of what is absent a reason. */
struct measured {
    struct opt_f64 model_flops; /* that the model asks for in steady steps, of all devices:
                                   recomputation left out */
    int64_t own_ps, told_ps;    /* the ops' own time in them, and that of ops that tell theirs */
    const char *model_flops_absent;
    const char *input_wait_absent; /* of steps; NULL: it was measured */
    struct opt_i64 hbm_peak_bytes; /* in use on the fullest device while it was profiled */
    const char *hbm_allocator, *hbm_peak_absent;
    struct opt_i64 program_memory_bytes; /* that the program of most of the time needs */
    const char *program, *program_memory_absent;
    bool model_flops_are_beside, program_memory_is_beside; /* by programs in files of their own */
    struct program_buffer *program_buffers;                /* the largest of them */
    size_t program_buffer_count;
};

/* One of figures.h. */
struct summary_figure {
    const char *measure;
    const char *unit;
    struct opt_f64 value;
    const char *of;     /* what it was computed from … */
    const char *absent; /* … or why it is not known */
};

/* One host's part of a capture: what tells which files belong together. */
struct capture_host {
    const char *host, *sha256; /* as in sources; host NULL: the file does not say */
    struct opt_i64 process,
        process_count;               /* rank in the job, and how many the file says there are */
    struct opt_i64 begin_ns, end_ns; /* since 1970; absent: its clock does not tell */
    int64_t base_ns;                 /* the time on its clock that its picoseconds count from */
    struct string_list chips;  /* numbers of its chips in the job; empty: the file does not say */
    struct string_list groups; /* of processes that it is in: their ranks in the job, "0,1,2,3";
                                  empty: the file does not say */
};

struct capture {
    const char *key;            /* --capture; NULL = not given */
    struct capture_host *hosts; /* by process, then host, then hash, whatever order they came in */
    size_t host_count;
    struct opt_i64 expected_count; /* hosts of the job, as far as anything says */
    struct string_list missing;    /* those that are not here: "process 1" */
    struct string_list notes;      /* why these hosts are one capture, and what is missing */
};

struct summary {
    const char *schema_version; /* "profile_summary.v1" */
    const char *generated_at_utc, *source_format, *source_path;
    struct run_metadata run_metadata;
    struct trace_overview trace_overview;
    struct trace_provenance trace_provenance;
    struct step_time step_time;
    struct time_breakdown time_breakdown;
    struct hot_op *hot_ops;
    size_t hot_op_count;
    bool has_semantic_families; /* false: an older document without the member */
    struct semantic_family *semantic_families;
    size_t semantic_family_count;
    struct communication_op *communication_ops;
    size_t communication_op_count;
    struct gap_before_op *gap_before_ops;
    size_t gap_before_op_count;
    struct hierarchical_region *hierarchical_regions;
    size_t hierarchical_region_count;
    struct gap_region_context *gap_region_contexts;
    size_t gap_region_context_count;
    struct optimization_candidate *optimization_candidates;
    size_t optimization_candidate_count;

    bool has_ours; /* the members below were in the document */
    struct producer producer;
    struct environment environment;
    struct step_table steps;        /* by the best method; the ops' steady figures are of these */
    struct step_table *other_steps; /* by the other methods that the file allows, best first */
    size_t other_step_count;
    struct device_row *devices; /* plane order: host, then name */
    size_t device_count;
    struct op_row *ops; /* steady_self_ps descending, then self_ps, then signature */
    size_t op_count;
    bool has_program_ops; /* programs were asked what kernels are: all ops again, an instruction of
                             a program where `ops` has kernels, in the same order */
    struct op_row *program_ops;
    size_t program_op_count;
    struct coverage coverage;
    bool has_measured; /* false: an older document without the member */
    struct measured measured;
    bool has_figures; /* likewise, or a profile that tells no times */
    struct summary_figure *figures;
    size_t figure_count;
    struct source_file *sources;
    size_t source_count;
    bool has_memory; /* a device memory profile was read beside the others, or alone */
    struct memory_summary memory;
    bool has_capture; /* false: an older document without the member */
    struct capture capture;
};

/* What people do who want steps of a profile in which nothing marks them. */
#define STEP_MARKS_ADVICE \
    "mark them (JAX: jax.profiler.StepTraceAnnotation(\"train\", step_num=n); PyTorch: " \
    "prof.step(); Nsight Systems: NVTX ranges such as \"step 12\", or --step-range)"

/* Whether a profile has events and no steps at all, not even of the warm-up. */
static inline bool summary_is_unmarked(const struct summary *summary)
{
    return summary->has_ours && summary->steps.count == 0 &&
           summary->trace_overview.num_complete_events > 0;
}

/* The JSON form; a new reference, NULL with ERR_LIMIT without memory. Members are those of
 * profile_summary.v1 §15 and, when has_ours, ours (producer, environment, steps, other_steps,
 * devices, ops, program_ops, coverage, measured, figures, sources, memory, capture). */
json_t *summary_to_json(const struct summary *summary, struct err *err);

/* The same as text, without the tree. Trouble is that of the text (text_ok). */
void summary_print(const struct summary *summary, enum json_style style, struct text *out);

/* The reference tool's reader (§15): a missing required member is ERR_INPUT with its path, nullable
 * and optional members may be absent, unknown members are dropped, old names are understood. name
 * is for messages. */
bool summary_from_json(const json_t *root, const char *name, struct arena *arena,
                       struct summary *ret_summary, struct err *err);

/* The steps by that method; NULL when the summary has none. */
const struct step_table *summary_steps_by(const struct summary *summary, enum step_method method);

/* In how many steps the host compiled again: later than in the first steps, or in most of all. */
size_t steps_recompiled(const struct step_table *table);

/* How many rows there are without the last one, where the end of the capture cut that: left out
 * behind a steady one. */
size_t steps_whole(const struct step_table *table);

/* How many steps the warm-up has that the capture begins with. */
size_t steps_first_warmup(const struct step_table *table);

/* Whether the steps of two tables are steps of one thing: of one method, and of one program where
 * both know theirs; annotations of one expression, or all of usual names. */
bool step_tables_alike(const struct step_table *a, const struct step_table *b);

/* "steps_line", "module_run of jit_train_step", "step_annotation of lap ([0-9]+)". NULL beyond the
 * budget. */
const char *step_table_text(const struct step_table *table, struct arena *arena);

/* Fills method and program from such a text, into which the program points; nothing from others. */
void step_table_named(const char *text, struct step_table *table);

/* Whether it is of a device memory profile alone, which tells no times. */
bool summary_is_memory(const struct summary *summary);

/* What the parts of a capture are, "host" or "process": several of these may be of one machine. */
const char *capture_host_kind(const struct capture *capture);

/* The fact of that name, or of another name of it (PROVENANCE_ALIASES); NULL when absent. */
const struct fact *environment_fact(const struct environment *environment, const char *name);

#endif
