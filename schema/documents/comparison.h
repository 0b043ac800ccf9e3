/* The document of `compare`: two summaries side by side, as the reference tool prints it
 * (profile_summary.v1 §18). Times are microseconds, shares are 0..1. Everything it points to lives
 * in the arena that it was made in, or in the two summaries.
 */
#ifndef SCHEMA_DOCUMENTS_COMPARISON_H
#define SCHEMA_DOCUMENTS_COMPARISON_H

#include "ops/runtime/err.h"
#include "schema/documents/optional.h"
#include "schema/documents/record.h"

#include <jansson.h>

struct provenance_checks {
    const char *status; /* pass, warn, fail */
    struct string_list messages;
    const char *before_trace_sha256, *after_trace_sha256;
    const char *before_run_id, *after_run_id;
};

struct step_time_delta {
    struct opt_f64 steady_state_median_before, steady_state_median_after, steady_state_median_delta;
    struct opt_f64 steady_state_p90_before, steady_state_p90_after, steady_state_p90_delta;
};

struct step_class_row {
    const char *name;
    int64_t count;
    double fraction_of_steady;
    struct opt_f64 median_duration, p90_duration;
    struct opt_i64 representative_step;
    struct opt_f64 representative_duration;
    struct opt_i64 periodicity;
};

struct step_class_delta {
    const char *name;
    int64_t before_count, after_count;
    double before_fraction, after_fraction;
    struct opt_f64 median_before, median_after, median_delta, median_regression_pct;
};

struct step_classes {
    struct step_class_row *before, *after;
    size_t before_count, after_count;
    struct step_class_delta *delta; /* by name */
    size_t delta_count;
};

struct share_delta { /* after - before; absent where a side tells no times */
    struct opt_f64 compute, communication, host, stall, other;
};

struct family_delta {
    const char *family;
    double before_exclusive_duration, after_exclusive_duration, exclusive_duration_delta;
    struct opt_f64 exclusive_regression_pct;
    struct opt_f64 before_flop_proxy_total, after_flop_proxy_total, flop_proxy_ratio;
    struct opt_f64 before_time_per_flop_proxy, after_time_per_flop_proxy;
    struct opt_f64 time_per_flop_regression_pct, time_ratio, work_ratio, efficiency_ratio;
    const char *example_before, *example_after;
    const char *shape_signature_before, *shape_signature_after;
};

struct op_delta {
    const char *name;
    double before, after, delta; /* exclusive time; 0 on the side that does not list the op */
    struct opt_f64 before_at_most, after_at_most; /* see unlisted_op */
};

/* An op of the lists that one side does not list, as it may be below the hottest of that side: what
 * it took there is no 0, but at most this. */
struct unlisted_op {
    const char *name;
    const char *side; /* before, after */
    double at_most;
};

/* What is in use on devices: of one kind and line (over all devices), and of one device. A side
 * that lacks it has 0. */
struct memory_delta_row {
    const char *kind, *source, *function; /* as struct memory_row has them, of the new side */
    int64_t before_bytes, after_bytes, delta_bytes;
    int64_t before_count, after_count;
};

struct memory_delta_share {
    const char *name;
    int64_t before_bytes, after_bytes, delta_bytes;
};

struct memory_delta {
    int64_t before_bytes, after_bytes, delta_bytes;
    int64_t before_unknown_count, after_unknown_count; /* allocations that add no bytes */
    struct memory_delta_share *devices;                /* by name */
    size_t device_count;
    struct memory_delta_row *allocations; /* that changed; what grew most first */
    size_t allocation_count;
};

struct comparison {
    const char *before_source, *after_source;
    struct provenance_checks provenance_checks;
    struct step_time_delta step_time;
    struct step_classes step_classes;
    struct share_delta time_breakdown_share_delta;
    struct family_delta *semantic_family_delta; /* by family */
    size_t semantic_family_delta_count;
    struct op_delta *regressed_ops, *improved_ops; /* largest first, then by name */
    size_t regressed_op_count, improved_op_count;
    bool has_memory; /* both sides hold a device memory profile */
    struct memory_delta memory;
    bool has_notes; /* ours: what the figures do not tell, in sentences and by op */
    struct string_list notes;
    struct unlisted_op *unlisted_ops;
    size_t unlisted_op_count;
};

/* For documents that hold a comparison. */
extern const struct record comparison_record;

/* The JSON form; a new reference. */
json_t *comparison_to_json(const struct comparison *comparison);

#endif
