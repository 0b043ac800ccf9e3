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
#include "schema/documents/capture.h"
#include "schema/documents/copy_way.h"
#include "schema/documents/memory_summary.h"
#include "schema/documents/op_table.h"
#include "schema/documents/optional.h"
#include "schema/documents/step_table.h"
#include "schema/documents/summary_v1.h"

#include <jansson.h>

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

/* What ops of devices copy one way, each kind of them: copies, fills, and waits for copies that go
 * on beside them. */
struct copied_ops {
    const char *name; /* opcode: "copy-done", "MemcpyH2D" */
    enum copy_way way;
    int64_t count; /* events, all devices */
    int64_t total_ps;
    int64_t
        steady_self_ps;   /* inside steady steps; / step_table.steady_spans = per step and device */
    struct opt_f64 bytes; /* that they moved; unset: not each of them tells it, or
                             their ends do, `copy-done` */
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

/* What was measured beyond times of ops, for the figures of a step; of what is absent a reason. */
struct measured {
    struct opt_f64 model_flops; /* that the model asks for in steady steps, of all devices:
                                   recomputation left out */
    int64_t own_ps, told_ps;    /* the ops' own time in them, and that of ops that tell theirs */
    const char *model_flops_absent;
    const char *input_wait_absent; /* of steps; NULL: it was measured */
    const char *compile_absent;    /* why no step tells that the host compiled; NULL: it would, or
                                      an older document */
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
    bool has_copies; /* false: an older document without the member */
    struct copied_ops *copies;
    size_t copy_count;
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

/* Whether a profile has events and no steps at all, not even of the warm-up. */
static inline bool summary_is_unmarked(const struct summary *summary)
{
    return summary->has_ours && summary->steps.count == 0 &&
           summary->trace_overview.num_complete_events > 0;
}

/* The JSON form; a new reference. Members are those of
 * profile_summary.v1 §15 and, when has_ours, ours (producer, environment, steps, other_steps,
 * devices, ops, program_ops, copies, coverage, measured, figures, sources, memory, capture). */
json_t *summary_to_json(const struct summary *summary);

/* The same as text, without the tree. Trouble is that of the text (text_ok). */
void summary_print(const struct summary *summary, enum json_style style, struct text *out);

/* The reference tool's reader (§15): a missing required member is ERR_INPUT with its path, nullable
 * and optional members may be absent, unknown members are dropped, old names are understood. name
 * is for messages. */
bool summary_from_json(const json_t *root, const char *name, struct arena *arena,
                       struct summary *ret_summary, struct err *err);

/* The steps by that method; NULL when the summary has none. */
const struct step_table *summary_steps_by(const struct summary *summary, enum step_method method);

/* Whether it is of a device memory profile alone, which tells no times. */
bool summary_is_memory(const struct summary *summary);

/* The fact of that name, or of another name of it (PROVENANCE_ALIASES); NULL when absent. */
const struct fact *environment_fact(const struct environment *environment, const char *name);

#endif
