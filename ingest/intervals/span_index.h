/* When something went on: stretches of time, to be asked how much of them lies in another one. */
#ifndef INGEST_INTERVALS_SPAN_INDEX_H
#define INGEST_INTERVALS_SPAN_INDEX_H

#include "ops/runtime/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct time_span {
    int64_t start_ps, end_ps;
};

struct span_index {
    const struct time_span *items; /* ascending, apart from each other */
    const int64_t *before;         /* length of all items before it */
    size_t count;
};

/* Sorts and joins spans[count], which must stay. */
void span_index_make(struct time_span *spans, size_t count, struct arena *arena,
                     struct span_index *ret_index);

/* How much of start..end the spans cover. */
int64_t span_index_within(const struct span_index *index, int64_t start_ps, int64_t end_ps);

#endif
