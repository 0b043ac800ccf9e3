#include "ingest/steps/run_ahead.h"
#include "ingest/lines/lines.h"
#include "ingest/steps/host_steps.h"

#include <stdlib.h>

/* An op of a device whose launches are known, as a rule. */
struct placed_op {
    int64_t start_ps, duration_ps;
    bool launched;  /* its launch is known … */
    int32_t window; /* … and of this one; -1: of none */
    int32_t begun;  /* the window that it began in */
};

struct plane_reading {
    struct plane_state *state;
    struct arena *arena;

    /* Where launches are known: the ops of the present line, and what all of them add up to. */
    struct placed_op *ops;
    size_t op_count, op_capacity;
    int64_t all_ps, doubtful_ps, behind_all_ps; /* of steps */
    double doubtful_count;                      /* ends of steps */
    int64_t apart_ps;                           /* of lines without a launch that is known */

    /* Where none is. */
    bool *busy;          /* by window: the device was at work when it began */
    int64_t last_end_ps; /* when the last annotation ends */
    bool busy_at_end;
    int64_t inside_ps, behind_ps; /* of ops: within a window, and behind the last one */
};

/* How many windows begin by then. */
static size_t windows_begun(const struct window_list *windows, int64_t ps)
{
    return sorted_count(windows->count, at, windows->items[at].start_ps <= ps);
}

/* An op that goes on when a window begins, or begins within the time that no launch is done in, was
 * launched before. */
static void op_add(struct plane_reading *reading, int64_t start, int64_t duration_ps)
{
    static const int64_t rounding_ps = 2000000; /* clocks of host and device */
    static const int64_t launch_ps = 3000000;
    const struct window_list *windows = &reading->state->windows;
    const size_t begun = windows_begun(windows, start);
    const int64_t until = begun > 0 ? windows->items[begun - 1].end_ps : start;
    int64_t before = start, end = start;
    ps_add(&before, -launch_ps);
    ps_add(&end, duration_ps);
    if (start < until)
        ps_add(&reading->inside_ps, ps_between(start, end < until ? end : until));
    if (begun == windows->count && end > until)
        ps_add(&reading->behind_ps, ps_between(start < until ? until : start, end));
    ps_add(&end, -rounding_ps);
    for (size_t i = windows_begun(windows, before);
         i < windows->count && windows->items[i].start_ps < end; i++)
        reading->busy[i] = true;
    if (before <= reading->last_end_ps && reading->last_end_ps < end)
        reading->busy_at_end = true;
}

/* ---- ops without a launch among such as have one --------------------------------------------- */

static void placed_add(struct plane_reading *reading, const struct event_note *note, int64_t start,
                       int64_t duration_ps)
{
    const struct window_list *windows = &reading->state->windows;
    const size_t begun = windows_begun(windows, start);
    reading->ops = arena_grow(reading->arena, reading->ops, reading->op_count,
                              &reading->op_capacity, sizeof *reading->ops);
    struct placed_op *op = &reading->ops[reading->op_count++];
    *op = (struct placed_op){
        .start_ps = start, .duration_ps = duration_ps, .window = -1, .begun = -1};
    if (begun > 0 && start < windows->items[begun - 1].end_ps)
        op->begun = (int32_t)begun - 1;
    if (note == NULL || !correlation_is_known(note->correlation))
        return;
    size_t hint = 0;
    const struct opt_i64 step = launch_step(windows->launches, note->correlation.value, &hint);
    op->launched = step.set || launch_is_earlier(windows->launches, note->correlation.value);
    if (step.set && step.value != LAUNCH_OF_NO_STEP)
        op->window = id_map_find(windows->by_number, step.value);
}

static int placed_order(const void *a, const void *b)
{
    const struct placed_op *left = a, *right = b;
    return (left->start_ps > right->start_ps) - (left->start_ps < right->start_ps);
}

/* Adds ops whose launches are not known, between two of these steps (-1: of none): of one step all
 * are; else nobody knows where one ends and the other begins, if the device is behind. */
static void between_add(struct plane_reading *reading, int64_t between_ps, int32_t before,
                        int32_t after, bool behind)
{
    if (before < 0 && after < 0)
        return;
    ps_add(&reading->all_ps, between_ps);
    if (before == after || !behind)
        return;
    ps_add(&reading->doubtful_ps, between_ps);
    reading->doubtful_count += between_ps > 0;
}

/* Adds up the line's ops. What lies before the first launch that is known may be of a step before
 * it, what lies behind the last one of a step behind. */
static void line_settle(struct plane_reading *reading)
{
    int32_t before = -1;
    int64_t between_ps = 0;
    bool any = false, behind = false;
    if (reading->op_count > 1)
        qsort(reading->ops, reading->op_count, sizeof *reading->ops, placed_order);
    for (size_t i = 0; i < reading->op_count; i++) {
        const struct placed_op *op = &reading->ops[i];
        if (!op->launched) {
            ps_add(&between_ps, op->duration_ps);
            continue;
        }
        const bool was_behind = behind;
        behind = place_is_behind(op->window, op->begun, was_behind);
        between_add(reading, between_ps, before, op->window, behind || was_behind);
        ps_add(&reading->all_ps, op->window < 0 ? 0 : op->duration_ps);
        ps_add(&reading->behind_all_ps, op->window >= 0 && behind ? op->duration_ps : 0);
        between_ps = 0;
        before = op->window;
        any = true;
    }
    if (any)
        between_add(reading, between_ps, before, -1, behind);
    else
        ps_add(&reading->apart_ps, between_ps);
    reading->op_count = 0;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Of a line whose launches are known its beginning tells how many are not. */
static bool line_read(struct plane_reading *reading, struct track *track, struct xline *line,
                      struct err *err)
{
    enum { PLACED_MOST = 1 << 17 };
    const bool launched = reading->state->windows.launches != NULL;
    const struct plane_ops *ops = &reading->state->plane->ops;
    track_open_device(track, reading->state, line);
    do {
        if (!line_reader_next(&track->reader, err))
            return false;
        line_reader_take_ps(&track->reader);
        for (size_t i = 0; i < track->reader.count; i++) {
            const struct event *event = &track->reader.batch->events[i];
            int64_t start;
            if (!track->has_ps || ops->details[event->op].asynchronous ||
                ops->ops[event->op].device_class == DEVICE_COPY ||
                __builtin_add_overflow(track->base_ps, event->offset_ps, &start))
                continue;
            if (!launched)
                op_add(reading, start, event->duration_ps);
            else
                placed_add(reading, line_reader_note(&track->reader, i), start, event->duration_ps);
        }
    } while (track->reader.count > 0 && reading->op_count < PLACED_MOST);
    line_settle(reading);
    return true;
}

/* Where launches are known, whether steps would be of ops that may be of others. What the median of
 * many steps is a minority of them does not change. */
static bool is_ahead(const struct plane_reading *reading)
{
    static const double doubtful_most = .02, minority = .4;
    enum { MANY_STEPS = 12 };
    const size_t count = reading->state->windows.count;
    const double all = (double)reading->all_ps, steps = (double)count;
    size_t busy = 0;
    for (size_t i = 1; i < count; i++)
        busy += reading->busy[i];
    if (reading->state->windows.launches == NULL)
        return (busy > 0 && 2 * busy >= count - 1) ||
               (reading->busy_at_end && reading->behind_ps > reading->inside_ps);
    if (2 * reading->behind_all_ps > reading->all_ps &&
        (double)reading->apart_ps > doubtful_most * all)
        return true;
    return (double)reading->doubtful_ps > doubtful_most * all &&
           (steps < MANY_STEPS || reading->doubtful_count > minority * steps);
}

bool run_ahead_find(struct profile *profile, bool *ret_ahead, struct err *err)
{
    *ret_ahead = false;
    for (size_t p = 0; p < profile->plane_count && !*ret_ahead; p++) {
        scoped_arena scratch;
        struct plane_reading reading = {
            .state = &profile->planes[p], .arena = &scratch, .last_end_ps = INT64_MIN};
        const struct window_list *windows = &reading.state->windows;
        arena_init_within(&scratch, profile->arena);
        if (!reading.state->plane->is_device || windows->count == 0)
            continue;
        reading.busy = arena_array(&scratch, bool, windows->count);
        const struct host_step_list *list = steps_of_host(profile, reading.state->plane->space);
        for (size_t i = 0; i < list->count; i++)
            reading.last_end_ps = list->items[i].end_ps > reading.last_end_ps
                                      ? list->items[i].end_ps
                                      : reading.last_end_ps;
        struct xplane *plane = reading.state->plane;
        scoped_track track;
        track_init(&track, profile, plane->space);
        for (size_t i = 0; i < plane->line_count; i++) {
            if (line_is_of_ops(&plane->lines[i]) &&
                !line_read(&reading, &track, &plane->lines[i], err))
                return false;
        }
        *ret_ahead = is_ahead(&reading);
    }
    return true;
}
