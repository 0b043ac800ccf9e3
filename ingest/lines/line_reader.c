/* See line_reader.h. */
#include "ingest/lines/line_reader.h"
#include "ingest/lines/event_decode.h"
#include "ingest/order/order.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_MAX_BYTES = 1 << 30 };

struct line_memory {
    struct two_orders room;
    struct ties ties;
};

static void batch_show(struct line_reader *reader, struct two_orders *room)
{
    reader->room = room;
    reader->batch = &room->us;
    reader->count = room->count;
}

void line_reader_init(struct line_reader *reader, const struct xspace *space,
                      const struct ingest_limits *limits)
{
    memset(reader, 0, sizeof *reader);
    text_init(&reader->key, KEY_MAX_BYTES);
    cursor_init(&reader->cursor, &space->input, limits->max_string_bytes);
    reader->own = memory_zalloc(1, sizeof *reader->own);
}

void line_reader_done(struct line_reader *reader)
{
    line_reader_close(reader);
    free(reader->own);
    reader->own = NULL;
    cursor_done(&reader->cursor);
    stored_reader_done(&reader->stored);
    text_done(&reader->key);
    sorter_free(reader->sorter);
    reader->sorter = NULL;
}

static bool is_stored(const struct line_reader *reader)
{
    return reader->stored.line != NULL;
}

/* The steps of the groups in place of those that events say. */
static void groups_show(struct line_reader *reader, size_t from)
{
    struct event_batch *batch = &reader->room->us;
    for (size_t i = from; i < reader->room->count; i++) {
        struct event_note *note = &batch->notes[i];
        if (!batch->events[i].has_note)
            continue;
        const int32_t step = note->group.set
                                 ? id_map_find(reader->ops->step_by_group, note->group.value)
                                 : ID_MAP_ABSENT;
        note->step = step == ID_MAP_ABSENT ? (struct opt_i64){0} : some_i64(step);
    }
}

static bool flights_show(struct line_reader *reader, size_t from, struct err *err)
{
    for (size_t i = from; i < reader->room->count; i++) {
        struct event *event = &reader->room->us.events[i];
        event->op = plane_ops_async(reader->ops, event->op, err);
        if (event->op == OP_NONE)
            return false;
    }
    return true;
}

/* Fills up the batch, as its events are written. */
static bool batch_fill(struct line_reader *reader, struct err *err)
{
    struct two_orders *room = reader->room;
    const size_t from = room->count;
    if (!is_stored(reader)) {
        const int64_t cut_before = reader->ops->texts_cut;
        const bool decoded = events_decode(reader, err);
        reader->dropped.texts_cut += reader->ops->texts_cut - cut_before;
        reader->ops->texts_cut = cut_before;
        return decoded;
    }
    if (!stored_reader_next(&reader->stored, &room->us, &room->count, err))
        return false;
    if (reader->ops->asks_groups && reader->ops->step_by_group != NULL)
        groups_show(reader, from);
    return !reader->shows_flights || flights_show(reader, from, err);
}

static bool ties_next(struct line_reader *reader, struct err *err)
{
    struct ties *ties = &reader->own->ties;
    ties_resume(ties, reader->room);
    const size_t from = reader->room->count;
    if (!batch_fill(reader, err))
        return false;
    reader->is_late = !ties_order(ties, from, reader->room);
    return true;
}

/* Feeds the sorter until it hands something over. */
static bool sorted_next(struct line_reader *reader, struct err *err)
{
    struct sorter *sorter = reader->sorter;
    struct two_orders *room = reader->room;
    while (sorter_state(sorter) == SORTER_FILLING) {
        room->count = 0;
        if (!batch_fill(reader, err))
            return false;
        bool taken = room->count > 0 ? sorter_add(sorter, &room->us, room->count, err)
                                     : sorter_end(sorter, err);
        if (!taken)
            return false;
    }
    reader->is_late = sorter_state(sorter) == SORTER_LATE;
    return reader->is_late || sorter_next(sorter, room, err);
}

static bool written_next(struct line_reader *reader, struct err *err)
{
    reader->room->count = 0;
    reader->room->differs = false;
    return batch_fill(reader, err);
}

static bool batch_next(struct line_reader *reader, struct err *err)
{
    typedef bool next_fn(struct line_reader * reader, struct err * err);
    static next_fn *const nexts[] = {[ORDER_AS_WRITTEN] = written_next,
                                     [ORDER_TIES] = ties_next,
                                     [ORDER_NEAR] = sorted_next,
                                     [ORDER_FAR] = sorted_next};
    if (!nexts[reader->order](reader, err))
        return false;
    if (reader->is_late)
        reader->room->count = 0;
    batch_show(reader, reader->room);
    return true;
}

/* ---- ahead ----------------------------------------------------------------------------------- */

/* What the thread that reads ahead hands over, and all that was known of the line then. */
struct line_part {
    struct two_orders room;
    int64_t offset, total;
    struct dropped_events dropped;
    bool late_head, is_late;
};

struct line_ahead {
    struct relay *relay;
    struct line_reader maker; /* the reader, which its thread has until it ends */
    struct line_part *part;   /* that was handed over last */
};

static bool part_make(struct relay *relay, void *context, void *place, bool *ret_more,
                      struct err *err)
{
    struct line_reader *maker = context;
    struct line_part *part = place;
    maker->ops->ahead = relay;
    maker->room = &part->room;
    if (!batch_next(maker, err))
        return false;
    part->offset = line_reader_offset(maker);
    part->total = maker->total;
    part->dropped = maker->dropped;
    part->late_head = maker->late_head;
    part->is_late = maker->is_late;
    *ret_more = maker->count > 0;
    return true;
}

static bool ahead_take(struct line_reader *reader, struct err *err)
{
    struct line_part *part = relay_take(reader->ahead->relay, err);
    if (part == NULL)
        return false;
    reader->ahead->part = part;
    batch_show(reader, &part->room);
    reader->total = part->total;
    reader->dropped = part->dropped;
    reader->late_head = part->late_head;
    reader->is_late = part->is_late;
    return true;
}

void line_reader_run_ahead(struct line_reader *reader)
{
    if (is_stored(reader))
        return;
    struct line_ahead *ahead = memory_zalloc(1, sizeof *ahead);
    ahead->maker = *reader;
    ahead->relay = relay_begin(sizeof *ahead->part, part_make, &ahead->maker);
    if (ahead->relay == NULL) {
        free(ahead);
        return;
    }
    reader->ahead = ahead;
}

void line_reader_close(struct line_reader *reader)
{
    struct line_ahead *ahead = reader->ahead;
    if (ahead == NULL)
        return;
    relay_end(ahead->relay);
    *reader = ahead->maker;
    reader->ops->ahead = NULL;
    reader->own->room.count = 0;
    batch_show(reader, &reader->own->room);
    free(ahead);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void reader_open(struct line_reader *reader, struct xplane *plane, const struct xline *line,
                        enum line_order order)
{
    line_reader_close(reader);
    reader->shows_flights = false;
    reader->own->room.count = 0;
    batch_show(reader, &reader->own->room);
    reader->ops = &plane->ops;
    reader->line = line;
    reader->base_us = (double)line->timestamp_ns / 1000.0;
    reader->dropped = (struct dropped_events){0};
    reader->total = 0;
    reader->late_head = reader->is_late = false;
    const struct event_store *store = plane->space->store;
    if (store != NULL)
        reader->base_us = store->base_us;
    if (store != NULL)
        stored_reader_open(&reader->stored, store, line->stored);
    if (store == NULL)
        cursor_seek(&reader->cursor, line->begin, line->end);
    reader->order = order;
    if (order == ORDER_TIES)
        ties_begin(&reader->own->ties);
    else if (order != ORDER_AS_WRITTEN)
        sorter_begin(&reader->sorter, reader->base_us, order == ORDER_FAR);
}

/* Which clock counts, where the line tells any but the shown one and has a place. */
static void clock_choose(struct line_reader *reader, struct xplane *plane, const struct xline *line,
                         enum line_clock clock)
{
    const bool any =
        plane->ops.tells_device_time && line_base_ps(plane->space, line, &reader->base_ps);
    reader->clock = any ? clock : LINE_AS_SHOWN;
    reader->device_clock = plane->clock;
    plane->ops.clocks.any_on_line = false;
}

void line_reader_open(struct line_reader *reader, struct xplane *plane, const struct xline *line,
                      enum line_order order)
{
    clock_choose(reader, plane, line, plane->clock == NULL ? LINE_CHECKED : LINE_AS_SHOWN);
    reader_open(reader, plane, line, order);
}

void line_reader_open_device(struct line_reader *reader, struct xplane *plane,
                             const struct xline *line)
{
    if (plane->clock == NULL) {
        line_reader_open(reader, plane, line, line->order);
        return;
    }
    clock_choose(reader, plane, line, LINE_OF_DEVICE);
    reader_open(reader, plane, line, line->device_order);
}

bool line_reader_learn(struct line_reader *reader, struct xplane *plane, const struct xline *line,
                       struct arena *arena, struct err *err)
{
    clock_choose(reader, plane, line, LINE_LEARNED);
    reader->learns_in = arena;
    reader_open(reader, plane, line, ORDER_AS_WRITTEN);
    do {
        if (!line_reader_next(reader, err) || !arena_ok(arena, "the clocks of a profile", err))
            return false;
    } while (reader->count > 0);
    return true;
}

bool line_reader_next(struct line_reader *reader, struct err *err)
{
    return reader->ahead != NULL ? ahead_take(reader, err) : batch_next(reader, err);
}

int64_t line_reader_offset(const struct line_reader *reader)
{
    if (reader->ahead != NULL)
        return reader->ahead->part->offset;
    return is_stored(reader) ? reader->line->begin + stored_reader_offset(&reader->stored)
                             : cursor_offset(&reader->cursor);
}

void line_reader_take_ps(struct line_reader *reader)
{
    reader->batch = orders_ps(reader->room);
}

void line_reader_note_order(const struct line_reader *reader, struct xline *line)
{
    if (reader->order == ORDER_TIES)
        line->unsorted_us = reader->own->ties.any;
    if (reader->order <= ORDER_TIES)
        return;
    line->unsorted_us = sorter_saw_disorder_us(reader->sorter);
    line->unsorted_ps = sorter_saw_disorder_ps(reader->sorter);
}

/* ---- order ----------------------------------------------------------------------------------- */

bool line_order_check(struct line_reader *reader, struct xplane *plane, struct xline *line,
                      struct err *err)
{
    struct event_order order = event_order_begin();
    line_reader_open(reader, plane, line, ORDER_AS_WRITTEN);
    do {
        if (!line_reader_next(reader, err))
            return false;
        for (size_t i = 0; i < reader->count; i++) {
            line->unsorted_us |= !event_follows_us(&order, &reader->batch->events[i]);
            line->unsorted_ps |= !event_follows_ps(&order, &reader->batch->events[i]);
        }
    } while (reader->count > 0);
    line->order = line->unsorted_us || line->unsorted_ps ? ORDER_FAR : ORDER_AS_WRITTEN;
    return true;
}
