/* See run_ahead.h. */
#include "ingest/steps/run_ahead.h"
#include "ingest/steps/host_steps.h"

struct plane_reading {
    struct plane_state *state;
    bool *busy; /* by window: the device was at work when it began */
    int64_t last_end_ps;
    bool busy_at_end;
    int64_t inside_ps, behind_ps; /* of ops: within a window, and behind the last one */
};

/* How many windows begin by then. */
static size_t windows_begun(const struct window_list *windows, int64_t ps)
{
    size_t low = 0, high = windows->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (windows->items[middle].start_ps <= ps)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_copy(const struct plane_state *state, const struct event *event)
{
    const struct plane_ops *ops = &state->plane->ops;
    return ops->details[event->op].asynchronous || ops->ops[event->op].device_class == DEVICE_COPY;
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

static bool line_read(struct plane_reading *reading, struct track *track, struct xline *line,
                      struct err *err)
{
    if (!track_open(track, reading->state, line, err))
        return false;
    do {
        if (!line_reader_next(&track->reader, err))
            return false;
        line_reader_take_ps(&track->reader);
        for (size_t i = 0; i < track->reader.count; i++) {
            const struct event *event = &track->reader.events[i];
            int64_t start;
            if (track->has_ps && !is_copy(reading->state, event) &&
                !__builtin_add_overflow(track->base_ps, event->offset_ps, &start))
                op_add(reading, start, event->duration_ps);
        }
    } while (track->reader.count > 0);
    return true;
}

static bool plane_read(struct profile *profile, struct plane_reading *reading, struct err *err)
{
    struct xplane *plane = reading->state->plane;
    scoped_track track;
    if (!track_init(&track, profile, plane->space, err))
        return false;
    for (size_t i = 0; i < plane->line_count; i++) {
        struct xline *line = &plane->lines[i];
        if (line->role == LINE_OPS && !line->derived && !line->asynchronous &&
            line_has_events(line) && !line_read(reading, &track, line, err))
            return false;
    }
    return true;
}

static bool is_ahead(const struct plane_reading *reading)
{
    const size_t count = reading->state->windows.count;
    size_t busy = 0;
    for (size_t i = 1; i < count; i++)
        busy += reading->busy[i];
    return (busy > 0 && 2 * busy >= count - 1) ||
           (reading->busy_at_end && reading->behind_ps > reading->inside_ps);
}

/* When the last annotation ends. */
static bool last_end_find(struct profile *profile, struct plane_reading *reading, struct err *err)
{
    const struct host_step_list *list = steps_of_host(profile, reading->state->plane->space, err);
    reading->last_end_ps = INT64_MIN;
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        if (list->items[i].end_ps > reading->last_end_ps)
            reading->last_end_ps = list->items[i].end_ps;
    }
    return list != NULL;
}

bool run_ahead_find(struct profile *profile, bool *ret_ahead, struct err *err)
{
    *ret_ahead = false;
    for (size_t p = 0; p < profile->plane_count && !*ret_ahead; p++) {
        struct plane_reading reading = {.state = &profile->planes[p]};
        const struct window_list *windows = &reading.state->windows;
        if (!reading.state->plane->is_device || windows->count == 0 || windows->launches != NULL)
            continue;
        scoped_arena scratch;
        arena_init_within(&scratch, profile->arena);
        reading.busy = arena_array(&scratch, bool, windows->count);
        if (reading.busy == NULL)
            return arena_failed(&scratch, "the steps of a profile", err);
        if (!last_end_find(profile, &reading, err) || !plane_read(profile, &reading, err))
            return false;
        *ret_ahead = is_ahead(&reading);
    }
    return true;
}
