/* An event of a line, as it is handed from the reader through a sort to who adds it up.
 */
#ifndef INGEST_ORDER_EVENT_H
#define INGEST_ORDER_EVENT_H

#include "ingest/wire/wire.h"
#include "schema/documents/optional.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event {
    double start_us, duration_us;
    int64_t offset_ps, duration_ps; /* from the line's timestamp_ns */
    int32_t op;
    bool has_note; /* of its own; else the op's counts */
};

/* End from the line's timestamp, at most INT64_MAX. */
static inline int64_t event_end(const struct event *event)
{
    int64_t end;
    return __builtin_add_overflow(event->offset_ps, event->duration_ps, &end) ? INT64_MAX : end;
}

/* Whether events follow each other by (start, -end), each in its own unit, as the last one stands.
 */
struct event_order {
    double start_us, end_us;
    int64_t start_ps, end_ps;
};

/* Before the first event, which follows. */
static inline struct event_order event_order_begin(void)
{
    return (struct event_order){-INFINITY, INFINITY, INT64_MIN, INT64_MAX};
}

static inline bool event_follows_us(struct event_order *last, const struct event *event)
{
    const double start = event->start_us, end = start + event->duration_us;
    const bool follows = start > last->start_us || (start == last->start_us && end <= last->end_us);
    last->start_us = start;
    last->end_us = end;
    return follows;
}

static inline bool event_follows_ps(struct event_order *last, const struct event *event)
{
    const int64_t start = event->offset_ps, end = event_end(event);
    const bool follows = start > last->start_ps || (start == last->start_ps && end <= last->end_ps);
    last->start_ps = start;
    last->end_ps = end;
    return follows;
}

/* A run id: a number, or a text when it is none. */
struct run_id {
    bool set;
    uint32_t text; /* STRING_NONE: the number counts */
    int64_t number;
};

/* What differs from event to event. */
struct event_note {
    struct run_id run_id;
    struct opt_i64 step;
    struct opt_i64 correlation;
    struct opt_i64 group; /* that a viewer gave to all events of a step; of stored lines alone */
    bool is_root;         /* a StepTraceAnnotation */
};

/* Events with their notes, where they have them. */
struct event_batch {
    struct event events[BATCH_EVENTS];
    struct event_note notes[BATCH_EVENTS];
};

/* A batch in the order of µs and, where that may be another, of picoseconds. */
struct two_orders {
    struct event_batch us, ps;
    size_t count;
    bool differs; /* ps counts */
};

static inline const struct event_batch *orders_ps(const struct two_orders *orders)
{
    return orders->differs ? &orders->ps : &orders->us;
}

/* Copies an event, and its note where it has one, to a place in the same batch or in another. */
static inline void batch_copy(struct event_batch *to, size_t at, const struct event_batch *from,
                              size_t index)
{
    to->events[at] = from->events[index];
    if (from->events[index].has_note)
        to->notes[at] = from->notes[index];
}

#endif
