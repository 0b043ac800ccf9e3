/* Sorts the events of a line that is out of order: radix sort of chunks, spilled to a temporary
 * file beyond one chunk, then merged.
 *
 * Lines are nearly always in order, so this stays off the common path; what it must be is bounded:
 * one chunk in memory, whatever the line's length. Stable: equal events stay as they were written.
 */
#ifndef INGEST_SORTER_H
#define INGEST_SORTER_H

#include "ingest/line_reader.h"

struct sorter;

/* order is ORDER_US or ORDER_PS. NULL with ERR_LIMIT without memory. sorter_free accepts NULL. */
struct sorter *sorter_new(enum line_order order, struct err *err);
void sorter_free(struct sorter *sorter);

/* Takes events[count] with their notes. ERR_FULL when the temporary file's disk is full. */
bool sorter_add(struct sorter *sorter, const struct event *events, const struct event_note *notes,
                size_t count, struct err *err);

/* Ends the input. */
bool sorter_finish(struct sorter *sorter, struct err *err);

/* Writes up to BATCH_EVENTS in order; *ret_count is 0 at the end. */
bool sorter_next(struct sorter *sorter, struct event *events, struct event_note *notes,
                 size_t *ret_count, struct err *err);

#endif
