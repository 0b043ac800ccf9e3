#include "ingest/order/sorter.h"
#include "ingest/order/sort_radix.h"
#include "ingest/order/sort_spill.h"
#include "ops/runtime/arena.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A line that is nearly in order needs little of a window, which then stays in the cache. */
enum {
    NEAR_RECORDS = 32 * 1024,
    FAR_RECORDS = 64 * 1024, /* 2 MiB */
    TIED_MOST = 128 * 1024,  /* that begin at the same µs */
    HANDED_RECORDS = 16 * 1024,
    FIRST_RECORDS = 1024,
    RUNS_MOST = 512 /* more are no order worth merging */
};

struct sorter {
    double base_us;
    bool is_far, is_ended, is_late, is_messy;
    struct sort_record *window; /* in order of writing */
    size_t count, capacity;
    struct sort_run runs[RUNS_MOST]; /* of the window */
    size_t run_starts[RUNS_MOST], run_count;
    uint32_t heap[RUNS_MOST];
    struct sort_record *ready, *ready_us; /* what is handed over; ready_us in another order */
    size_t ready_count, ready_capacity, ready_us_capacity, at;
    bool differs;     /* ready_us counts */
    double handed_us; /* start of the last one */
    uint64_t place;
    struct event_order order; /* of the events that were taken */
    bool disorder_us, disorder_ps;
    struct note_slots notes;
    struct sort_spill spill;
    struct sort_merge merge; /* of the spill, once ended */
};

void sorter_begin(struct sorter **sorter, double base_us, bool is_far)
{
    struct sorter fresh = {
        .base_us = base_us, .is_far = is_far, .handed_us = -INFINITY, .order = event_order_begin()};
    if (*sorter == NULL) {
        *sorter = memory_zalloc(1, sizeof fresh);
        sort_spill_init(&(*sorter)->spill, NULL);
    }
    struct sorter *old = *sorter;
    note_slots_done(&old->notes);
    sort_spill_done(&old->spill);
    fresh.window = old->window;
    fresh.capacity = old->capacity;
    fresh.ready = old->ready;
    fresh.ready_capacity = old->ready_capacity;
    fresh.ready_us = old->ready_us;
    fresh.ready_us_capacity = old->ready_us_capacity;
    *old = fresh;
    sort_spill_init(&old->spill, &old->notes);
}

/* Frees what events were sorted in. */
static void memory_forget(struct sorter *sorter)
{
    free(sorter->window);
    free(sorter->ready);
    free(sorter->ready_us);
    sorter->window = sorter->ready = sorter->ready_us = NULL;
    sorter->capacity = sorter->ready_capacity = sorter->ready_us_capacity = 0;
}

void sorter_free(struct sorter *sorter)
{
    if (sorter == NULL)
        return;
    memory_forget(sorter);
    note_slots_done(&sorter->notes);
    sort_spill_done(&sorter->spill);
    free(sorter);
}

/* ---- the window ------------------------------------------------------------------------------ */

static void window_reserve(struct sorter *sorter, size_t more)
{
    if (sorter->count + more <= sorter->capacity)
        return;
    sorter->capacity = sorter->capacity == 0 ? FIRST_RECORDS : 2 * sorter->capacity;
    sorter->window = memory_resize(sorter->window, sorter->capacity * sizeof *sorter->window);
}

/* Beyond the last run that there is room for, order is not looked at: that run has to be sorted. */
static void window_append(struct sorter *sorter, const struct sort_record *record)
{
    bool follows = sorter->count > 0 && !record_before(record, &sorter->window[sorter->count - 1]);
    if (!follows && sorter->run_count < RUNS_MOST)
        sorter->run_starts[sorter->run_count++] = sorter->count;
    else if (!follows)
        sorter->is_messy = true;
    sorter->window[sorter->count++] = *record;
}

/* Begins the merge of the window's runs. ready has room for them. */
static bool window_merge(struct sorter *sorter, struct sort_merge *ret_merge, struct err *err)
{
    const size_t count = sorter->count;
    for (size_t i = 0; i < sorter->run_count; i++) {
        size_t begin = sorter->run_starts[i];
        size_t end = i + 1 < sorter->run_count ? sorter->run_starts[i + 1] : count;
        sorter->runs[i] = (struct sort_run){sorter->window + begin, sorter->window + end};
        if (end == count && sorter->is_messy)
            sort_radix(sorter->window + begin, end - begin, sorter->ready);
    }
    *ret_merge = (struct sort_merge){
        .runs = sorter->runs, .run_count = sorter->run_count, .heap = sorter->heap};
    return sort_merge_begin(ret_merge, err);
}

/* Keeps of the window what the merge has left. */
static void window_compact(struct sorter *sorter)
{
    size_t kept = 0, runs = 0;
    for (size_t i = 0; i < sorter->run_count; i++) {
        size_t left = (size_t)(sorter->runs[i].end - sorter->runs[i].at);
        if (left == 0)
            continue;
        memmove(sorter->window + kept, sorter->runs[i].at, left * sizeof *sorter->window);
        sorter->run_starts[runs++] = kept;
        kept += left;
    }
    sorter->count = kept;
    sorter->run_count = runs;
    sorter->is_messy = false;
}

/* ---- handing over ---------------------------------------------------------------------------- */

static double time_us(const struct sorter *sorter, const struct sort_record *record)
{
    return sorter->base_us + (double)record->offset_ps / 1e6;
}

/* Of two events that begin at the same µs: whether a comes first for the reference. */
static inline bool before_us(double start, const struct sort_record *a, const struct sort_record *b)
{
    double a_end = start + (double)a->duration_ps / 1e6;
    double b_end = start + (double)b->duration_ps / 1e6;
    return a_end != b_end ? a_end > b_end : a->place < b->place;
}

static int compare_us(const void *a, const void *b, void *start)
{
    return before_us(*(double *)start, a, b) ? -1 : before_us(*(double *)start, b, a);
}

/* The first event that is not where it is in the order of µs; ready_count when all are. */
static size_t first_misplaced_us(const struct sorter *sorter)
{
    const struct sort_record *ready = sorter->ready;
    double before = -INFINITY;
    for (size_t i = 0; i < sorter->ready_count; i++) {
        const double start = time_us(sorter, &ready[i]);
        if (start == before && before_us(start, &ready[i], &ready[i - 1]))
            return i;
        before = start;
    }
    return sorter->ready_count;
}

/* Makes the order of µs from that of picoseconds, from the first place at which they differ. */
static void ready_order_us(struct sorter *sorter)
{
    size_t first = first_misplaced_us(sorter);
    sorter->differs = first < sorter->ready_count;
    if (!sorter->differs)
        return;
    if (sorter->ready_us_capacity < sorter->ready_capacity) {
        sorter->ready_us_capacity = sorter->ready_capacity;
        sorter->ready_us =
            memory_resize(sorter->ready_us, sorter->ready_us_capacity * sizeof *sorter->ready_us);
    }
    struct sort_record *us = sorter->ready_us;
    memcpy(us, sorter->ready, sorter->ready_count * sizeof *us);
    double start = time_us(sorter, &us[first]);
    while (first > 0 && time_us(sorter, &us[first - 1]) == start)
        first--;
    for (size_t i = first + 1; i <= sorter->ready_count; i++) {
        const double next = i < sorter->ready_count ? time_us(sorter, &us[i]) : INFINITY;
        if (next == start)
            continue;
        sort_few(us + first, i - first, compare_us, &start);
        first = i;
        start = next;
    }
}

static void ready_reserve(struct sorter *sorter, size_t capacity)
{
    if (sorter->ready_capacity >= capacity)
        return;
    sorter->ready_capacity = capacity;
    sorter->ready = memory_resize(sorter->ready, capacity * sizeof *sorter->ready);
}

static void ready_release(struct sorter *sorter)
{
    for (size_t i = 0; i < sorter->ready_count; i++)
        note_release(&sorter->notes, sorter->ready[i].note);
    sorter->ready_count = sorter->at = 0;
}

/* Takes `most` events from the merge, and those that begin at the same µs as the last. */
static bool ready_fill(struct sorter *sorter, struct sort_merge *merge, size_t most,
                       struct err *err)
{
    size_t more = 1;
    if (!sort_merge_take(merge, sorter->ready, most, &sorter->ready_count, err))
        return false;
    while (more == 1 && sorter->ready_count > 0) {
        const struct sort_record *next = sort_merge_peek(merge);
        const struct sort_record *last = &sorter->ready[sorter->ready_count - 1];
        if (next == NULL || time_us(sorter, next) != time_us(sorter, last))
            break;
        if (sorter->ready_count == sorter->ready_capacity)
            return err_set(
                err, ERR_LIMIT,
                "more events of an unsorted line begin at the same time than fit in memory");
        if (!sort_merge_take(merge, sorter->ready + sorter->ready_count, 1, &more, err))
            return false;
        sorter->ready_count += more;
    }
    ready_order_us(sorter);
    return true;
}

/* Hands over the earlier half of the window, or all of it at the end. */
static bool window_hand(struct sorter *sorter, struct err *err)
{
    struct sort_merge merge;
    size_t most = sorter->is_ended ? sorter->count : sorter->count / 2;
    ready_reserve(sorter, sorter->capacity);
    if (!window_merge(sorter, &merge, err) || !ready_fill(sorter, &merge, most, err))
        return false;
    window_compact(sorter);
    if (sorter->ready_count > 0)
        sorter->handed_us = time_us(sorter, &sorter->ready[sorter->ready_count - 1]);
    sorter->is_late = !sorter->is_ended && sorter->count == 0;
    return true;
}

static bool window_spill(struct sorter *sorter, struct err *err)
{
    struct sort_merge merge;
    size_t count;
    ready_reserve(sorter, sorter->capacity);
    if (!window_merge(sorter, &merge, err) ||
        !sort_merge_take(&merge, sorter->ready, sorter->count, &count, err))
        return false;
    window_compact(sorter);
    return sort_spill_add(&sorter->spill, sorter->ready, count, err);
}

/* ---- in -------------------------------------------------------------------------------------- */

enum sorter_state sorter_state(const struct sorter *sorter)
{
    if (sorter->is_late)
        return SORTER_LATE;
    return sorter->is_ended || sorter->at < sorter->ready_count ? SORTER_READY : SORTER_FILLING;
}

static void event_take(struct sorter *sorter, const struct event *event,
                       const struct event_note *note)
{
    struct sort_record record = {event->offset_ps, event->duration_ps, sorter->place++, event->op,
                                 0};
    sorter->disorder_us |= !event_follows_us(&sorter->order, event);
    sorter->disorder_ps |= !event_follows_ps(&sorter->order, event);
    if (event->start_us <= sorter->handed_us)
        sorter->is_late = true;
    if (event->has_note)
        record.note = note_keep(&sorter->notes, note);
    window_append(sorter, &record);
}

bool sorter_add(struct sorter *sorter, const struct event_batch *batch, size_t count,
                struct err *err)
{
    assert(sorter_state(sorter) == SORTER_FILLING && count <= BATCH_EVENTS);
    ready_release(sorter);
    window_reserve(sorter, count);
    for (size_t i = 0; i < count && !sorter->is_late; i++)
        event_take(sorter, &batch->events[i], &batch->notes[i]);
    if (sorter->is_late ||
        sorter->count + BATCH_EVENTS <= (sorter->is_far ? FAR_RECORDS : NEAR_RECORDS))
        return true;
    return sorter->is_far ? window_spill(sorter, err) : window_hand(sorter, err);
}

bool sorter_end(struct sorter *sorter, struct err *err)
{
    ready_release(sorter);
    sorter->is_ended = true;
    if (sorter->spill.count == 0)
        return true;
    if (!window_spill(sorter, err))
        return false;
    memory_forget(sorter); /* a merge has pieces of its own */
    ready_reserve(sorter, TIED_MOST);
    return sort_spill_merge(&sorter->spill, &sorter->merge, err);
}

/* ---- out ------------------------------------------------------------------------------------- */

static void batch_write(const struct sorter *sorter, const struct sort_record *records,
                        size_t count, struct event_batch *batch)
{
    for (size_t i = 0; i < count; i++) {
        const struct sort_record *record = &records[i];
        batch->events[i] = (struct event){.start_us = time_us(sorter, record),
                                          .duration_us = (double)record->duration_ps / 1e6,
                                          .offset_ps = record->offset_ps,
                                          .duration_ps = record->duration_ps,
                                          .op = record->op,
                                          .has_note = record->note != 0};
        if (record->note != 0)
            batch->notes[i] = *note_of(&sorter->notes, record->note);
    }
}

bool sorter_next(struct sorter *sorter, struct two_orders *ret_orders, struct err *err)
{
    if (sorter->at == sorter->ready_count) {
        ready_release(sorter);
        bool more = sorter->spill.count == 0
                        ? window_hand(sorter, err)
                        : ready_fill(sorter, &sorter->merge, HANDED_RECORDS, err);
        if (!more)
            return false;
    }
    const size_t at = sorter->at, left = sorter->ready_count - at;
    const size_t count = left < BATCH_EVENTS ? left : BATCH_EVENTS;
    ret_orders->count = count;
    ret_orders->differs = sorter->differs;
    batch_write(sorter, sorter->ready + at, count,
                sorter->differs ? &ret_orders->ps : &ret_orders->us);
    if (sorter->differs)
        batch_write(sorter, sorter->ready_us + at, count, &ret_orders->us);
    sorter->at += count;
    return true;
}

bool sorter_saw_disorder_us(const struct sorter *sorter)
{
    return sorter->disorder_us;
}

bool sorter_saw_disorder_ps(const struct sorter *sorter)
{
    return sorter->disorder_ps;
}
