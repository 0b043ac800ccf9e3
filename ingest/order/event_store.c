/* See event_store.h. An event is the way from the one before it, its duration, and its op with what
 * else there is to say; its doubles follow from the picoseconds and are kept where they do not. */
#include "ingest/order/event_store.h"

#include <stdlib.h>
#include <string.h>

/* Lines keep what they hold in memory until all of them hold too much; then it becomes a part of
 * each in the temporary file. */
enum {
    PART_BYTES = 16 * 1024,
    FIRST_BYTES = 128,
    HELD_BYTES_MAX = 4 * 1024 * 1024,
    RECORD_BYTES_MAX = 128
};

/* Of an event: bits below its op. Of a note. */
enum { HAS_NOTE = 1, HAS_DOUBLES = 2, FLAG_BITS = 2 };
enum {
    NOTE_RUN = 1,
    NOTE_RUN_TEXT = 2,
    NOTE_STEP = 4,
    NOTE_CORRELATION = 8,
    NOTE_ROOT = 16,
    NOTE_GROUP = 32
};

struct stored_part {
    int64_t begin; /* in the temporary file */
    uint32_t length;
};

struct stored_line {
    uint8_t *held; /* what comes behind the parts */
    uint32_t filled, capacity;
    struct stored_part *parts;
    size_t part_count, part_capacity;
    int64_t size_bytes;
    int64_t offset_ps; /* of the last event */
};

void event_store_init(struct event_store *store, struct arena *arena)
{
    *store = (struct event_store){.arena = arena};
    spill_init(&store->spill);
}

void event_store_done(struct event_store *store)
{
    if (store->arena == NULL)
        return;
    for (size_t i = 0; i < store->line_count; i++)
        free(store->lines[i].held);
    spill_done(&store->spill);
    *store = (struct event_store){0};
}

int32_t event_store_line(struct event_store *store)
{
    store->lines = arena_grow(store->arena, store->lines, store->line_count, &store->line_capacity,
                              sizeof *store->lines);
    store->lines[store->line_count] = (struct stored_line){0};
    return (int32_t)store->line_count++;
}

int64_t event_store_bytes(const struct event_store *store, int32_t line)
{
    return store->lines[line].size_bytes;
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool part_write(struct event_store *store, struct stored_line *line, struct err *err)
{
    if (line->filled == 0)
        return true;
    line->parts = arena_grow(store->arena, line->parts, line->part_count, &line->part_capacity,
                             sizeof *line->parts);
    line->parts[line->part_count++] = (struct stored_part){store->spill.size_bytes, line->filled};
    if (!spill_write(&store->spill, line->held, line->filled, err))
        return false;
    line->filled = 0;
    return true;
}

static bool all_write(struct event_store *store, struct err *err)
{
    for (size_t i = 0; i < store->line_count; i++) {
        struct stored_line *line = &store->lines[i];
        if (!part_write(store, line, err))
            return false;
        free(line->held);
        line->held = NULL;
        line->capacity = 0;
    }
    store->held_bytes = 0;
    return true;
}

/* Room for one more event. */
static bool line_reserve(struct event_store *store, struct stored_line *line, struct err *err)
{
    if (line->capacity - line->filled >= RECORD_BYTES_MAX)
        return true;
    if (line->capacity == PART_BYTES)
        return part_write(store, line, err);
    if (store->held_bytes >= HELD_BYTES_MAX && !all_write(store, err))
        return false;
    uint32_t capacity = line->capacity == 0 ? FIRST_BYTES : 4 * line->capacity;
    if (capacity > PART_BYTES)
        capacity = PART_BYTES;
    store->held_bytes += capacity - line->capacity;
    line->held = memory_resize(line->held, capacity);
    line->capacity = capacity;
    return line->capacity - line->filled >= RECORD_BYTES_MAX || line_reserve(store, line, err);
}

/* Small numbers of either sign are short. */
static uint64_t folded(int64_t value)
{
    return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

static int64_t unfolded(uint64_t value)
{
    return (int64_t)(value >> 1 ^ (~(value & 1) + 1));
}

static uint8_t *note_put(uint8_t *p, const struct event_note *note)
{
    bool text = note->run_id.set && note->run_id.text != 0;
    *p++ = (uint8_t)((note->run_id.set ? NOTE_RUN : 0) | (text ? NOTE_RUN_TEXT : 0) |
                     (note->step.set ? NOTE_STEP : 0) |
                     (note->correlation.set ? NOTE_CORRELATION : 0) |
                     (note->is_root ? NOTE_ROOT : 0) | (note->group.set ? NOTE_GROUP : 0));
    if (note->run_id.set)
        p = varint_put(p, text ? note->run_id.text : folded(note->run_id.number));
    if (note->step.set)
        p = varint_put(p, folded(note->step.value));
    if (note->group.set)
        p = varint_put(p, folded(note->group.value));
    return note->correlation.set ? varint_put(p, folded(note->correlation.value)) : p;
}

bool event_store_add(struct event_store *store, int32_t number, const struct event *event,
                     const struct event_note *note, struct err *err)
{
    struct stored_line *line = &store->lines[number];
    if (!line_reserve(store, line, err))
        return false;
    uint8_t *p = line->held + line->filled, *begin = p;
    bool exact = event->start_us == store->base_us + (double)event->offset_ps / 1e6 &&
                 event->duration_us == (double)event->duration_ps / 1e6;
    uint64_t way = (uint64_t)event->offset_ps - (uint64_t)line->offset_ps;
    p = varint_put(p, folded((int64_t)way));
    p = varint_put(p, (uint64_t)event->duration_ps);
    p = varint_put(p, (uint64_t)event->op << FLAG_BITS | (event->has_note ? HAS_NOTE : 0) |
                          (exact ? 0 : HAS_DOUBLES));
    if (event->has_note)
        p = note_put(p, note);
    if (!exact) {
        memcpy(p, &event->start_us, sizeof(double));
        memcpy(p + sizeof(double), &event->duration_us, sizeof(double));
        p += 2 * sizeof(double);
    }
    line->offset_ps = event->offset_ps;
    line->filled += (uint32_t)(p - begin);
    line->size_bytes += p - begin;
    return true;
}

bool event_store_finish(struct event_store *store, struct err *err)
{
    return store->spill.size_bytes == 0 || spill_flush(&store->spill, err);
}

/* ---- reading --------------------------------------------------------------------------------- */

void stored_reader_open(struct stored_reader *reader, const struct event_store *store, int32_t line)
{
    uint8_t *buffer = reader->buffer;
    if (buffer == NULL)
        buffer = memory_alloc(PART_BYTES + VARINT_WORD_BYTES);
    *reader = (struct stored_reader){
        .store = store, .line = &store->lines[line], .buffer = buffer, .p = buffer, .end = buffer};
}

void stored_reader_done(struct stored_reader *reader)
{
    free(reader->buffer);
    *reader = (struct stored_reader){0};
}

int64_t stored_reader_offset(const struct stored_reader *reader)
{
    return reader->at + (reader->p - reader->buffer);
}

/* The next part; reader->p == reader->end when there is none. */
static bool part_read(struct stored_reader *reader, struct err *err)
{
    const struct stored_line *line = reader->line;
    size_t length = 0;
    reader->at += reader->end - reader->buffer;
    if (reader->part < line->part_count) {
        const struct stored_part *part = &line->parts[reader->part];
        length = part->length;
        if (!spill_read(&reader->store->spill, part->begin, reader->buffer, length, err))
            return false;
    } else if (reader->part == line->part_count) {
        length = line->filled;
        if (length > 0)
            memcpy(reader->buffer, line->held, length);
    }
    reader->part += reader->part <= line->part_count;
    memset(reader->buffer + length, 0, VARINT_WORD_BYTES);
    reader->p = reader->buffer;
    reader->end = reader->buffer + length;
    return true;
}

static const uint8_t *note_take(const uint8_t *p, const uint8_t *end, struct event_note *ret_note)
{
    uint64_t value = 0;
    unsigned has = *p++;
    *ret_note = (struct event_note){.is_root = (has & NOTE_ROOT) != 0};
    if (has & NOTE_RUN) {
        p = varint_read_word(p, end, &value);
        ret_note->run_id.set = true;
        if (has & NOTE_RUN_TEXT)
            ret_note->run_id.text = (uint32_t)value;
        else
            ret_note->run_id.number = unfolded(value);
    }
    if (has & NOTE_STEP) {
        p = varint_read_word(p, end, &value);
        ret_note->step = some_i64(unfolded(value));
    }
    if (has & NOTE_GROUP) {
        p = varint_read_word(p, end, &value);
        ret_note->group = some_i64(unfolded(value));
    }
    if (has & NOTE_CORRELATION) {
        p = varint_read_word(p, end, &value);
        ret_note->correlation = some_i64(unfolded(value));
    }
    return p;
}

static void event_take(struct stored_reader *reader, struct event *event, struct event_note *note)
{
    const uint8_t *p = reader->p, *end = reader->end;
    uint64_t way = 0, duration = 0, op = 0;
    p = varint_read_word(p, end, &way);
    p = varint_read_word(p, end, &duration);
    p = varint_read_word(p, end, &op);
    reader->offset_ps = (int64_t)((uint64_t)reader->offset_ps + (uint64_t)unfolded(way));
    *event = (struct event){
        .start_us = reader->store->base_us + (double)reader->offset_ps / 1e6,
        .duration_us = (double)(int64_t)duration / 1e6,
        .offset_ps = reader->offset_ps,
        .duration_ps = (int64_t)duration,
        .op = (int32_t)(op >> FLAG_BITS),
        .has_note = (op & HAS_NOTE) != 0,
    };
    if (event->has_note)
        p = note_take(p, end, note);
    if (op & HAS_DOUBLES) {
        event->start_us = wire_double(p);
        event->duration_us = wire_double(p + sizeof(double));
        p += 2 * sizeof(double);
    }
    reader->p = p;
}

bool stored_reader_next(struct stored_reader *reader, struct event_batch *batch, size_t *count,
                        struct err *err)
{
    for (; *count < BATCH_EVENTS; ++*count) {
        if (reader->p == reader->end && !part_read(reader, err))
            return false;
        if (reader->p == reader->end)
            break;
        event_take(reader, &batch->events[*count], &batch->notes[*count]);
    }
    return true;
}
