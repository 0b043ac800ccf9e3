/* One comparison against fixed thresholds, exactly as the reference's `track` (profile_summary.v1
 * §19): two points, no noise model, no steps means no failure. The gate is what should block. */
#ifndef COMPARE_REFERENCE_TRACK_H
#define COMPARE_REFERENCE_TRACK_H

#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"
#include "schema/documents/summary.h"
#include "schema/documents/track.h"

/* X(name, default, help): an increase above it (strictly) is a failure (_pct) or a warning (_abs).
 */
#define TRACK_THRESHOLDS(X) \
    X(max_step_median_regression_pct, 5.0, "median steady step, percent") \
    X(max_step_p90_regression_pct, 10.0, "90th percentile of steady steps, percent") \
    X(max_communication_share_regression_abs, 0.05, "share of communication") \
    X(max_stall_share_regression_abs, 0.05, "share of stalls")

struct track_thresholds {
#define TRACK_THRESHOLD_FIELD(name, standard, help) double name;
    TRACK_THRESHOLDS(TRACK_THRESHOLD_FIELD)
#undef TRACK_THRESHOLD_FIELD
};

/* Assesses a comparison, which becomes part of the result. ERR_INPUT: a side tells no times;
 * ERR_LIMIT beyond the budget. */
bool track_assess(const struct comparison *comparison, const struct track_thresholds *thresholds,
                  struct arena *arena, struct track_assessment *ret_assessment, struct err *err);

/* Where a summary came from, for a track record. */
struct track_side track_side_of(const struct summary *summary);

#endif
