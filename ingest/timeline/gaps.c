/* Collecting gaps; see gaps.h. At most one marker waits at a time: a gap behind a waiting marker
 * means that its chain is broken.
 */
#include "ingest/timeline/gaps.h"

#include <string.h>

void gap_list_init(struct gap_list *list, struct arena *arena, bool each)
{
    *list = (struct gap_list){.arena = arena, .each = each};
    id_map_init(&list->index, arena);
}

/* Where the gaps before an op that is its own marker are: the place of their entry, from 1. */
static int32_t *own_place(struct gap_tracker *tracker, int32_t op)
{
    struct gap_list *list = tracker->list;
    if ((size_t)op >= list->own_count) {
        const size_t count = tracker->ops->capacity;
        int32_t *own = arena_array(list->arena, int32_t, count);
        if (list->own_count > 0)
            memcpy(own, list->own, list->own_count * sizeof *own);
        list->own = own;
        list->own_count = count;
    }
    return &list->own[op];
}

static void gap_record(struct gap_tracker *tracker, int32_t payload, int32_t marker, double gap_us)
{
    struct gap_list *list = tracker->list;
    int64_t pair = (int64_t)payload << 32 | marker;
    int32_t *own = list->each || payload != marker ? NULL : own_place(tracker, payload);
    int32_t at = own != NULL  ? *own - 1
                 : list->each ? ID_MAP_ABSENT
                              : id_map_find(&list->index, pair);
    if (at != ID_MAP_ABSENT) {
        struct gap *gap = &list->items[at];
        gap->count++;
        gap->total_us += gap_us;
        gap->max_us = gap_us > gap->max_us ? gap_us : gap->max_us;
        return;
    }
    /* Most ops are their own marker. Their count is of who reads ahead, who settles before it
     * changes the capacity. */
    if (list->capacity == 0 && !list->each) {
        list->capacity = tracker->ops->capacity;
        list->items = arena_array(list->arena, struct gap, list->capacity);
    }
    list->items =
        arena_grow(list->arena, list->items, list->count, &list->capacity, sizeof *list->items);
    if (own != NULL)
        *own = (int32_t)list->count + 1;
    else if (!list->each)
        id_map_set(&list->index, pair, (int32_t)list->count);
    list->items[list->count++] = (struct gap){payload, marker, 1, gap_us, gap_us};
}

/* Looks at the event as a payload of the marker that waits. */
static void payload_offer(struct gap_tracker *tracker, const struct gap_event *event)
{
    int32_t payload = tracker->marker;
    if (event->start > tracker->chain_end) {
        tracker->searching = 0;
    } else {
        if (event->end > tracker->chain_end)
            tracker->chain_end = event->end;
        tracker->searching--;
        if (!tracker->ops->traits[event->op].is_marker) {
            payload = event->op;
            tracker->searching = 0;
        }
    }
    if (tracker->searching == 0)
        gap_record(tracker, payload, tracker->marker, tracker->gap_us);
}

/* Takes an event in (start, end) order. */
static void event_take(struct gap_tracker *tracker, const struct gap_event *event)
{
    if (tracker->searching > 0)
        payload_offer(tracker, event);
    bool known = tracker->running_known;
    double running_end = tracker->running_end;
    if (!known || event->end > running_end)
        tracker->running_end = event->end;
    tracker->running_known = true;
    if (!known || !(event->start > running_end))
        return;
    double gap_us = event->start - running_end;
    if (!tracker->ops->traits[event->op].is_marker) {
        gap_record(tracker, event->op, event->op, gap_us);
        return;
    }
    tracker->searching = GAP_LOOKAHEAD;
    tracker->marker = event->op;
    tracker->gap_us = gap_us;
    tracker->chain_end = event->end;
}

static void held_flush(struct gap_tracker *tracker)
{
    for (size_t i = 0; i < tracker->held_count; i++)
        event_take(tracker, &tracker->held[i]);
    if (tracker->held_count > 0 && tracker->held_end > tracker->running_end)
        tracker->running_end = tracker->held_end;
    tracker->held_count = 0;
}

/* Events of one start come longest first; they are wanted shortest first, equals as they came. */
static void held_insert(struct gap_tracker *tracker, const struct gap_event *event)
{
    size_t at = tracker->held_count;
    while (at > 0 && tracker->held[at - 1].end > event->end)
        at--;
    if (tracker->held_count < GAP_HELD)
        tracker->held_count++;
    else if (at == GAP_HELD)
        return;
    memmove(&tracker->held[at + 1], &tracker->held[at],
            (tracker->held_count - at - 1) * sizeof tracker->held[0]);
    tracker->held[at] = *event;
}

void gap_tracker_take(struct gap_tracker *tracker, double start, double end, int32_t op)
{
    const struct gap_event event = {start, end, op};
    if (tracker->held_count > 0 && tracker->held[0].start == start) {
        held_insert(tracker, &event);
        return;
    }
    held_flush(tracker);
    tracker->held[0] = event;
    tracker->held_count = 1;
    tracker->held_end = end; /* the first of a start is the longest */
}

void gap_tracker_finish(struct gap_tracker *tracker)
{
    held_flush(tracker);
    if (tracker->searching > 0)
        gap_record(tracker, tracker->marker, tracker->marker, tracker->gap_us);
    tracker->searching = 0;
}
