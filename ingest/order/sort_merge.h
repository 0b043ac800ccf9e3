/* Merging runs of events that ascend each, in memory or coming piece by piece from elsewhere.
 *
 * What stays in order for long is copied at the price of one comparison an event; a heap decides
 * only when another run takes over. Pure but for refilling.
 */
#ifndef INGEST_ORDER_SORT_MERGE_H
#define INGEST_ORDER_SORT_MERGE_H

#include "ops/runtime/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An event while it is sorted: what cannot be computed again. */
struct sort_record {
    int64_t offset_ps, duration_ps;
    uint64_t place; /* as written */
    int32_t op;
    uint32_t note; /* its number and 1; 0 = none */
};

/* At most INT64_MAX. */
static inline int64_t record_end(const struct sort_record *record)
{
    int64_t end;
    bool over = __builtin_add_overflow(record->offset_ps, record->duration_ps, &end);
    return over ? INT64_MAX : end;
}

/* By start; of those that start together the longest first. */
static inline bool record_before(const struct sort_record *a, const struct sort_record *b)
{
    return a->offset_ps != b->offset_ps ? a->offset_ps < b->offset_ps
                                        : record_end(a) > record_end(b);
}

struct sort_run {
    const struct sort_record *at, *end;
};

/* Gives an empty run its next piece, which may be empty. */
typedef bool sort_refill(void *context, size_t run, struct sort_run *ret_piece, struct err *err);

struct sort_merge {
    struct sort_run *runs; /* the caller's; earlier ones first among equals */
    size_t run_count;
    uint32_t *heap; /* the caller's, room for run_count */
    size_t heap_count;
    sort_refill *refill; /* NULL = runs are whole */
    void *context;
};

/* Begins with the runs, refilling those that are empty. */
bool sort_merge_begin(struct sort_merge *merge, struct err *err);

/* Writes up to `most` records to out; fewer only at the end. */
bool sort_merge_take(struct sort_merge *merge, struct sort_record *out, size_t most,
                     size_t *ret_count, struct err *err);

/* The next record, NULL at the end. */
static inline const struct sort_record *sort_merge_peek(const struct sort_merge *merge)
{
    return merge->heap_count == 0 ? NULL : merge->runs[merge->heap[0]].at;
}

#endif
