/* Values without the weight of single ones. Stays in its room. */
#ifndef COMPARE_CHANGES_OUTLIERS_H
#define COMPARE_CHANGES_OUTLIERS_H

#include "ops/runtime/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* ret_clipped[count] gets values[count], finite, moved to within two deviations of the median of
 * nine neighbours: a jump that lasts stays, a value by itself loses its weight. The deviation is
 * that of differences of neighbours, which a change of level hardly moves. count >= 3. */
void outliers_clip(const double *values, size_t count, struct arena *arena, double *ret_clipped);

/* The same, to within two deviations of the neighbours on the side that is nearer (apart.h): values
 * at both ends of a level keep their weight, however short it is. It says where a level begins and
 * how high it is; changes are looked for by the other, of which a few values make none. */
void outliers_clip_sides(const double *values, size_t count, struct arena *arena,
                         double *ret_clipped);

/* The median of values[count]; scratch[count] is overwritten. */
double outliers_median(const double *values, size_t count, double *scratch);

#endif
