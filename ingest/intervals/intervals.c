#include "ingest/intervals/intervals.h"

#include <stdlib.h>

enum { LIST_FIRST = 8, LIST_CHUNK = 8 * 1024 };

void interval_list_init(struct interval_list *list, struct spill *spill, struct arena *budget)
{
    *list = (struct interval_list){.spill = spill, .budget = budget};
}

void interval_list_done(struct interval_list *list)
{
    if (list->budget != NULL)
        arena_release(list->budget, list->capacity * sizeof *list->items);
    free(list->items);
    free(list->chunks);
    *list = (struct interval_list){0};
}

/* ---- filling --------------------------------------------------------------------------------- */

static bool items_grow(struct interval_list *list, struct err *err)
{
    size_t capacity = list->capacity == 0 ? LIST_FIRST : 2 * list->capacity;
    size_t more_bytes = (capacity - list->capacity) * sizeof *list->items;
    if (list->budget != NULL && !arena_reserve(list->budget, more_bytes))
        return arena_failed(list->budget, "the times at which devices were busy", err);
    list->items = memory_resize(list->items, capacity * sizeof *list->items);
    list->capacity = capacity;
    return true;
}

/* Moves the first `count` items to the spill. */
static bool items_spill(struct interval_list *list, size_t count, struct err *err)
{
    if (list->chunk_count == list->chunk_capacity) {
        list->chunk_capacity = list->chunk_capacity == 0 ? LIST_FIRST : 2 * list->chunk_capacity;
        list->chunks = memory_resize(list->chunks, list->chunk_capacity * sizeof *list->chunks);
    }
    list->chunks[list->chunk_count++] = (struct interval_chunk){list->spill->size_bytes, count};
    if (!spill_write(list->spill, list->items, count * sizeof *list->items, err))
        return false;
    list->count -= count;
    memmove(list->items, list->items + count, list->count * sizeof *list->items);
    return true;
}

bool interval_list_append(struct interval_list *list, int64_t start, int64_t end, struct err *err)
{
    /* The last one stays: the next interval may lengthen it. */
    if (list->count == LIST_CHUNK && !items_spill(list, LIST_CHUNK - 1, err))
        return false;
    if (list->count == list->capacity && !items_grow(list, err))
        return false;
    list->items[list->count++] = (struct interval){start, end};
    if (!list->any)
        list->first_start = start;
    if (!list->any || end > list->last_end)
        list->last_end = end;
    list->any = true;
    return true;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* What was spilled is read into the items, so their rest has to go to the spill first. */
static bool reading_begin(struct interval_list *list, struct err *err)
{
    list->next = list->next_chunk = 0;
    if (list->chunk_count == 0)
        return true;
    if (!list->sealed && list->count > 0 && !items_spill(list, list->count, err))
        return false;
    list->sealed = true;
    list->count = 0;
    return spill_flush(list->spill, err);
}

/* Makes items[next] the next interval; *ret_any tells whether there is one. */
static bool reading_next(struct interval_list *list, bool *ret_any, struct err *err)
{
    *ret_any = true;
    if (list->next < list->count)
        return true;
    *ret_any = list->next_chunk < list->chunk_count;
    if (!*ret_any)
        return true;
    const struct interval_chunk *chunk = &list->chunks[list->next_chunk++];
    list->count = chunk->count;
    list->next = 0;
    return spill_read(list->spill, chunk->offset, list->items, chunk->count * sizeof *list->items,
                      err);
}

/* ---- sweep ----------------------------------------------------------------------------------- */

static int64_t next_start(const struct sweep_input *input)
{
    return input->list->items[input->list->next].start;
}

static void sink(struct sweep *sweep, size_t at)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= sweep->count)
            return;
        if (child + 1 < sweep->count &&
            next_start(&sweep->inputs[child + 1]) < next_start(&sweep->inputs[child]))
            child++;
        if (next_start(&sweep->inputs[at]) <= next_start(&sweep->inputs[child]))
            return;
        struct sweep_input moved = sweep->inputs[at];
        sweep->inputs[at] = sweep->inputs[child];
        sweep->inputs[child] = moved;
        at = child;
    }
}

/* Reports the time up to `to`, in stretches of equal activity. */
static void advance(struct sweep *sweep, int64_t to)
{
    while (sweep->now < to) {
        unsigned classes = 0;
        int64_t until = to;
        for (unsigned left = sweep->active; left != 0; left &= left - 1) {
            unsigned class = (unsigned)__builtin_ctz(left);
            if (sweep->ends[class] <= sweep->now)
                continue;
            classes |= 1U << class;
            if (sweep->ends[class] < until)
                until = sweep->ends[class];
        }
        sweep->active = classes;
        sweep->segment(sweep->context, sweep->now, until, classes);
        sweep->now = until;
    }
}

static void next_start_note(struct sweep *sweep)
{
    sweep->next_start = sweep->count == 0 ? INT64_MAX : next_start(&sweep->inputs[0]);
}

bool sweep_begin(struct sweep *sweep, struct sweep_input *inputs, size_t count,
                 struct interval window, struct err *err)
{
    sweep->inputs = inputs;
    sweep->count = 0;
    sweep->window = window;
    sweep->now = window.start;
    sweep->active = 0;
    for (unsigned i = 0; i < SWEEP_CLASSES; i++)
        sweep->ends[i] = window.start;
    for (size_t i = 0; i < count; i++) {
        bool any;
        if (!reading_begin(inputs[i].list, err) || !reading_next(inputs[i].list, &any, err))
            return false;
        if (any)
            inputs[sweep->count++] = inputs[i];
    }
    for (size_t i = sweep->count; i-- > 0;)
        sink(sweep, i);
    next_start_note(sweep);
    return true;
}

void sweep_take(struct sweep *sweep, unsigned class, int64_t start, int64_t end)
{
    if (end > sweep->window.end)
        end = sweep->window.end;
    if (start >= end || end <= sweep->ends[class])
        return;
    advance(sweep, start);
    sweep->ends[class] = end;
    sweep->active |= 1U << class;
}

bool sweep_drain(struct sweep *sweep, int64_t start, struct err *err)
{
    while (sweep->count > 0 && sweep->next_start <= start) {
        struct sweep_input *first = &sweep->inputs[0];
        struct interval interval = first->list->items[first->list->next++];
        sweep_take(sweep, first->class, interval.start, interval.end);
        bool any;
        if (!reading_next(first->list, &any, err))
            return false;
        if (!any)
            *first = sweep->inputs[--sweep->count];
        sink(sweep, 0);
        next_start_note(sweep);
    }
    return true;
}

bool sweep_end(struct sweep *sweep, struct err *err)
{
    if (!sweep_drain(sweep, INT64_MAX, err))
        return false;
    advance(sweep, sweep->window.end);
    return true;
}
