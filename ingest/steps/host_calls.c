#include "ingest/steps/host_calls.h"
#include "ingest/steps/main_program.h"

#include <stdlib.h>

struct call {
    uint32_t line;
    int32_t name;
    bool is_whole; /* ends with the function */
    int64_t start_ps, end_ps;
};

static int compare_calls(const void *a, const void *b)
{
    const struct call *left = a, *right = b;
    if (left->line != right->line)
        return left->line < right->line ? -1 : 1;
    if (left->start_ps != right->start_ps)
        return left->start_ps < right->start_ps ? -1 : 1;
    return (left->end_ps < right->end_ps) - (left->end_ps > right->end_ps);
}

/* The outermost calls of a file, by line and start: JAX writes one within the other. */
static struct call *calls_gather(struct profile *profile, const struct xspace *space,
                                 size_t *ret_count)
{
    size_t count = 0, capacity = 0, kept = 0;
    struct call *calls = NULL;
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct plane_state *state = &profile->planes[p];
        for (size_t i = 0; state->plane->space == space && i < state->marks.count; i++) {
            const struct step_mark *mark = &state->marks.items[i];
            if (mark->kind != MARK_CALL || !mark->has_ps)
                continue;
            calls = arena_grow(profile->arena, calls, count, &capacity, sizeof *calls);
            calls[count++] = (struct call){mark->line, mark->name, mark->is_root, mark->start_ps,
                                           mark_end(mark)};
        }
    }
    if (count > 1)
        qsort(calls, count, sizeof *calls, compare_calls);
    for (size_t i = 0; i < count; i++) {
        const struct call *last = kept > 0 ? &calls[kept - 1] : NULL;
        if (last == NULL || last->line != calls[i].line || last->end_ps <= calls[i].start_ps)
            calls[kept++] = calls[i];
    }
    *ret_count = kept;
    return calls;
}

/* The function on whose calls most time goes that is not compilation. */
static int32_t main_function(struct profile *profile, const struct call *calls, size_t count)
{
    struct counter totals, times;
    struct arena_mark mark = arena_mark(&profile->catalog.scratch);
    counter_init(&totals, &profile->catalog.scratch);
    counter_init(&times, &profile->catalog.scratch);
    for (size_t i = 0; i < count; i++) {
        int64_t length = ps_between(calls[i].start_ps, calls[i].end_ps);
        length -= span_index_within(&profile->compiling, calls[i].start_ps, calls[i].end_ps);
        counter_add(&totals, calls[i].name, length, 0);
        counter_add(&times, calls[i].name, 1, 0);
    }
    const int32_t name = (int32_t)main_name(&totals, &times, OP_NONE);
    arena_rewind(&profile->catalog.scratch, mark);
    return name;
}

/* ---- waiting --------------------------------------------------------------------------------- */

static int compare_starts(const void *a, const void *b)
{
    const struct time_span *left = a, *right = b;
    return (left->start_ps > right->start_ps) - (left->start_ps < right->start_ps);
}

/* When the host waited, by start. */
static struct time_span *waits_gather(const struct profile *profile, const struct xspace *space,
                                      size_t *ret_count)
{
    size_t most = 0, count = 0;
    for (size_t p = 0; p < profile->plane_count; p++)
        most += profile->planes[p].plane->space == space ? profile->planes[p].marks.count : 0;
    struct time_span *waits = arena_array(profile->arena, struct time_span, most);
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct plane_state *state = &profile->planes[p];
        for (size_t i = 0; state->plane->space == space && i < state->marks.count; i++) {
            const struct step_mark *mark = &state->marks.items[i];
            if (mark->kind != MARK_WAIT || !mark->has_ps)
                continue;
            waits[count++] = (struct time_span){mark->start_ps, mark_end(mark)};
        }
    }
    if (count > 1)
        qsort(waits, count, sizeof *waits, compare_starts);
    *ret_count = count;
    return waits;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Calls that are steps, and how many of them the host waited for. */
struct call_steps {
    struct host_step *items;
    size_t count, awaited;
    size_t line_begin; /* the first of the line that is read */
    int64_t *lengths;  /* room for one a step */
};

/* Until when the last step of a line may last: as long as the longest usual one of the line. */
static int64_t last_end_most(struct call_steps *steps, const struct call *call)
{
    size_t count = 0;
    int64_t most = call->start_ps;
    for (size_t i = steps->line_begin; i < steps->count; i++)
        steps->lengths[count++] = ps_between(steps->items[i].start_ps, steps->items[i].end_ps);
    if (count == 0)
        return INT64_MAX;
    ps_add(&most, steps_usual(steps->lengths, count).longest_ps);
    return most > call->end_ps ? most : call->end_ps;
}

/* calls[count] of one function, waits[wait_count], both by start. A step lasts until the next call;
 * the last one until the host has waited for it, or else as long as its call where that is whole.
 * What the host waits for long behind the last call may be anything. */
static void steps_fill(const struct call *calls, size_t count, const struct time_span *waits,
                       size_t wait_count, struct call_steps *steps)
{
    size_t wait = 0;
    for (size_t i = 0; i < count; i++) {
        const struct call *call = &calls[i];
        bool last = i + 1 == count || calls[i + 1].line != call->line;
        int64_t next = last ? INT64_MAX : calls[i + 1].start_ps, waited = call->start_ps;
        while (wait < wait_count && waits[wait].start_ps < call->start_ps)
            wait++;
        for (; wait < wait_count && waits[wait].start_ps < next; wait++)
            waited = waits[wait].end_ps > waited ? waits[wait].end_ps : waited;
        bool awaited = call->is_whole || waited > call->start_ps;
        steps->awaited += awaited;
        if (last) {
            const int64_t own = waited > call->end_ps ? waited : call->end_ps;
            const int64_t most = last_end_most(steps, call);
            next = own < most ? own : most;
        }
        if (!last || awaited) {
            steps->items[steps->count] =
                (struct host_step){(int64_t)steps->count, call->start_ps, next, 0, INT64_MAX};
            steps->count++;
        }
        if (last)
            steps->line_begin = steps->count;
    }
}

struct host_step_list host_calls_find(struct profile *profile, const struct xspace *space,
                                      const char **ret_function)
{
    size_t count, kept = 0, wait_count;
    const struct time_span *waits = waits_gather(profile, space, &wait_count);
    struct call *calls = calls_gather(profile, space, &count);
    const int32_t name = main_function(profile, calls, count);
    for (size_t i = 0; i < count; i++) {
        if (calls[i].name == name)
            calls[kept++] = calls[i];
    }
    struct call_steps steps = {.items = arena_array(profile->arena, struct host_step, kept),
                               .lengths = arena_array(profile->arena, int64_t, kept)};
    steps_fill(calls, kept, waits, wait_count, &steps);
    if (steps.count == 0 || 2 * steps.awaited < kept)
        return (struct host_step_list){0};
    *ret_function = catalog_text(&profile->catalog, profile->catalog.names[name].name);
    return (struct host_step_list){.items = steps.items, .count = steps.count};
}
