/* How steps of two sides spread: how many of them took how long. For pictures; it decides nothing.
 */
#ifndef COMPARE_STATISTICS_STEP_BINS_H
#define COMPARE_STATISTICS_STEP_BINS_H

#include "ops/runtime/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct step_times {
    const double *us;     /* us[count]; those of the first side come first */
    size_t before, count; /* before: of the first side */
};

/* Steps from `from_us` on and before `until_us` (INFINITY: that long and longer). */
struct step_bin {
    double from_us, until_us;
    int64_t before, after;
};

struct step_bin_list {
    struct step_bin *items;
    size_t count;
};

/* Bins of one width, and one without an end for the few that are far longer than the rest; none
 * where a side has no step. */
void step_bins_make(const struct step_times *steps, struct arena *arena,
                    struct step_bin_list *ret_bins);

#endif
