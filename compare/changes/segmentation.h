/* Cuts a series into levels: the segments that minimise the sum of squared distances from their
 * means plus a penalty for each cut, exactly.
 *
 * Functional pruning (Maidstone, Hocking, Rigaill, Fearnhead 2017): for every possible level of the
 * newest segment the best last cut is kept, as pieces of the line of levels. Candidates that are
 * best nowhere are gone, so that time grows about as n log n, whether there are changes or none.
 * A segment shorter than min_length never arises: a cut becomes a candidate only when so many
 * values lie behind it.
 */
#ifndef COMPARE_CHANGES_SEGMENTATION_H
#define COMPARE_CHANGES_SEGMENTATION_H

#include "ops/runtime/arena.h"

#include <stdbool.h>
#include <stddef.h>

struct level_piece {
    double low, high; /* of the levels where... */
    size_t cut;       /* ...this last cut is the cheapest */
};

struct segmentation {
    const double *sums, *squares; /* [n + 1], of the values before each place */
    size_t count;                 /* n */
    double low, high;             /* the values lie there */
    double *costs;                /* [n + 1], of the best segmentation of the values before */
    size_t *cuts;                 /* [n + 1], the last cut of that */
    struct level_piece *pieces, *next;
    size_t capacity;
};

/* Prepares for values[count], which are finite; best centred about 0. */
struct segmentation *segmentation_new(const double *values, size_t count, struct arena *arena);

/* The best segmentation: ret_starts[n] gets the first index of each segment but the first,
 * ascending; returns their count. penalty > 0, min_length >= 1. */
size_t segmentation_cut(struct segmentation *segmentation, double penalty, size_t min_length,
                        size_t *ret_starts, struct arena *arena);

/* Sum of squared distances of values[from..to) from their mean. */
double segmentation_cost(const struct segmentation *segmentation, size_t from, size_t to);

#endif
