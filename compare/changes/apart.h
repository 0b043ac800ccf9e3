/* Single runs far from the runs around them. A gate sets them aside, a trend marks them: one
 * definition for both. */
#ifndef COMPARE_CHANGES_APART_H
#define COMPARE_CHANGES_APART_H

#include "ops/runtime/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* A run is compared with so many before it and behind it; of fewer than APART_MIN_RUNS none is far
 * off. */
enum { APART_REACH = 4, APART_MIN_RUNS = 6 };

struct apart {
    double *by;      /* [count] from the median of the neighbours on the side that is nearer */
    double least;    /* beyond it a run stands apart: 4.5 deviations, or what matters */
    double farthest; /* the same, so that no more than a fifth of the runs do */
};

/* Of values[count], logarithms of times, oldest first; matters: the least distance that counts, in
 * the same unit. Fewer than APART_MIN_RUNS: none is (least and farthest INFINITY). false: beyond
 * the budget. */
bool apart_find(const double *values, size_t count, double matters, struct arena *arena,
                struct apart *ret_apart);

/* How far values[index] is from the median of its neighbours on the side that is nearer; count >=
 * 2. */
double apart_by(const double *values, size_t count, size_t index);

/* The median of values[first..end), at most APART_REACH of them; NAN of none. */
double apart_median(const double *values, size_t first, size_t end);

#endif
