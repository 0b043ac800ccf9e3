/* Drifts that begin and end without a jump: pieces that meet. Stays in its room.
 *
 * Between two changes of level values may be level, drift, and be level again; pieces of their own
 * (pieces.h) cost a jump at each end of the drift that is none, and a line through all of it, or a
 * step against it, looks cheaper. So whether the values between two cuts are a level, a line, or a
 * line with a level before it, behind it, or on both sides is weighed by what each has to be told:
 * 4 ln n a slope, as pieces, and half of a cut (2.25 ln n) a knee, which is a place without a jump.
 * A cut that such a stretch explains as well is none.
 */
#ifndef COMPARE_CHANGES_BENDS_H
#define COMPARE_CHANGES_BENDS_H

#include "compare/changes/pieces.h"

/* Where values may be cut, beside where pieces are. */
struct bend_cuts {
    size_t *places; /* [count], upwards */
    size_t count;
};

/* Puts pieces that meet in the place of *pieces, of values[0..], where these are likelier about
 * them. */
void bends_weigh(const double *values, const struct bend_cuts *cuts, struct arena *arena,
                 struct piece_list *pieces);

#endif
