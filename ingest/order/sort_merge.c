#include "ingest/order/sort_merge.h"

/* true when the record of run a comes before that of run b. */
static bool run_before(const struct sort_merge *merge, uint32_t a, uint32_t b)
{
    const struct sort_record *left = merge->runs[a].at, *right = merge->runs[b].at;
    return record_before(left, right) || (a < b && !record_before(right, left));
}

static void sink(struct sort_merge *merge, size_t at)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= merge->heap_count)
            return;
        if (child + 1 < merge->heap_count &&
            run_before(merge, merge->heap[child + 1], merge->heap[child]))
            child++;
        if (!run_before(merge, merge->heap[child], merge->heap[at]))
            return;
        uint32_t moved = merge->heap[at];
        merge->heap[at] = merge->heap[child];
        merge->heap[child] = moved;
        at = child;
    }
}

static bool run_refill(struct sort_merge *merge, uint32_t run, struct err *err)
{
    struct sort_run *piece = &merge->runs[run];
    return piece->at < piece->end || merge->refill == NULL ||
           merge->refill(merge->context, run, piece, err);
}

bool sort_merge_begin(struct sort_merge *merge, struct err *err)
{
    merge->heap_count = 0;
    for (uint32_t run = 0; run < merge->run_count; run++) {
        if (!run_refill(merge, run, err))
            return false;
        if (merge->runs[run].at < merge->runs[run].end)
            merge->heap[merge->heap_count++] = run;
    }
    for (size_t i = merge->heap_count / 2; i-- > 0;)
        sink(merge, i);
    return true;
}

/* The run that takes over from the first; the first itself when it is alone. */
static uint32_t second_of(const struct sort_merge *merge)
{
    const uint32_t *heap = merge->heap;
    if (merge->heap_count < 2)
        return heap[0];
    return merge->heap_count > 2 && run_before(merge, heap[2], heap[1]) ? heap[2] : heap[1];
}

/* Copies from the first run for as long as it stays the first. */
static size_t copy_first(struct sort_merge *merge, struct sort_record *out, size_t most)
{
    const uint32_t first = merge->heap[0], second = second_of(merge);
    struct sort_run *run = &merge->runs[first];
    const struct sort_record *at = run->at, *end = run->end, *limit = merge->runs[second].at;
    const struct sort_record *begin = at;
    if ((size_t)(end - at) > most)
        end = at + most;
    if (first == second)
        limit = NULL;
    while (at < end && (limit == NULL ||
                        (first < second ? !record_before(limit, at) : record_before(at, limit))))
        *out++ = *at++;
    run->at = at;
    return (size_t)(at - begin);
}

bool sort_merge_take(struct sort_merge *merge, struct sort_record *out, size_t most,
                     size_t *ret_count, struct err *err)
{
    size_t count = 0;
    while (count < most && merge->heap_count > 0) {
        uint32_t first = merge->heap[0];
        count += copy_first(merge, out + count, most - count);
        if (!run_refill(merge, first, err))
            return false;
        if (merge->runs[first].at == merge->runs[first].end)
            merge->heap[0] = merge->heap[--merge->heap_count];
        sink(merge, 0);
    }
    *ret_count = count;
    return true;
}
