#include "ingest/order/ties.h"

#include <string.h>

void ties_begin(struct ties *ties)
{
    ties->taken = ties->handed = event_order_begin();
    ties->held_count = 0;
    ties->any = false;
}

void ties_resume(struct ties *ties, struct two_orders *orders)
{
    for (size_t i = 0; i < ties->held_count; i++)
        batch_copy(&orders->us, i, &ties->held, i);
    orders->count = ties->held_count;
    orders->differs = false;
    ties->held_count = 0;
}

/* Whether two neighbours in order of picoseconds change places. */
static inline bool is_misplaced(const struct event *before, const struct event *event)
{
    return event->start_us == before->start_us &&
           event->start_us + event->duration_us > before->start_us + before->duration_us;
}

/* Where the events begin that tie with the last one. */
static size_t tail_begin(const struct event *events, size_t count)
{
    size_t begin = count - 1;
    while (begin > 0 && events[begin - 1].start_us == events[count - 1].start_us)
        begin--;
    return begin;
}

/* Puts event `at` in its place among those before it that it ties with. */
static void tie_insert(struct event_batch *batch, size_t at)
{
    const struct event event = batch->events[at];
    const struct event_note note = event.has_note ? batch->notes[at] : (struct event_note){0};
    for (; at > 0 && is_misplaced(&batch->events[at - 1], &event); at--)
        batch_copy(batch, at, batch, at - 1);
    batch->events[at] = event;
    if (event.has_note)
        batch->notes[at] = note;
}

/* Makes both orders of that of picoseconds, from the first event on that changes places. */
static void batch_order(struct two_orders *orders, size_t first)
{
    struct event_batch *us = &orders->us;
    orders->differs = true;
    memcpy(orders->ps.events, us->events, orders->count * sizeof *us->events);
    for (size_t i = 0; i < orders->count; i++) {
        if (us->events[i].has_note)
            orders->ps.notes[i] = us->notes[i];
    }
    for (size_t i = first; i < orders->count; i++) {
        if (is_misplaced(&us->events[i - 1], &us->events[i]))
            tie_insert(us, i);
    }
}

/* Whether the events from `from` on are in order of picoseconds, and begin no earlier in µs. */
static bool events_follow(struct ties *ties, const struct two_orders *orders, size_t from)
{
    const struct event *events = orders->us.events;
    for (size_t i = from; i < orders->count; i++) {
        if (!event_follows_ps(&ties->taken, &events[i]) ||
            events[i].start_us < ties->taken.start_us)
            return false;
        ties->taken.start_us = events[i].start_us;
    }
    return true;
}

/* Leaves out of the batch what ties with its end. */
static void tail_hold(struct ties *ties, struct two_orders *orders)
{
    const size_t begin = tail_begin(orders->us.events, orders->count);
    if (begin == 0)
        return; /* what is yet to come may have to lie before it, which is noticed then */
    for (size_t i = begin; i < orders->count; i++)
        batch_copy(&ties->held, ties->held_count++, &orders->us, i);
    orders->count = begin;
}

bool ties_order(struct ties *ties, size_t from, struct two_orders *orders)
{
    const struct event *events = orders->us.events;
    if (!events_follow(ties, orders, from))
        return false;
    if (from < orders->count)
        tail_hold(ties, orders);
    for (size_t i = 1; i < orders->count && !orders->differs; i++) {
        if (is_misplaced(&events[i - 1], &events[i]))
            batch_order(orders, i);
    }
    ties->any |= orders->differs;
    if (orders->count == 0)
        return true;
    const bool follows = event_follows_us(&ties->handed, &events[0]);
    (void)event_follows_us(&ties->handed, &events[orders->count - 1]);
    return follows;
}
