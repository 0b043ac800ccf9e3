/* The members of profile_summary.v1: meaning, order and arithmetic are those of the reference tool
 * (ingest/README.md has the paragraphs named at each struct). Times are microseconds as doubles.
 */
#ifndef SCHEMA_DOCUMENTS_SUMMARY_V1_H
#define SCHEMA_DOCUMENTS_SUMMARY_V1_H

#include "schema/documents/optional.h"

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

#endif
