/* Few events of a line with all that they say: who asks about allocations or groups of events wants
 * stats that nobody else reads, also of events that last no time.
 *
 * Of an XPlane file only: other formats keep no stats of their events.
 */
#ifndef INGEST_XPLANE_EVENT_WALK_H
#define INGEST_XPLANE_EVENT_WALK_H

#include "ingest/xplane/xspace.h"

enum { WALKED_STATS_MAX = 64 };

/* The present event. Values are read when they are asked for. */
struct event_walk {
    struct cursor cursor;
    struct plane_ops *ops;
    int32_t op; /* of plane_ops.ops; ID_MAP_ABSENT without metadata */
    int64_t offset_ps, duration_ps;
    struct walked_stat {
        const uint8_t *begin, *end;
    } stats[WALKED_STATS_MAX];
    size_t stat_count; /* more than there is room for are left out */
};

/* Prepares a walk over lines of a file, which lies in no store. event_walk_done accepts a zeroed
 * struct. */
void event_walk_init(struct event_walk *walk, const struct xspace *space,
                     const struct ingest_limits *limits);
void event_walk_done(struct event_walk *walk);

/* Begins a line. */
void event_walk_open(struct event_walk *walk, struct xplane *plane, const struct xline *line);

/* Goes to the next event that has a place in time; *ret_any is false at the end of the line.
 * ERR_INPUT names the byte. */
bool event_walk_next(struct event_walk *walk, bool *ret_any, struct err *err);

/* Name and value of one of its stats, until the next event; the name is "" where the file does not
 * tell. false with ERR_INPUT. */
bool event_walk_stat(struct event_walk *walk, size_t index, const char **ret_name,
                     struct stat_value *ret_value, struct err *err);

#define scoped_event_walk __attribute__((cleanup(event_walk_done))) struct event_walk

#endif
