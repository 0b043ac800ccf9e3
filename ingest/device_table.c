/* What each device did: unions of intervals over all its lines, swept once (spec/xprof.md B.2). */
#include "ingest/ours.h"
#include "ingest/steps.h"

#include <stdlib.h>
#include <string.h>

enum {
    COMPUTE_BIT = 1 << BUSY_COMPUTE,
    COMMUNICATION_BIT = 1 << BUSY_COMMUNICATION,
    COPY_BIT = 1 << BUSY_COPY,
    ANY_BIT = 1 << BUSY_ANY
};

/* A device while its lines are swept. */
struct sums {
    struct device_row *row;
    const struct window_list *windows;
    size_t window; /* the first that the sweep has not left behind */
    int64_t busy_in_steady_ps;
};

/* Adds the part of a busy stretch that lies in steady steps. */
static void steady_add(struct sums *sums, int64_t start, int64_t end)
{
    const struct window_list *windows = sums->windows;
    while (sums->window < windows->count &&
           windows->items[sums->window].span_ps[1] <= start)
        sums->window++;
    for (size_t i = sums->window; i < windows->count; i++) {
        const struct step_window *window = &windows->items[i];
        if (window->span_ps[0] >= end)
            return;
        int64_t from = window->span_ps[0] > start ? window->span_ps[0] : start;
        int64_t to = window->span_ps[1] < end ? window->span_ps[1] : end;
        if (window->steady && from < to)
            sums->busy_in_steady_ps += to - from;
    }
}

static void segment_add(void *context, int64_t start, int64_t end, unsigned classes)
{
    struct sums *sums = context;
    struct device_row *row = sums->row;
    int64_t length = end - start;
    if (classes & ANY_BIT) {
        row->busy_ps += length;
        steady_add(sums, start, end);
    }
    if (classes & COMPUTE_BIT)
        row->compute_ps += length;
    if (classes & COMMUNICATION_BIT)
        *(classes & COMPUTE_BIT ? &row->overlapped_comm_ps : &row->exposed_comm_ps) += length;
    else if ((classes & COPY_BIT) && !(classes & COMPUTE_BIT))
        row->exposed_copy_ps += length;
}

static size_t inputs_collect(struct plane_state *state, struct sweep_input *inputs,
                             struct interval *ret_all, struct interval *ret_ops)
{
    size_t count = 0;
    *ret_all = *ret_ops = (struct interval){INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < state->work_count; i++) {
        struct work_list *work = &state->work[i];
        if (work->global || !work->list.any)
            continue;
        inputs[count++] = (struct sweep_input){&work->list, work->class};
        struct interval *windows[] = {ret_all, work->class == BUSY_ANY ? ret_ops : ret_all};
        for (size_t w = 0; w < 2; w++) {
            if (work->list.first_start < windows[w]->start)
                windows[w]->start = work->list.first_start;
            if (work->list.last_end > windows[w]->end)
                windows[w]->end = work->list.last_end;
        }
    }
    return count;
}

static bool plane_sweep(struct profile *profile, struct plane_state *state, struct device_row *row,
                        struct err *err)
{
    struct interval all, ops;
    struct sweep_input *inputs =
        arena_array(profile->arena, struct sweep_input, state->work_count);
    if (inputs == NULL)
        return arena_failed(profile->arena, "the devices of a profile", err);
    size_t count = inputs_collect(state, inputs, &all, &ops);
    struct sums sums = {.row = row, .windows = &state->windows};
    if (count > 0 && !intervals_sweep(inputs, count, all, segment_add, &sums, err))
        return false;
    row->window_ps = ops.start < ops.end ? ps_between(ops.start, ops.end) : 0;
    row->idle_ps = row->window_ps - row->busy_ps;
    int64_t steady_ps = 0;
    for (size_t i = 0; i < state->windows.count; i++) {
        const struct step_window *window = &state->windows.items[i];
        if (!window->steady)
            continue;
        state->steady_span_count++;
        ps_add(&steady_ps, ps_between(window->span_ps[0], window->span_ps[1]));
    }
    state->steady_idle_ps = steady_ps - sums.busy_in_steady_ps;
    return true;
}

/* ---- the table ------------------------------------------------------------------------------- */

static int64_t op_events(const struct plane_state *state)
{
    const struct plane_ops *ops = &state->plane->ops;
    int64_t count = 0;
    for (size_t i = 0; ops->is_device && i < ops->count; i++)
        count += ops->details[i].asynchronous ? 0 : ops->tallies[i].count;
    return count;
}

static bool row_fill(struct profile *profile, struct plane_state *state, struct device_row *row,
                     struct err *err)
{
    *row = (struct device_row){
        .name = state->plane->name,
        .host = state->plane->space->host,
        .steady_step_median_ps = -1,
        .op_count = op_events(state),
    };
    if (profile->space_count > 1)
        row->name = arena_printf(profile->arena, "%s%s", row->host, state->plane->name);
    if (row->name == NULL)
        return arena_failed(profile->arena, "the devices of a profile", err);
    return plane_sweep(profile, state, row, err);
}

bool device_table_build(struct profile *profile, struct summary *summary, struct err *err)
{
    steps_span(profile);
    size_t count = 0;
    summary->devices = arena_array(profile->arena, struct device_row, profile->plane_count);
    if (summary->devices == NULL)
        return arena_failed(profile->arena, "the devices of a profile", err);
    for (size_t p = 0; p < profile->plane_count; p++) {
        struct plane_state *state = &profile->planes[p];
        if (op_events(state) == 0)
            continue;
        state->device = (uint32_t)count;
        if (!row_fill(profile, state, &summary->devices[count++], err))
            return false;
    }
    summary->device_count = count;
    if (count == 0)
        summary->devices = NULL;
    return true;
}
