/* See device_sums.h. */
#include "ingest/device_sums.h"

enum {
    COMPUTE_BIT = 1 << BUSY_COMPUTE,
    COMMUNICATION_BITS = 1 << BUSY_COMMUNICATION | 1 << FLIGHT_COMMUNICATION,
    COPY_BITS = 1 << BUSY_COPY | 1 << FLIGHT_COPY,
    BUSY_BITS = 1 << BUSY_COMPUTE | 1 << BUSY_COMMUNICATION | 1 << BUSY_COPY | 1 << BUSY_CONTAINER
};

/* Takes the part of a busy stretch that lies in steady steps off their idle time. */
static void steady_add(struct device_sums *sums, int64_t start, int64_t end)
{
    const struct window_list *windows = sums->windows;
    while (sums->window < windows->count && windows->items[sums->window].span_ps[1] <= start)
        sums->window++;
    for (size_t i = sums->window; i < windows->count; i++) {
        const struct step_window *window = &windows->items[i];
        if (window->span_ps[0] >= end)
            return;
        int64_t from = window->span_ps[0] > start ? window->span_ps[0] : start;
        int64_t to = window->span_ps[1] < end ? window->span_ps[1] : end;
        if (window->steady && from < to)
            sums->steady_idle_ps -= to - from;
    }
}

static void segment_add(void *context, int64_t start, int64_t end, unsigned classes)
{
    struct device_sums *sums = context;
    if (classes == 0)
        return; /* before the first event it may be longer than 64 bits hold */
    int64_t length = end - start;
    if (classes & BUSY_BITS) {
        sums->busy_ps += length;
        steady_add(sums, start, end);
    }
    if (classes & COMPUTE_BIT)
        sums->compute_ps += length;
    if (classes & COMMUNICATION_BITS)
        *(classes & COMPUTE_BIT ? &sums->overlapped_comm_ps : &sums->exposed_comm_ps) += length;
    else if ((classes & COPY_BITS) && !(classes & COMPUTE_BIT))
        sums->exposed_copy_ps += length;
}

bool device_sums_begin(struct plane_state *state, struct err *err)
{
    static const struct interval always = {INT64_MIN, INT64_MAX};
    struct device_sums *sums = arena_new(&state->arena, struct device_sums);
    struct sweep_input *inputs = arena_array(&state->arena, struct sweep_input, state->work_count);
    if (sums == NULL || inputs == NULL)
        return arena_failed(&state->arena, "the devices of a profile", err);
    *sums = (struct device_sums){
        .windows = &state->windows, .start_ps = INT64_MAX, .end_ps = INT64_MIN};
    size_t count = 0;
    for (size_t i = 0; i < state->work_count; i++) {
        struct work_list *work = &state->work[i];
        if (work->global || !work->list.any)
            continue;
        inputs[count++] = (struct sweep_input){&work->list, work->class};
        if (!((1U << work->class) & BUSY_BITS))
            continue;
        if (work->list.first_start < sums->start_ps)
            sums->start_ps = work->list.first_start;
        if (work->list.last_end > sums->end_ps)
            sums->end_ps = work->list.last_end;
    }
    sums->sweep.segment = segment_add;
    sums->sweep.context = sums;
    state->sums = sums;
    return sweep_begin(&sums->sweep, inputs, count, always, err);
}

bool device_sums_finish(struct plane_state *state, struct err *err)
{
    if (state->sums == NULL && !device_sums_begin(state, err))
        return false;
    if (!sweep_end(&state->sums->sweep, err))
        return false;
    for (size_t i = 0; i < state->windows.count; i++) {
        const struct step_window *window = &state->windows.items[i];
        if (!window->steady)
            continue;
        state->sums->steady_spans++;
        ps_add(&state->sums->steady_idle_ps, ps_between(window->span_ps[0], window->span_ps[1]));
    }
    return true;
}
