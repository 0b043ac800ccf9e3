/* Idle gaps before ops (profile_summary.v1 §11): collecting them while a track streams by, and the
 * table of them.
 *
 * A gap belongs to the event that it stands before, its marker; when that only marks that
 * something begins, the next real op within eight events is the payload that the gap is charged to.
 */
#ifndef INGEST_TIMELINE_GAPS_H
#define INGEST_TIMELINE_GAPS_H

#include "ingest/lookup/lookup.h"
#include "ingest/xplane/xplane.h"
#include "ops/runtime/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Gaps of one payload and marker, in order of their events. */
struct gap {
    int32_t payload, marker; /* ops of the plane */
    int64_t count;
    double total_us, max_us;
};

struct gap_list {
    struct arena *arena;
    bool each; /* one entry per gap, for sums in the reference's order; else one per pair of ops */
    struct gap *items;
    size_t count, capacity;
    struct id_map index; /* by pair … */
    int32_t *own;        /* … but where the payload is its own marker: by op, from 1; 0: none */
    size_t own_count;
};

/* An empty list in the arena; `each` is the member of that name. */
void gap_list_init(struct gap_list *list, struct arena *arena, bool each);

enum { GAP_LOOKAHEAD = 8, GAP_HELD = GAP_LOOKAHEAD + 1 };

struct gap_event {
    double start, end;
    int32_t op;
};

/* One track. Zeroed at its start. */
struct gap_tracker {
    struct gap_list *list;
    const struct plane_ops *ops;
    /* Events of one start, by end: of them at most the first nine can matter, and the largest end.
     */
    struct gap_event held[GAP_HELD];
    size_t held_count;
    double held_end;
    bool running_known; /* an event came before */
    double running_end; /* the latest end so far */
    /* A marker that waits for its payload. */
    int searching; /* events that may still be looked at; 0 = none waits */
    int32_t marker;
    double gap_us, chain_end;
};

/* Takes the next event, in (start, -end) order. */
void gap_tracker_take(struct gap_tracker *tracker, double start, double end, int32_t op);
static inline void gap_tracker_add(struct gap_tracker *tracker, double start, double end,
                                   int32_t op)
{
    struct gap_event *held = &tracker->held[0];
    if (tracker->held_count != 1 || tracker->searching > 0 || !tracker->running_known ||
        held->start == start || held->start > tracker->running_end) {
        gap_tracker_take(tracker, start, end, op);
        return;
    }
    /* The one before began while another lasted: it is behind no gap. */
    if (held->end > tracker->running_end)
        tracker->running_end = held->end;
    *held = (struct gap_event){start, end, op};
    tracker->held_end = end;
}

/* Ends the track. */
void gap_tracker_finish(struct gap_tracker *tracker);

#endif
