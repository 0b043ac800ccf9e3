#include "ingest/xplane/event_walk.h"
#include "ingest/xplane/fields.h"
#include "ingest/xplane/plane_stats.h"

#include <string.h>

void event_walk_init(struct event_walk *walk, const struct xspace *space,
                     const struct ingest_limits *limits)
{
    memset(walk, 0, sizeof *walk);
    cursor_init(&walk->cursor, &space->input, limits->max_string_bytes);
}

void event_walk_done(struct event_walk *walk)
{
    cursor_done(&walk->cursor);
}

void event_walk_open(struct event_walk *walk, struct xplane *plane, const struct xline *line)
{
    walk->ops = &plane->ops;
    cursor_seek(&walk->cursor, line->begin, line->end);
}

/* One field of an event behind its tag; NULL when it is malformed. */
static const uint8_t *field_read(struct event_walk *walk, uint32_t tag, const uint8_t *p,
                                 const uint8_t *end, bool *has_place)
{
    uint64_t value;
    switch (tag) {
    case EVENT_METADATA_ID:
        p = varint_read(p, end, &value);
        walk->op = p == NULL ? ID_MAP_ABSENT : id_map_find(&walk->ops->op_by_id, (int64_t)value);
        return p;
    case EVENT_OFFSET:
    case EVENT_DURATION:
        p = varint_read(p, end, &value);
        if (p != NULL)
            *(tag == EVENT_OFFSET ? &walk->offset_ps : &walk->duration_ps) = (int64_t)value;
        *has_place = *has_place || tag == EVENT_OFFSET;
        return p;
    case EVENT_OCCURRENCES:
        *has_place = false;
        return varint_read(p, end, &value);
    case EVENT_STATS:
        p = varint_read(p, end, &value);
        if (p == NULL || value > (uint64_t)(end - p))
            return NULL;
        if (walk->stat_count < WALKED_STATS_MAX)
            walk->stats[walk->stat_count++] = (struct walked_stat){p, p + value};
        return p + value;
    default:
        return wire_skip(p, end, tag);
    }
}

static bool event_read(struct event_walk *walk, size_t length, bool *ret_has_place, struct err *err)
{
    const uint8_t *p = walk->cursor.p, *end = p + length;
    uint32_t tag;
    walk->op = ID_MAP_ABSENT;
    walk->offset_ps = walk->duration_ps = 0;
    walk->stat_count = 0;
    *ret_has_place = false;
    while (p < end) {
        p = tag_read(p, end, &tag);
        if (p != NULL)
            p = field_read(walk, tag, p, end, ret_has_place);
        if (p == NULL)
            return cursor_malformed(&walk->cursor, "an event is malformed", err);
    }
    walk->cursor.p = end;
    return true;
}

bool event_walk_next(struct event_walk *walk, bool *ret_any, struct err *err)
{
    struct cursor *cursor = &walk->cursor;
    *ret_any = false;
    while (!*ret_any && !cursor_at_end(cursor)) {
        uint32_t tag;
        uint64_t length;
        if (!cursor_tag(cursor, &tag, err))
            return false;
        if (tag != WIRE_TAG(XLINE_EVENTS, WIRE_BYTES)) {
            if (!cursor_skip_field(cursor, tag, err))
                return false;
        } else if (!cursor_length(cursor, &length, err) ||
                   !cursor_need(cursor, (size_t)length, err) ||
                   !event_read(walk, (size_t)length, ret_any, err)) {
            return false;
        }
    }
    return true;
}

bool event_walk_stat(struct event_walk *walk, size_t index, const char **ret_name,
                     struct stat_value *ret_value, struct err *err)
{
    const struct walked_stat *stat = &walk->stats[index];
    return plane_stat_read(walk->ops, stat->begin, stat->end, ret_name, ret_value) ||
           cursor_malformed(&walk->cursor, "a stat is malformed or holds a text that is not UTF-8",
                            err);
}
