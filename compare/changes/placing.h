/* Where changes begin and between which levels they lie: one definition for all that tells of them.
 *
 * How long a level is at least when changes are looked for guards against noise; the same rule
 * would stretch a level that began a few values ago, and make it lower than it is. So each change
 * that was found goes where it explains the values best between its neighbours, whatever length
 * that leaves: confirmed ones as if there were no others, suspected ones between these. A confirmed
 * change lies between the levels that end at other confirmed ones, or at a suspected one that
 * stands out of the noise it leaves (it does not last yet, or runs are few): a bump that went back
 * is as high for its begin as for its end. Other suspected ones part nobody's levels but their own.
 * At last each goes where the values as they are say, of which one that is none like its level
 * costs a bounded amount: among neighbours on both sides of a change a stray one makes others
 * look like outliers, and pulls the change past them. Stays in its room.
 */
#ifndef COMPARE_CHANGES_PLACING_H
#define COMPARE_CHANGES_PLACING_H

#include "compare/changes/pieces.h"

#define PLACING_PENALTY \
    4.5 /* a change stands out: of the logarithm of the count, times the \
           long-run variance */

struct level_start {
    size_t place;
    bool is_sure, is_sloped; /* a line begins there, not a level */
    size_t number;           /* the caller's */
    bool is_apart;           /* ret: it is the end of levels for others */
    struct piece around[2];  /* ret: it lies between these */
};

struct placing {
    const double *values; /* [count], without outliers (outliers.h) and what is common to all */
    const double *sides;  /* the same with both ends of each level */
    const double *raw;    /* the same with all outliers */
    size_t count, shared; /* shared: what was fitted to all values before */
    struct arena *arena;
    struct level_start *starts; /* by place, the first at 0; moved, and dropped where a sure one
                                   went past them */
    size_t start_count;
    struct piece *pieces;          /* ret: what lies between those apart... */
    struct piece_noise noise;      /* ...and leaves */
    struct piece_noise least;      /* ret: what all of them leave */
    const struct piece_sums *sums; /* ret */
    double *costs;                 /* [count], for the while of a call */
};

/* Moves them, and fills what comes back. */
void placing_settle(struct placing *placing);

/* The noise by which a start is told. */
const struct piece_noise *placing_noise(const struct placing *placing,
                                        const struct level_start *start);

/* The change lies from *ret_first to *ret_last, 95 %. */
void placing_range(const struct placing *placing, const struct level_start *start,
                   size_t *ret_first, size_t *ret_last);

#endif
