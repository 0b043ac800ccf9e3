/* The order of the reference for events that are in order of picoseconds as they are written.
 *
 * A double holds no picoseconds of a time of day: events whose starts differ begin at the same µs
 * there, and of those the one that ends last comes first. So the two orders differ within ties
 * alone, which are short; what ties with the end of a batch waits for the next one.
 */
#ifndef INGEST_ORDER_TIES_H
#define INGEST_ORDER_TIES_H

#include "ingest/order/event.h"

struct ties {
    struct event_order taken;  /* of the events so far, by picoseconds; by µs where they begin */
    struct event_order handed; /* µs of those that were handed over */
    struct event_batch held;   /* what ties with the end of the last batch */
    size_t held_count;
    bool any; /* events of the line changed places */
};

/* Before the first event of a line. */
void ties_begin(struct ties *ties);

/* Begins a batch with what was held; more events may come behind it. */
void ties_resume(struct ties *ties, struct two_orders *orders);

/* Takes the events of a batch from `from`, where those that were held end; none are left behind the
 * last ones. Orders the batch, which loses what is held for the next one. false: the line is not in
 * order of picoseconds, or in another one by µs than within ties, or more tie than fit into a
 * batch. */
bool ties_order(struct ties *ties, size_t from, struct two_orders *orders);

#endif
