/* The events of one line, in batches: decoded, filtered, with their times in doubles as the
 * reference has them and in picoseconds as we do.
 *
 * Only events that count are handed over (profile_summary.v1 §3: a place in time, a duration above
 * 0, a name). A line is handed over in the order that the caller asks for; one that is taken for
 * nearly in order, and is not, is late and has to be read again. Who reads it as written has to
 * look.
 */
#ifndef INGEST_LINES_LINE_READER_H
#define INGEST_LINES_LINE_READER_H

#include "ingest/wire/wire.h"
#include "ingest/xplane/xplane.h"

struct sorter;
struct line_memory;
struct line_ahead;

/* Whose time the events of a line are handed over in. */
enum line_clock {
    LINE_AS_SHOWN,
    LINE_CHECKED, /* as shown; whether the device's clock agrees is noted in plane_ops */
    LINE_LEARNED, /* as shown; the clock of the plane learns */
    LINE_OF_DEVICE
};

struct line_reader {
    struct cursor cursor;
    struct stored_reader stored; /* instead, where the line lies in a store */
    struct plane_ops *ops;
    const struct xline *line;
    double base_us;
    enum line_clock clock;
    struct device_clock *device_clock; /* of the plane */
    struct arena *learns_in;           /* memory of a clock that learns */
    int64_t base_ps;                   /* of the line; not known where clock is LINE_AS_SHOWN */
    struct line_memory *own;           /* memory of what it reads itself */
    struct two_orders *room;           /* where the present batch lies */
    const struct event_batch *batch;   /* by µs, unless the caller took the other one */
    size_t count;
    int64_t total;                 /* events of the line so far, dropped ones too */
    struct dropped_events dropped; /* of those */
    bool late_head; /* behind its events the line says of itself what the index does not know */
    uint64_t device[DEVICE_TIME_COUNT]; /* of the present event, where it tells them */
    uint64_t line_lag; /* of a line that is checked: how far apart its clocks are, from base_ps */
    struct text key;   /* stats of the present event that make it another op */
    struct stat_value values[STAT_KIND_COUNT];
    bool has_values;
    enum line_order order;
    struct sorter *sorter;    /* which lines that are sorted take one after the other */
    bool is_late;             /* the line is not in the order that it was taken for */
    bool shows_flights;       /* events are of their ops as seen on an asynchronous line */
    struct line_ahead *ahead; /* who reads the line in place of this one */
};

/* Prepares a reader for the lines of a file. It belongs to one thread and reads one line after the
 * other. line_reader_done accepts a zeroed reader. */
void line_reader_init(struct line_reader *reader, const struct xspace *space,
                      const struct ingest_limits *limits);
void line_reader_done(struct line_reader *reader);

/* Begins a line, to be handed over in an order (xspace.h), by the times that it shows. */
void line_reader_open(struct line_reader *reader, struct xplane *plane, const struct xline *line,
                      enum line_order order);

/* Begins a line, to be handed over in the order in which it has to be read, by the clock of its
 * device where the plane has one: times in doubles are that clock's too, and which events last any
 * time is told by it. Events that do not tell the device's time are moved as those do that are
 * about. */
void line_reader_open_device(struct line_reader *reader, struct xplane *plane,
                             const struct xline *line);

/* Has the line, which was opened, read by a thread of its own, some batches ahead: it adds ops to
 * the plane while the caller looks at those of the batches that it was handed. A line in a store is
 * not worth that, and read as before.
 * line_reader_close ends it, at the end of the line or before. */
void line_reader_run_ahead(struct line_reader *reader);
void line_reader_close(struct line_reader *reader);

/* Reads a line whose plane has a clock: all events that tell both times teach it. */
bool line_reader_learn(struct line_reader *reader, struct xplane *plane, const struct xline *line,
                       struct arena *arena, struct err *err);

/* Reads the next batch; reader->count is 0 at the end, and when the reader is late. Sorted events
 * come by (start, -end) in rounded doubles, then as written: the reference's order. ERR_INPUT names
 * the byte. */
bool line_reader_next(struct line_reader *reader, struct err *err);

/* How far the line was read, from line->begin. */
int64_t line_reader_offset(const struct line_reader *reader);

/* The events that are at the places of the batch in the order of picoseconds. */
static inline const struct event_batch *line_reader_in_ps(const struct line_reader *reader)
{
    return orders_ps(reader->room);
}

/* Has the batch be the one in order of picoseconds. The next one follows as if nothing were. */
void line_reader_take_ps(struct line_reader *reader);

/* Notes in the line that was read to its end whether its events were out of order, where the reader
 * put them in order. */
void line_reader_note_order(const struct line_reader *reader, struct xline *line);

/* The note of event `index` of a batch of the line, NULL when it has none. */
static inline const struct event_note *line_batch_note(const struct line_reader *reader,
                                                       const struct event_batch *batch,
                                                       size_t index)
{
    const struct event *event = &batch->events[index];
    if (event->has_note)
        return &batch->notes[index];
    return reader->ops->traits[event->op].has_note ? reader->ops->ops[event->op].note : NULL;
}

/* The same of the present batch. */
static inline const struct event_note *line_reader_note(const struct line_reader *reader,
                                                        size_t index)
{
    return line_batch_note(reader, reader->batch, index);
}

/* Reads the line once, and notes in it whether its events are out of order and how to read it. */
bool line_order_check(struct line_reader *reader, struct xplane *plane, struct xline *line,
                      struct err *err);

#define scoped_line_reader __attribute__((cleanup(line_reader_done))) struct line_reader

#endif
