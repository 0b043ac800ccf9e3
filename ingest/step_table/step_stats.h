/* Statistics of step durations: quantiles, two-means, periodicity (profile_summary.v1 §7).
 *
 * Pure arithmetic in the reference's order of operations; times in µs.
 */
#ifndef INGEST_STEP_TABLE_STEP_STATS_H
#define INGEST_STEP_TABLE_STEP_STATS_H

#include "ops/runtime/arena.h"
#include "schema/documents/summary.h"

#include <stddef.h>
#include <stdint.h>

struct step_value {
    int64_t number;
    double duration_us;
};

/* Linear interpolation between the two nearest of values[count], ascending; count > 0. */
double quantile(const double *values, size_t count, double q);

/* All absent but the count when there are no steps. values[count] need not be sorted; scratch has
 * room for as many. */
struct duration_stats duration_stats_of(const struct step_value *steps, size_t count,
                                        double *scratch);

/* Classes of the steady steps[count], ascending numbers: one `typical`, or `light` and `heavy`. */
void step_classes_build(const struct step_value *steps, size_t count, struct arena *arena,
                        struct step_class **ret_classes, size_t *ret_count);

#endif
