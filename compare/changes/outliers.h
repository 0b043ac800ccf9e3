/* Values without the weight of single ones. Stays in its room. */
#ifndef COMPARE_CHANGES_OUTLIERS_H
#define COMPARE_CHANGES_OUTLIERS_H

#include "ops/runtime/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* ret_clipped[count] gets values[count], finite, moved to within two deviations of the median of
 * nine neighbours: a jump that lasts stays, a value by itself loses its weight. The deviation is
 * that of differences of neighbours, which a change of level hardly moves. count >= 3. false:
 * beyond the budget. */
bool outliers_clip(const double *values, size_t count, struct arena *arena, double *ret_clipped);

/* The median of values[count]; scratch[count] is overwritten. */
double outliers_median(const double *values, size_t count, double *scratch);

#endif
