/* Where a course goes on otherwise: its changes of level, and where its drifts begin and end.
 *
 * A drift is over where its stretch ends (course.h): what runs do behind that is not where its line
 * leads. This is the one place that says so, for the trend that tells a drift and for the gate that
 * compares a candidate with the stretch it stands in. A change of level at an end of a drift is one
 * edge. Stays in compare/.
 */
#ifndef COMPARE_CHANGES_EDGES_H
#define COMPARE_CHANGES_EDGES_H

#include "compare/changes/course.h"

struct course_edge {
    size_t place;                             /* the first value behind it */
    const struct course_shift *shift;         /* the level changes; NULL: it does not */
    const struct course_slope *ends, *begins; /* the drift that does there; NULL: none */
};

struct course_edges {
    struct course_edge *items; /* by place, none at 0 or behind all values */
    size_t count;
};

/* Of a course of `count` values what is sure and larger than `matters`, a logarithm of a ratio.
 * They point into *found. A drift in all values has no edge. */
void course_edges_find(const struct course_findings *found, size_t count, double matters,
                       struct arena *arena, struct course_edges *ret_edges);

#endif
