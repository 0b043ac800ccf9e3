/* Tracks of device ops: exclusive times, gaps, and when the device was busy with what.
 *
 * The reference's figures want doubles in its order, ours want picoseconds in theirs. Both come
 * from one reading.
 */
#include "ingest/timeline/device_sums.h"
#include "ingest/timeline/running_totals.h"
#include "ingest/timeline/track.h"

#include <math.h>
#include <string.h>

/* ---- the reference's figures ----------------------------------------------------------------- */

/* Adds the events that have their exclusive time and waited for those before them. */
static void waiting_flush(struct track *track)
{
    for (size_t i = 0; i < track->waiting_count; i++) {
        const struct settled *settled = &track->waiting[i];
        running_totals_add(track->profile->running, track->reader.ops, settled->op,
                           settled->duration_us, settled->exclusive_us);
    }
    track->waiting_count = 0;
}

static inline void settle_us(struct track *track, double start, double end)
{
    uint32_t tag;
    double exclusive;
    const struct plane_ops *ops = track->reader.ops;
    while (stack_us_pop(&track->us, start, end, &tag, &exclusive)) {
        int32_t op = (int32_t)tag;
        if (track->profile->exact) {
            op = track->waiting[tag].op;
            track->waiting[tag].exclusive_us = exclusive;
        } else {
            ops->tallies[op].exclusive_us += exclusive;
        }
        track->parts[ops->traits[op].part] += exclusive;
    }
}

/* Tag of the event on the stack: its place among those that wait, or just its op. */
static inline uint32_t waiting_add(struct track *track, const struct event *event)
{
    if (!track->profile->exact)
        return (uint32_t)event->op;
    if (track->us.depth == 0)
        waiting_flush(track);
    if (track->waiting_count == track->waiting_capacity) {
        track->waiting_capacity = track->waiting_capacity == 0 ? 256 : 2 * track->waiting_capacity;
        track->waiting =
            memory_resize(track->waiting, track->waiting_capacity * sizeof *track->waiting);
    }
    track->waiting[track->waiting_count] = (struct settled){event->op, event->duration_us, 0};
    return (uint32_t)track->waiting_count++;
}

static inline bool event_us(struct track *track, const struct event *event, struct line_sums *sums,
                            struct err *err)
{
    struct plane_ops *ops = track->reader.ops;
    double start = event->start_us, end = start + event->duration_us;
    uint64_t place = event_place(track->line, sums->count);
    struct op_tally *tally = &ops->tallies[event->op];
    if (tally->count++ == 0)
        tally->first_seen = place;
    tally->total_us += event->duration_us;
    if (sums->count++ == 0) {
        sums->start_us = start;
        sums->end_us = end;
    }
    if (end > sums->end_us)
        sums->end_us = end;
    settle_us(track, start, end);
    stack_us_push(&track->us, end, event->duration_us, waiting_add(track, event));
    gap_tracker_add(&track->gaps, start, end, event->op);
    return track_add_global(track, event, (enum breakdown_part)ops->traits[event->op].part, err);
}

/* ---- ours ------------------------------------------------------------------------------------ */

/* The tag of the ps stack: an op, and the step that its event lies in: none, one of the first by
 * its number, or a steady one. */
enum { PLACE_BITS = 5, PLACE_NONE = 0, PLACE_STEADY = (1 << PLACE_BITS) - 1 };
_Static_assert((int)HEAD_WINDOWS < (int)PLACE_STEADY, "a place for each of the first steps");

static inline void settle_ps(struct track *track, int64_t start, int64_t end)
{
    uint32_t tag;
    int64_t self;
    while (stack_ps_pop(&track->ps, start, end, &tag, &self)) {
        const int32_t op = (int32_t)(tag >> PLACE_BITS);
        const uint32_t place = tag & PLACE_STEADY;
        struct op_tally *tally = &track->reader.ops->tallies[op];
        tally->self_ps += self;
        if (place == PLACE_STEADY)
            tally->steady_self_ps += self;
        else if (place == PLACE_NONE)
            ps_add(&track->state->apart_self_ps, track->line->asynchronous ? 0 : self);
        else {
            struct plane_state *state = track->state;
            head_sum(&state->heads, (uint8_t)place, op, &state->arena)->self_ps += self;
        }
    }
}

/* Counts the event at its place. */
static inline void place_count(struct track *track, int32_t op, uint32_t place)
{
    struct plane_state *state = track->state;
    if (place == PLACE_STEADY)
        track->reader.ops->tallies[op].steady_count++;
    if (place == PLACE_NONE && !track->line->asynchronous)
        state->apart_count++;
    if (place != PLACE_STEADY && place != PLACE_NONE)
        head_sum(&state->heads, (uint8_t)place, op, &state->arena)->count++;
}

/* The class of a device's time that an op takes; -1 for none. Flights overlap the ops, so only what
 * they transfer counts. */
static inline int busy_class(enum device_class class, bool in_flight)
{
    switch (class) {
    case DEVICE_COMMUNICATION:
        return in_flight ? FLIGHT_COMMUNICATION : BUSY_COMMUNICATION;
    case DEVICE_COPY:
        return in_flight ? FLIGHT_COPY : BUSY_COPY;
    case DEVICE_CONTAINER:
        return in_flight ? -1 : BUSY_CONTAINER;
    case DEVICE_COMPUTE:
        break;
    }
    return in_flight ? -1 : BUSY_COMPUTE;
}

static inline bool busy_add(struct track *track, const struct op_traits *op, int64_t start,
                            int64_t end, struct err *err)
{
    int class = busy_class((enum device_class)op->device_class, track->line->asynchronous);
    if (class < 0)
        return true;
    if (track->live != NULL)
        return device_sums_add(track->live, (unsigned)class, start, end, err);
    return interval_list_add(&track->own[class].list, start, end, err);
}

/* Notes that our figures miss events of the op, or have more (below 0). */
static void event_leave_out(struct track *track, int32_t op, int64_t count)
{
    counter_add(&track->state->unplaced, op, count, 0);
}

/* Our figures have an event that was left out, or that the reference has none of: its op is then
 * first seen here. */
static void event_put_back(struct track *track, int32_t op)
{
    struct op_tally *tally = &track->reader.ops->tallies[op];
    if (tally->count == 0 && tally->first_seen == 0)
        tally->first_seen =
            event_place(track->line, track->profile->lines[track->line->ordinal].count);
    event_leave_out(track, op, -1);
}

/* Event `index` of the batch in order of picoseconds. */
static inline bool event_ps(struct track *track, const struct event *event, size_t index,
                            struct err *err)
{
    struct plane_ops *ops = track->reader.ops;
    struct op_tally *tally = &ops->tallies[event->op];
    int64_t start, end, total;
    if (__builtin_add_overflow(track->base_ps, event->offset_ps, &start) ||
        __builtin_add_overflow(start, event->duration_ps, &end) ||
        __builtin_add_overflow(tally->total_ps, event->duration_ps, &total)) {
        track->state->out_of_range[STAGE_OPS]++;
        event_leave_out(track, event->op, 1);
        return true;
    }
    tally->total_ps = total;
    const struct window_list *windows = &track->state->windows;
    int32_t window = step_place(&track->steps, &track->reader, index, start);
    uint32_t place = window < 0                      ? PLACE_NONE
                     : windows->items[window].steady ? PLACE_STEADY
                                                     : windows->items[window].head;
    settle_ps(track, start, end);
    if (!track->line->asynchronous && end > track->state->ops_end_ps)
        track->state->ops_end_ps = end;
    stack_ps_push(&track->ps, end, event->duration_ps, (uint32_t)event->op << PLACE_BITS | place);
    place_count(track, event->op, place);
    if (window >= 0 && windows->by_ops && !track->line->asynchronous &&
        (windows->program == NULL || op_is_of(&ops->details[event->op], windows->program))) {
        struct extent_list *extents = &track->state->extents;
        extents_add(extents, window, ops->details[event->op].program, start, end);
        extents_note(extents, end, event->op);
    }
    return start == end || busy_add(track, &ops->traits[event->op], start, end, err);
}

/* ---- one pass -------------------------------------------------------------------------------- */

/* What a pass adds to; PUT_BACK takes back what a pass before left out. */
enum { FOR_REFERENCE = 1, FOR_OURS = 2, LEFT_OUT = 4, PUT_BACK = 8 };

/* What is at one place of the batch in each of the two orders. */
static inline __attribute__((always_inline)) bool event_ops(struct track *track, size_t index,
                                                            unsigned figures, struct err *err)
{
    const struct event *in_ps = &line_reader_in_ps(&track->reader)->events[index];
    if (figures & FOR_REFERENCE) {
        const struct event *event = &track->reader.batch->events[index];
        struct line_sums *sums = &track->profile->lines[track->line->ordinal];
        const struct event_note *note = line_reader_note(&track->reader, index);
        if (note != NULL)
            track_count_run(track, note, event_place(track->line, sums->count));
        if (!event_us(track, event, sums, err))
            return false;
    }
    if (figures & LEFT_OUT)
        event_leave_out(track, in_ps->op, 1);
    if (figures & PUT_BACK)
        event_put_back(track, in_ps->op);
    return !(figures & FOR_OURS) || event_ps(track, in_ps, index, err);
}

static bool batch_pass(struct track *track, unsigned figures, struct err *err)
{
    /* Nearly all batches are of this kind: for them all that is asked of the rest is left out. */
    const unsigned both = FOR_REFERENCE | FOR_OURS;
    if (figures == both) {
        for (size_t i = 0; i < track->reader.count; i++) {
            if (!event_ops(track, i, both, err))
                return false;
        }
        return true;
    }
    for (size_t i = 0; i < track->reader.count; i++) {
        if (!event_ops(track, i, figures, err))
            return false;
    }
    return true;
}

static bool line_pass(struct track *track, unsigned figures, bool *ret_disorder, struct err *err)
{
    const bool by_device = !(figures & FOR_REFERENCE);
    (by_device ? track_open_device : track_open)(track, track->state, track->line);
    track->reader.shows_flights = track->line->asynchronous;
    if (track->reads_ahead &&
        track->line->end - track->line->begin > track->profile->options->ahead_line_bytes)
        line_reader_run_ahead(&track->reader);
    bool is_far = !track->has_ps && (figures & FOR_OURS);
    if (is_far)
        figures = (figures & ~(unsigned)FOR_OURS) | LEFT_OUT;
    do {
        if (!track_next(track, err))
            return false;
        track->state->out_of_range[STAGE_OPS] += is_far ? (int64_t)track->reader.count : 0;
        *ret_disorder = track->reader.is_late;
        if (!batch_pass(track, figures, err))
            return false;
    } while (track->reader.count > 0 && !*ret_disorder &&
             !plane_is_vain(track->profile, track->state));
    line_reader_close(&track->reader);
    settle_us(track, INFINITY, INFINITY);
    settle_ps(track, INT64_MAX, INT64_MAX);
    return true;
}

/* Our figures of a line whose device has a clock of its own, in the order of that clock. */
static bool device_pass(struct track *track, bool *ret_disorder, struct err *err)
{
    struct xline *line = track->line;
    progress_expect(&track->profile->progress, line->end - line->begin);
    if (!line_pass(track, FOR_OURS | PUT_BACK, ret_disorder, err))
        return false;
    line->device_late = *ret_disorder;
    track->profile->lines[line->ordinal].dropped = track->reader.dropped;
    return true;
}

bool track_ops(struct track *track, struct plane_state *state, struct xline *line, double *parts,
               bool *ret_disorder, struct err *err)
{
    struct line_sums *sums = &track->profile->lines[line->ordinal];
    *sums = (struct line_sums){0};
    *ret_disorder = false;
    track->state = state;
    track->line = line;
    track->parts = parts;
    track->gaps = (struct gap_tracker){.list = &state->gaps, .ops = &state->plane->ops};
    int64_t base_ps;
    const bool has_clock = state->plane->clock != NULL && !line->derived &&
                           line_base_ps(state->plane->space, line, &base_ps);
    unsigned ours = line->derived || has_clock ? LEFT_OUT : FOR_OURS;
    if (!line_pass(track, FOR_REFERENCE | ours, ret_disorder, err))
        return false;
    if (*ret_disorder)
        return true;
    sums->dropped = track->reader.dropped;
    track_close(track);
    gap_tracker_finish(&track->gaps);
    waiting_flush(track);
    return !has_clock || device_pass(track, ret_disorder, err);
}
