/* What the noise of a series is when its changes of level and its drift are taken out.
 *
 * A series that wanders by itself (neighbours alike) and one that jumps look the same to a test
 * that takes values for independent: the first would be full of changes. So the alternatives are
 * weighed against each other: k levels, with or without a straight line common to all, and
 * first-order autoregressive noise about them, by n ln(e) - ln(1 - rho^2) + (2 k + 2.25 line) ln n
 * where e is the mean square of what neighbours do not tell, and rho is their correlation,
 * corrected for what fitting took away and at most .7: what follows its neighbour closer is
 * movement, not noise. The long-run variance v (1 + rho) / (1 - rho) is that of a mean of many
 * values, times their number.
 */
#ifndef COMPARE_CHANGES_LEVEL_NOISE_H
#define COMPARE_CHANGES_LEVEL_NOISE_H

#include "ops/runtime/arena.h"

#include <stdbool.h>
#include <stddef.h>

#define LEVEL_ROUNDING_VARIANCE \
    1e-12 /* of values with a range of 1: what is smaller is rounding \
           */

struct level_noise {
    double slope;             /* of the line, a value; 0 when none is needed */
    double variance, rho;     /* of the noise, and its lag-1 correlation */
    double long_run_variance; /* variance of a mean of m values is about this / m */
};

/* So far apart are changes of which one is only suspected, in a series that is not short. */
enum { LEVEL_SUSPECTED_COUNT = 5 };

/* How many values a level holds at least when changes are looked for, in a series of so many: 12,
 * or a fifth, or 3. */
size_t level_min_count(size_t count);

/* Of values[count], count >= 3, finite, about 0 and with a range of about 1. */
void level_noise_fit(const double *values, size_t count, struct arena *arena,
                     struct level_noise *ret_noise);

#endif
