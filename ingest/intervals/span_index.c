#include "ingest/intervals/span_index.h"

#include "ingest/intervals/intervals.h"

#include <stdlib.h>

static int compare_spans(const void *a, const void *b)
{
    const struct time_span *left = a, *right = b;
    return (left->start_ps > right->start_ps) - (left->start_ps < right->start_ps);
}

void span_index_make(struct time_span *spans, size_t count, struct arena *arena,
                     struct span_index *ret_index)
{
    size_t kept = 0;
    int64_t *before = arena_array(arena, int64_t, count);
    if (count > 1)
        qsort(spans, count, sizeof *spans, compare_spans);
    for (size_t i = 0; i < count; i++) {
        struct time_span *last = kept > 0 ? &spans[kept - 1] : NULL;
        if (last == NULL || last->end_ps < spans[i].start_ps)
            spans[kept++] = spans[i];
        else if (last->end_ps < spans[i].end_ps)
            last->end_ps = spans[i].end_ps;
    }
    for (size_t i = 1; i < kept; i++) {
        before[i] = before[i - 1];
        ps_add(&before[i], ps_between(spans[i - 1].start_ps, spans[i - 1].end_ps));
    }
    *ret_index = (struct span_index){spans, before, kept};
}

/* Length of all spans before a time. */
static int64_t length_until(const struct span_index *index, int64_t time_ps)
{
    size_t low = 0, high = index->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (index->items[middle].start_ps < time_ps)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return 0;
    const struct time_span *last = &index->items[low - 1];
    int64_t length = index->before[low - 1];
    ps_add(&length, ps_between(last->start_ps, last->end_ps < time_ps ? last->end_ps : time_ps));
    return length;
}

int64_t span_index_within(const struct span_index *index, int64_t start_ps, int64_t end_ps)
{
    return start_ps < end_ps ? length_until(index, end_ps) - length_until(index, start_ps) : 0;
}
