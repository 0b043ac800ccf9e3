#include "ingest/timeline/device_sums.h"

#include "ingest/lookup/lookup.h"

#include <stdlib.h>

enum {
    COMPUTE_BIT = 1 << BUSY_COMPUTE,
    COMMUNICATION_BITS = 1 << BUSY_COMMUNICATION | 1 << FLIGHT_COMMUNICATION,
    COPY_BITS = 1 << BUSY_COPY | 1 << FLIGHT_COPY,
    BUSY_BITS = 1 << BUSY_COMPUTE | 1 << BUSY_COMMUNICATION | 1 << BUSY_COPY | 1 << BUSY_CONTAINER
};

/* Adds what a busy stretch takes of each steady step. Steps may overlap: a stretch counts once for
 * each that is open. */
static void steady_add(struct device_sums *sums, int64_t start, int64_t end)
{
    int64_t shared;
    if (end <= sums->steady_until) {
        if (__builtin_mul_overflow(end - start, sums->begun - sums->ended, &shared))
            shared = INT64_MAX;
        ps_add(&sums->steady_busy_ps, shared);
        return;
    }
    while (start < end) {
        int64_t until = INT64_MAX;
        while (sums->begun < sums->span_count && sums->begins[sums->begun] <= start)
            sums->begun++;
        while (sums->ended < sums->span_count && sums->ends[sums->ended] <= start)
            sums->ended++;
        if (sums->begun < sums->span_count && sums->begins[sums->begun] < until)
            until = sums->begins[sums->begun];
        if (sums->ended < sums->span_count && sums->ends[sums->ended] < until)
            until = sums->ends[sums->ended];
        sums->steady_until = until;
        until = until < end ? until : end;
        if (__builtin_mul_overflow(ps_between(start, until), sums->begun - sums->ended, &shared))
            shared = INT64_MAX;
        ps_add(&sums->steady_busy_ps, shared);
        start = until;
    }
}

static void segment_add(void *context, int64_t start, int64_t end, unsigned classes)
{
    struct device_sums *sums = context;
    if (classes == 0)
        return; /* before the first event it may be longer than 64 bits hold */
    int64_t length = ps_between(start, end);
    if (classes & BUSY_BITS) {
        ps_add(&sums->busy_ps, length);
        steady_add(sums, start, end);
    }
    if (classes & COMPUTE_BIT)
        ps_add(&sums->compute_ps, length);
    if (classes & COMMUNICATION_BITS)
        ps_add(classes & COMPUTE_BIT ? &sums->overlapped_comm_ps : &sums->exposed_comm_ps, length);
    else if ((classes & COPY_BITS) && !(classes & COMPUTE_BIT))
        ps_add(&sums->exposed_copy_ps, length);
}

/* Notes where steady steps begin and end, each by time. */
static void spans_note(struct device_sums *sums, struct plane_state *state)
{
    const struct window_list *windows = &state->windows;
    sums->begins = arena_array(&state->arena, int64_t, windows->count);
    sums->ends = arena_array(&state->arena, int64_t, windows->count);
    for (size_t i = 0; i < windows->count; i++) {
        const struct step_window *window = &windows->items[i];
        if (!window->steady || window->span_ps[0] >= window->span_ps[1])
            continue;
        sums->begins[sums->span_count] = window->span_ps[0];
        sums->ends[sums->span_count++] = window->span_ps[1];
    }
    if (sums->span_count > 1) {
        qsort(sums->begins, sums->span_count, sizeof *sums->begins, i64_order);
        qsort(sums->ends, sums->span_count, sizeof *sums->ends, i64_order);
    }
}

bool device_sums_begin(struct plane_state *state, struct err *err)
{
    static const struct interval always = {INT64_MIN, INT64_MAX};
    struct device_sums *sums = arena_new(&state->arena, struct device_sums);
    struct sweep_input *inputs = arena_array(&state->arena, struct sweep_input, state->work_count);
    *sums =
        (struct device_sums){.start_ps = INT64_MAX, .end_ps = INT64_MIN, .steady_until = INT64_MIN};
    spans_note(sums, state);
    size_t count = 0;
    for (size_t i = 0; i < state->work_count; i++) {
        struct line_work *work = &state->work[i];
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
    state->sums->steady_idle_ps -= state->sums->steady_busy_ps;
    return true;
}
