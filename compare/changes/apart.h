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
    size_t settled;  /* of the runs behind it none is far off: they are a level that began */
};

/* Of values[count], logarithms of times, oldest first; matters: the least distance that counts, in
 * the same unit. Fewer than APART_MIN_RUNS: none is (least and farthest INFINITY). */
void apart_find(const double *values, size_t count, double matters, struct arena *arena,
                struct apart *ret_apart);

/* Whether that run is far from the runs around it. */
bool apart_is_far(const struct apart *apart, size_t index);

/* How many of the newest of values[count], three or four, stand apart from the four before them,
 * each by more than `least` to one side, and nearer to each other: of a level that began there two
 * runs on one side, or what the last one is beside the one before, say too little of how far one is
 * off. 0: they do not. */
size_t apart_fresh(const double *values, size_t count, double least);

/* How far values[index] is from the median of its neighbours on the side that is nearer; count >=
 * 2. */
double apart_by(const double *values, size_t count, size_t index);

/* The median of values[first..end), at most APART_REACH of them; NAN of none. */
double apart_median(const double *values, size_t first, size_t end);

#endif
