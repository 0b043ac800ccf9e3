/* Hands over the events of a line that is out of order as if it were in order: the reference's,
 * doubles in µs, and ours, picoseconds, side by side.
 *
 * Lines are nearly always in order, and those that are not are so nearby: what was started together
 * was written in another order. So events wait in a window until it is full, and its earlier half
 * is then taken to be complete. Should an event come later that belongs into what was handed over,
 * the sorter is late: the line has to be read again, with everything sorted before anything is
 * handed over, through a temporary file when the window is too small for it.
 *
 * Times in µs are rounded from those in picoseconds, so both orders are the same but for events
 * that begin at the same rounded µs. Stable: equal events stay as they were written.
 */
#ifndef INGEST_ORDER_SORTER_H
#define INGEST_ORDER_SORTER_H

#include "ingest/order/event.h"
#include "ingest/wire/wire.h"
#include "ops/runtime/err.h"

struct sorter;

/* Begins a line; base_us is what its times in µs count from. is_far: sort everything first. A
 * sorter that is NULL is made, another one keeps its memory. sorter_free accepts NULL. */
void sorter_begin(struct sorter **sorter, double base_us, bool is_far);
void sorter_free(struct sorter *sorter);

/* What the sorter wants next. */
enum sorter_state {
    SORTER_FILLING, /* events: sorter_add or sorter_end */
    SORTER_READY,   /* sorter_next */
    SORTER_LATE     /* to be given up */
};
enum sorter_state sorter_state(const struct sorter *sorter);

/* Takes the events of a batch. ERR_FULL when the temporary file's disk is full. */
bool sorter_add(struct sorter *sorter, const struct event_batch *batch, size_t count,
                struct err *err);

/* No more events come. ERR_FULL as above. */
bool sorter_end(struct sorter *sorter, struct err *err);

/* The next events in both orders; none at the end. ERR_LIMIT when more begin at one time than fit
 * in memory. */
bool sorter_next(struct sorter *sorter, struct two_orders *ret_orders, struct err *err);

/* Whether what was taken so far was out of order. */
bool sorter_saw_disorder_us(const struct sorter *sorter);
bool sorter_saw_disorder_ps(const struct sorter *sorter);

#endif
