/* The events of many lines, kept aside in the order of their coming and read back line by line.
 *
 * A format that writes the events of all lines in one stream is read once; what of it counts is a
 * few bytes an event, and lies in a temporary file as soon as it is more than little.
 */
#ifndef INGEST_ORDER_EVENT_STORE_H
#define INGEST_ORDER_EVENT_STORE_H

#include "ingest/order/event.h"
#include "ingest/wire/wire.h"
#include "ops/runtime/arena.h"

#include <stddef.h>

struct stored_line;

struct event_store {
    struct arena *arena;
    double base_us; /* what picoseconds count from, in the reference's doubles */
    struct spill spill;
    struct stored_line *lines;
    size_t line_count, line_capacity;
    size_t held_bytes; /* of all lines, in memory */
};

/* An empty store; arena outlives it. event_store_done accepts a zeroed one. */
void event_store_init(struct event_store *store, struct arena *arena);
void event_store_done(struct event_store *store);

/* The number of a new line. */
int32_t event_store_line(struct event_store *store);

/* Appends an event to a line; note counts when event->has_note. ERR_FULL, ERR_LIMIT. */
bool event_store_add(struct event_store *store, int32_t line, const struct event *event,
                     const struct event_note *note, struct err *err);

/* Ends the writing: all that was added can be read. */
bool event_store_finish(struct event_store *store, struct err *err);

/* Bytes that a line takes. */
int64_t event_store_bytes(const struct event_store *store, int32_t line);

/* Reads one line after the other. */
struct stored_reader {
    const struct event_store *store;
    const struct stored_line *line;
    size_t part;     /* that is read next */
    uint8_t *buffer; /* of the present part */
    const uint8_t *p, *end;
    int64_t at;        /* place in the line where the present part begins */
    int64_t offset_ps; /* of the event before */
};

/* Begins a line; the reader is zeroed before its first. stored_reader_done accepts a zeroed one. */
void stored_reader_open(struct stored_reader *reader, const struct event_store *store,
                        int32_t line);

/* Frees what the reader holds. */
void stored_reader_done(struct stored_reader *reader);

/* Fills up a batch, which has *count events; at the end it stays as it is. */
bool stored_reader_next(struct stored_reader *reader, struct event_batch *batch, size_t *count,
                        struct err *err);

/* Place in the line of the next event. */
int64_t stored_reader_offset(const struct stored_reader *reader);

#endif
