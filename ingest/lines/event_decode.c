/* Events off the wire: the hot loop of the program. See event_decode.h.
 *
 * The fields of an event are numbered below 16, so their tags are single bytes; anything else goes
 * the general way.
 */
#include "ingest/lines/event_decode.h"
#include "ingest/order/order.h"

#include <string.h>

enum { SHORT_HEAD = 2 /* a tag and a length of one byte each */ };

struct raw_event {
    uint64_t id, offset, duration;
    bool has_offset; /* the last of offset and occurrences counts */
    unsigned told;   /* bits of the times of the device that the reader has */
};

enum { TELLS_DEVICE = 1 << DEVICE_OFFSET | 1 << DEVICE_DURATION };

static void key_add(struct line_reader *reader, const uint8_t *p, size_t length)
{
    uint64_t left = length;
    for (; left >= VARINT_MORE; left >>= 7)
        text_addc(&reader->key, (char)(left | VARINT_MORE));
    text_addc(&reader->key, (char)left);
    text_addn(&reader->key, (const char *)p, length);
}

static bool event_stat(struct line_reader *reader, const uint8_t *p, const uint8_t *end,
                       struct raw_event *raw)
{
    enum stat_kind kind;
    struct stat_value value;
    if (!plane_stat_parse(reader->ops, p, end, &kind, &value))
        return false;
    if (kind == STAT_OTHER && reader->ops->tells_device_time) {
        enum device_time which; /* not written as a profiler would */
        int64_t ps;
        if (!plane_stat_device_time(reader->ops, p, end, &which, &ps))
            return false;
        if (which != DEVICE_TIME_NONE) {
            reader->device[which] = (uint64_t)ps;
            raw->told |= 1U << which;
        }
        return true;
    }
    if (kind == STAT_OTHER || value.type == STAT_UNSET)
        return true;
    if (kind < STAT_OP_KIND_COUNT) {
        key_add(reader, p, (size_t)(end - p));
        return true;
    }
    for (int other = STAT_OP_KIND_COUNT; other < STAT_KIND_COUNT && !reader->has_values; other++)
        reader->values[other].type = STAT_UNSET;
    reader->has_values = true;
    reader->values[kind] = value;
    return true;
}

/* A field that is not one of the five, or not written as a profiler would. */
static const uint8_t *field_skip(const uint8_t *p, const uint8_t *end)
{
    uint32_t tag;
    p = tag_read(p, end, &tag);
    return p == NULL ? NULL : wire_skip(p, end, tag);
}

/* Reads a stat of an event, behind its tag and length. */
static inline __attribute__((always_inline)) bool event_stat_plain(struct line_reader *reader,
                                                                   const uint8_t *p,
                                                                   const uint8_t *end,
                                                                   struct raw_event *raw)
{
    const struct plane_ops *ops = reader->ops;
    const unsigned found = plain_stat(ops, p, end);
    if (found == PLAIN_STAT_ASKED)
        return event_stat(reader, p, end, raw);
    if (found != DEVICE_TIME_NONE) {
        (void)varint_read_word(p + PLAIN_STAT_HEAD, end, &reader->device[found]);
        raw->told |= 1U << found;
    }
    return true;
}

static const uint8_t *event_field(struct line_reader *reader, const uint8_t *p, const uint8_t *end,
                                  struct raw_event *raw)
{
    uint64_t value;
    switch (*p) {
    case EVENT_METADATA_ID:
        return varint_read_word(p + 1, end, &raw->id);
    case EVENT_OFFSET:
        raw->has_offset = true;
        return varint_read_word(p + 1, end, &raw->offset);
    case EVENT_DURATION:
        return varint_read_word(p + 1, end, &raw->duration);
    case EVENT_OCCURRENCES:
        raw->has_offset = false;
        return varint_read_word(p + 1, end, &value);
    case EVENT_STATS:
        p = varint_read(p + 1, end, &value);
        if (p == NULL || value > (uint64_t)(end - p) ||
            !event_stat_plain(reader, p, p + value, raw))
            return NULL;
        return p + value;
    default:
        return field_skip(p, end);
    }
}

/* Whether nothing is to be done with clocks: nobody asks, or they were found to agree as before. */
static inline bool clock_is_idle(const struct line_reader *reader, const struct raw_event *raw)
{
    if (reader->clock == LINE_AS_SHOWN)
        return true;
    const uint64_t *device = reader->device, within = CLOCKS_AGREE_PS;
    return reader->clock == LINE_CHECKED &&
           (raw->told != TELLS_DEVICE ||
            (reader->ops->clocks.any_on_line && raw->duration > within &&
             raw->offset - device[DEVICE_OFFSET] - reader->line_lag + within <= 2 * within &&
             raw->duration - device[DEVICE_DURATION] + within <= 2 * within));
}

/* What the reader has to do with the clocks of an event. */
static void clock_use(struct line_reader *reader, struct raw_event *raw)
{
    const bool tells = raw->told == TELLS_DEVICE;
    struct clock_event event = {.duration_ps = (int64_t)raw->duration,
                                .device_start_ps = (int64_t)reader->device[DEVICE_OFFSET],
                                .device_duration_ps = (int64_t)reader->device[DEVICE_DURATION]};
    if (!raw->has_offset ||
        __builtin_add_overflow(reader->base_ps, (int64_t)raw->offset, &event.start_ps))
        return;
    if (reader->clock == LINE_OF_DEVICE) {
        int64_t start_ps, duration_ps;
        device_clock_place(reader->device_clock, &event, tells, &start_ps, &duration_ps);
        if (__builtin_sub_overflow(start_ps, reader->base_ps, &start_ps))
            return;
        raw->offset = (uint64_t)start_ps;
        raw->duration = (uint64_t)duration_ps;
    } else if (tells && reader->clock == LINE_CHECKED) {
        clock_check_event(&reader->ops->clocks, &event);
        reader->line_lag = (uint64_t)reader->ops->clocks.lag_ps - (uint64_t)reader->base_ps;
    }
    if (tells && reader->clock == LINE_LEARNED)
        device_clock_add(reader->device_clock, &event, reader->learns_in);
}

/* Whether the event counts, by what was read of it. What a device says to have done counts even
 * where its clock is too coarse for it. */
static bool event_counts(struct line_reader *reader, const struct raw_event *raw, int32_t op)
{
    const int64_t least = reader->clock == LINE_OF_DEVICE && raw->told == TELLS_DEVICE ? 0 : 1;
    if (!raw->has_offset)
        reader->dropped.counter++;
    else if ((int64_t)raw->duration < least)
        reader->dropped.zero++;
    else if (op == ID_MAP_ABSENT || !reader->ops->traits[op].is_named)
        reader->dropped.nameless++;
    else
        return true;
    return false;
}

/* Appends the event to the batch when it counts. */
static bool event_add(struct line_reader *reader, const struct raw_event *raw, struct err *err)
{
    int32_t op = id_map_find(&reader->ops->op_by_id, (int64_t)raw->id);
    if (!event_counts(reader, raw, op))
        return true;
    if (reader->key.failed)
        return text_ok(&reader->key, "the stats of an event", err);
    if (reader->key.length > 0) {
        op = plane_ops_variant(reader->ops, op, &reader->key, err);
        if (op == OP_NONE)
            return false;
    }
    if (reader->shows_flights && (op = plane_ops_async(reader->ops, op, err)) == OP_NONE)
        return false;
    struct event_batch *batch = &reader->room->us;
    const size_t at = reader->room->count;
    if (reader->has_values &&
        !plane_ops_note(reader->ops, op, reader->values, &batch->notes[at], err))
        return false;
    batch->events[at] = (struct event){
        .start_us = reader->base_us + (double)(int64_t)raw->offset / 1e6,
        .duration_us = (double)(int64_t)raw->duration / 1e6,
        .offset_ps = (int64_t)raw->offset,
        .duration_ps = (int64_t)raw->duration,
        .op = op,
        .has_note = reader->has_values,
    };
    reader->room->count++;
    return true;
}

static bool event_decode(struct line_reader *reader, size_t length, struct err *err)
{
    struct cursor *cursor = &reader->cursor;
    const uint8_t *p = cursor->p, *end = p + length;
    struct raw_event raw = {0};
    /* Fields come one behind the other, as their numbers do; what comes otherwise is read below. */
    if (p < end && *p == EVENT_METADATA_ID)
        p = varint_read_word(p + 1, end, &raw.id);
    if (p != NULL && p < end && *p == EVENT_OFFSET) {
        raw.has_offset = true;
        p = varint_read_word(p + 1, end, &raw.offset);
    }
    if (p != NULL && p < end && *p == EVENT_DURATION)
        p = varint_read_word(p + 1, end, &raw.duration);
    while (p != NULL && end - p > SHORT_HEAD && *p == EVENT_STATS && p[1] < VARINT_MORE) {
        const uint8_t *stat = p + SHORT_HEAD;
        p = stat + p[1];
        if (p > end || !event_stat_plain(reader, stat, p, &raw))
            p = NULL;
    }
    while (p != NULL && p < end)
        p = event_field(reader, p, end, &raw);
    if (p == NULL)
        return cursor_malformed(cursor, "an event is malformed or holds a text that is not UTF-8",
                                err);
    cursor->p = end;
    if (!clock_is_idle(reader, &raw))
        clock_use(reader, &raw);
    const bool added = event_add(reader, &raw, err);
    reader->key.length = 0;
    reader->has_values = false;
    return added;
}

/* A field beside the events. The index has read those before the first event; when it stepped over
 * the events of this line, it does not know those behind them. */
static bool head_field(struct line_reader *reader, uint32_t tag, struct err *err)
{
    struct cursor *cursor = &reader->cursor;
    const struct xline *line = reader->line;
    uint64_t length;
    if (!line->skipped || cursor_offset(cursor) < line->events_begin)
        return cursor_skip_field(cursor, tag, err);
    if (tag == WIRE_TAG(XLINE_DISPLAY_NAME, WIRE_BYTES)) {
        if (!cursor_length(cursor, &length, err) || !cursor_need(cursor, (size_t)length, err))
            return false;
        if (length != strlen(line->name) || memcmp(cursor->p, line->name, (size_t)length) != 0)
            reader->late_head = true;
        return cursor_skip(cursor, length, err);
    }
    uint32_t field = tag_field(tag);
    if (field == XLINE_ID || field == XLINE_NAME || field == XLINE_TIMESTAMP)
        reader->late_head = true;
    return cursor_skip_field(cursor, tag, err);
}

/* Length of the next event when the tag and it are one byte each, as they nearly always are. */
static inline bool event_begin_short(struct cursor *cursor, uint64_t *ret_length)
{
    enum { EVENT_TAG = WIRE_TAG(XLINE_EVENTS, WIRE_BYTES) };
    if (cursor->end - cursor->p < SHORT_HEAD || cursor->p[0] != EVENT_TAG ||
        cursor->p[1] >= VARINT_MORE || cursor->p[1] > cursor->end - cursor->p - SHORT_HEAD)
        return false;
    *ret_length = cursor->p[1];
    cursor->p += SHORT_HEAD;
    return true;
}

/* Goes to the next event; *ret_any is false at the end of the line. */
static bool event_begin(struct line_reader *reader, uint64_t *ret_length, bool *ret_any,
                        struct err *err)
{
    struct cursor *cursor = &reader->cursor;
    *ret_any = true;
    while (!cursor_at_end(cursor)) {
        uint32_t tag;
        if (!cursor_tag(cursor, &tag, err))
            return false;
        if (tag == WIRE_TAG(XLINE_EVENTS, WIRE_BYTES))
            return cursor_length(cursor, ret_length, err) &&
                   cursor_need(cursor, (size_t)*ret_length, err);
        if (!head_field(reader, tag, err))
            return false;
    }
    *ret_any = false;
    return true;
}

bool events_decode(struct line_reader *reader, struct err *err)
{
    while (reader->room->count < BATCH_EVENTS) {
        uint64_t length;
        bool any = true;
        if (!event_begin_short(&reader->cursor, &length) &&
            !event_begin(reader, &length, &any, err))
            return false;
        if (!any)
            break;
        reader->total++;
        if (!event_decode(reader, (size_t)length, err))
            return false;
    }
    return true;
}
