/* Our step tables: every step, on every device, by each method that the file allows
 * (schema/documents/summary.h, struct step_table). The first one is the best method's; what ops
 * take in steady steps is of its steps.
 */
#include "ingest/step_table/step_table.h"
#include "ingest/steps/host_calls.h"
#include "ingest/steps/host_steps.h"
#include "ingest/steps/main_program.h"
#include "ingest/steps/step_warmup.h"
#include "ingest/steps/steps.h"
#include "ingest/timeline/timeline.h"

#include <stdlib.h>
#include <string.h>

struct span_list {
    struct numbered_span *items;
    size_t count, capacity;
};

static bool span_add(struct profile *profile, struct span_list *list, struct numbered_span span)
{
    struct numbered_span *items =
        arena_grow(profile->arena, list->items, list->count, &list->capacity, sizeof *items);
    if (items == NULL)
        return false;
    list->items = items;
    items[list->count++] = span;
    return true;
}

/* ---- launches of annotated steps ------------------------------------------------------------- */

/* Launches of the main program where annotations bound the steps: the steps that the same job would
 * have if nobody had marked them (kernel_launches.h), so that both can be compared.
 *
 * They cost no reading: what each program's ops span of a step is kept while ops are read. So they
 * are known only where each step launches the program once, which is told by how often its ops ran.
 */
struct step_launches {
    struct window_list *planes; /* by plane: launches, counted from 0 */
    bool one_each;              /* each step launched the program once; else none are known */
    const char *program;        /* NULL = not known */
};

/* What each op of a plane did on its own lines; asynchronous copies of ops are not among them. */
static bool uses_gather(const struct plane_state *state, struct arena *arena, struct use_list *uses)
{
    const struct plane_ops *ops = &state->plane->ops;
    uses->items = arena_array(arena, struct op_use, ops->count);
    for (size_t i = 0; uses->items != NULL && i < ops->count; i++) {
        if (!ops->details[i].asynchronous)
            uses->items[i] =
                (struct op_use){op_placed(state, (int32_t)i), ops->tallies[i].total_ps, 0};
    }
    uses->capacity = ops->count;
    return uses->items != NULL;
}

static int windows_by_span(const void *a, const void *b)
{
    const struct step_window *left = a, *right = b;
    return (left->span_ps[0] > right->span_ps[0]) - (left->span_ps[0] < right->span_ps[0]);
}

/* What the program spans of each step, with the step's place as the number. false beyond the
 * budget.
 */
static bool windows_fill(const struct plane_state *state, uint16_t program, struct arena *arena,
                         struct window_list *ret_windows)
{
    const struct extent_list *extents = &state->extents;
    struct step_window *items = arena_array(arena, struct step_window, extents->count);
    size_t count = 0;
    for (size_t i = 0; items != NULL && program > 0 && i < extents->count; i++) {
        const struct step_extent *extent = &extents->items[i];
        if (extent->program == program)
            items[count++] = (struct step_window){.number = extent->window,
                                                  .span_ps = {extent->first_ps, extent->last_ps},
                                                  .busy_ps = extent->busy_ps};
    }
    if (count > 1)
        qsort(items, count, sizeof *items, windows_by_span);
    *ret_windows = (struct window_list){.items = items, .count = count};
    return items != NULL;
}

/* Counts the launches of a host's devices from 0, by the steps that have one on any of them: what a
 * device lacks moves none of its others. false beyond the budget. */
static bool launches_count(struct window_list *planes, size_t count, struct arena *arena)
{
    int64_t end = 0, next = 0;
    for (size_t p = 0; p < count; p++) {
        for (size_t i = 0; i < planes[p].count; i++)
            end = planes[p].items[i].number >= end ? planes[p].items[i].number + 1 : end;
    }
    int64_t *numbers = arena_array(arena, int64_t, (size_t)end);
    if (numbers == NULL)
        return false;
    for (size_t p = 0; p < count; p++) {
        for (size_t i = 0; i < planes[p].count; i++)
            numbers[planes[p].items[i].number] = 1;
    }
    for (int64_t i = 0; i < end; i++) {
        const int64_t own = numbers[i];
        numbers[i] = next;
        next += own;
    }
    for (size_t p = 0; p < count; p++) {
        for (size_t i = 0; i < planes[p].count; i++)
            planes[p].items[i].number = numbers[planes[p].items[i].number];
    }
    return true;
}

/* Whether each step launched the program once; captures cut a launch off at either end. */
static bool is_one_each(int64_t launches, size_t steps)
{
    int64_t more = launches - (int64_t)steps;
    return steps > 0 && more >= -1 && more <= 1;
}

static bool planes_fill(struct profile *profile, const struct use_list *uses,
                        const struct program_use **best, struct arena *scratch,
                        struct step_launches *launches)
{
    launches->one_each = true;
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct plane_state *state = &profile->planes[p];
        const struct plane_ops *ops = &state->plane->ops;
        const struct program_use *found = best[state->plane->space - profile->spaces];
        struct window_list *windows = &launches->planes[p];
        if (state->device == UINT32_MAX || found == NULL)
            continue;
        int64_t count = program_launches(ops, &uses[p], &found->program, scratch);
        uint16_t place = program_place(ops, &found->program);
        if (count < 0 || !windows_fill(state, place, profile->arena, windows))
            return false;
        if (count > 0 && !is_one_each(count, windows->count))
            launches->one_each = false;
    }
    for (size_t p = 0, next; p < profile->plane_count; p = next) {
        const struct xspace *host = profile->planes[p].plane->space;
        for (next = p + 1;
             next < profile->plane_count && profile->planes[next].plane->space == host; next++)
            continue;
        if (!launches_count(&launches->planes[p], next - p, scratch))
            return false;
    }
    return true;
}

static bool launches_search(struct profile *profile, struct arena *scratch,
                            struct step_launches *launches)
{
    struct use_by_program programs = {0};
    struct use_list *uses = arena_array(scratch, struct use_list, profile->plane_count);
    launches->planes = arena_array(profile->arena, struct window_list, profile->plane_count);
    if (uses == NULL || launches->planes == NULL)
        return false;
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct plane_state *state = &profile->planes[p];
        if (state->device != UINT32_MAX &&
            (!uses_gather(state, scratch, &uses[p]) ||
             !program_uses_add(&programs, profile, state, &uses[p], scratch)))
            return false;
    }
    const struct program_use **best = main_programs(profile, &programs, scratch);
    if (best == NULL || !planes_fill(profile, uses, best, scratch, launches))
        return false;
    for (size_t s = 0; launches->one_each && s < profile->space_count; s++) {
        if (best[s] != NULL)
            launches->program = catalog_text(&profile->catalog, best[s]->program.module);
    }
    return true;
}

/* Asks for the spans of annotated steps (steps_span). ERR_LIMIT. */
static bool step_launches_find(struct profile *profile, struct step_launches *ret_launches,
                               struct err *err)
{
    scoped_arena scratch;
    arena_init_within(&scratch, profile->arena);
    *ret_launches = (struct step_launches){0};
    return launches_search(profile, &scratch, ret_launches) ||
           arena_failed(profile->arena, "the launches of a profile", err);
}

/* ---- by device ------------------------------------------------------------------------------- */

static bool device_spans(struct profile *profile, const struct plane_state *state,
                         const struct window_list *windows, struct span_list *spans)
{
    for (size_t i = 0; state->device != UINT32_MAX && i < windows->count; i++) {
        const struct step_window *window = &windows->items[i];
        const struct numbered_span span = {window->number,
                                           {state->device, window->span_ps[0],
                                            ps_between(window->span_ps[0], window->span_ps[1])}};
        if (!span_add(profile, spans, span))
            return false;
    }
    return true;
}

static bool window_spans(struct profile *profile, struct span_list *spans, struct err *err)
{
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct plane_state *state = &profile->planes[p];
        if (!device_spans(profile, state, &state->windows, spans))
            return arena_failed(profile->arena, "the steps of a profile", err);
    }
    return true;
}

/* Runs of each device's main program. */
static bool run_spans(struct profile *profile, struct span_list *spans, struct err *err)
{
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct plane_state *state = &profile->planes[p];
        struct window_list windows;
        if (state->device == UINT32_MAX)
            continue;
        if (!steps_of_runs(profile, state, &windows, err))
            return false;
        if (!device_spans(profile, state, &windows, spans))
            return arena_failed(profile->arena, "the steps of a profile", err);
    }
    return true;
}

/* Launches of the main program in steps that annotations bound. */
static bool launch_spans(struct profile *profile, struct span_list *spans, const char **ret_program,
                         struct err *err)
{
    struct step_launches launches;
    if (!step_launches_find(profile, &launches, err))
        return false;
    *ret_program = launches.program;
    for (size_t p = 0; launches.program != NULL && p < profile->plane_count; p++) {
        if (!device_spans(profile, &profile->planes[p], &launches.planes[p], spans))
            return arena_failed(profile->arena, "the steps of a profile", err);
    }
    return true;
}

/* ---- by host --------------------------------------------------------------------------------- */

/* Each is a step by itself, on no device. */
static bool host_steps_add(struct profile *profile, struct span_list *spans,
                           const struct host_step_list *list, struct err *err)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct host_step *step = &list->items[i];
        const struct numbered_span span = {
            step->number, {UINT32_MAX, step->start_ps, ps_between(step->start_ps, step->end_ps)}};
        if (!span_add(profile, spans, span))
            return arena_failed(profile->arena, "the steps of a profile", err);
    }
    return true;
}

static bool host_spans(struct profile *profile, struct span_list *spans, struct err *err)
{
    for (size_t s = 0; s < profile->space_count; s++) {
        const struct host_step_list *list = steps_of_host(profile, &profile->spaces[s], err);
        if (list == NULL || !host_steps_add(profile, spans, list, err))
            return false;
    }
    return true;
}

static bool call_spans(struct profile *profile, struct span_list *spans, const char **ret_function,
                       struct err *err)
{
    for (size_t s = 0; s < profile->space_count; s++) {
        struct host_step_list calls;
        if (!host_calls_find(profile, &profile->spaces[s], &calls, ret_function, err) ||
            !host_steps_add(profile, spans, &calls, err))
            return false;
    }
    return true;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static bool spans_of(struct profile *profile, enum step_method method, struct span_list *spans,
                     const char **ret_program, struct err *err)
{
    if (!steps_program(profile, method, ret_program, err))
        return false;
    switch (method) {
    case STEPS_HOST:
        return host_spans(profile, spans, err);
    case STEPS_CALL:
        return call_spans(profile, spans, ret_program, err);
    case STEPS_MODULE_RUN:
        return run_spans(profile, spans, err);
    case STEPS_LAUNCH:
        return profile->step_method == STEPS_LAUNCH
                   ? window_spans(profile, spans, err)
                   : launch_spans(profile, spans, ret_program, err);
    default:
        return window_spans(profile, spans, err);
    }
}

static bool table_build(struct profile *profile, enum step_method method, struct step_table *table,
                        struct err *err)
{
    struct span_list spans = {0};
    const char *program = NULL;
    if (!spans_of(profile, method, &spans, &program, err) ||
        !step_rows_make(spans.items, spans.count, profile->arena, table, err))
        return false;
    table->method = spans.count == 0 ? STEPS_NONE : method;
    table->program = spans.count == 0 ? NULL : program;
    if (method != profile->step_method || method == STEPS_HOST || method == STEPS_CALL)
        return step_compilations_mark(profile, table, err) && step_warmup_read(profile, table, err);
    step_warmup_apply(profile, table);
    return step_compilations_mark(profile, table, err);
}

/* The method of the first table: where the devices that were to have ops have none, only the host
 * tells of steps. */
static enum step_method first_method(const struct profile *profile, const struct summary *summary)
{
    if (summary->device_count > 0 || profile->step_method == STEPS_NONE)
        return profile->step_method;
    return steps_are_annotated(profile) ? STEPS_HOST : STEPS_CALL;
}

/* Whether the file may tell steps by the method beside those of the first. Launches stand for what
 * a file without marks and runs has; annotations of a host that runs ahead are no steps; calls are
 * steps only where nothing of devices is known. */
static bool is_allowed(const struct profile *profile, enum step_method first,
                       enum step_method method)
{
    if (method == STEPS_HOST && profile->run_ahead)
        return false;
    if (method == STEPS_LAUNCH)
        return first == STEPS_ANNOTATION && !steps_have_runs(profile);
    return method != first && (method != STEPS_CALL || first == STEPS_HOST);
}

/* Whether annotations hold most of what a device does: else they last as long as it takes the host
 * to launch, and tell nothing of how long a step takes. */
static bool holds_work(const struct summary *summary, const struct step_table *table)
{
    int64_t annotated_ps = 0;
    for (size_t i = 0; i < table->count; i++)
        ps_add(&annotated_ps, table->rows[i].max_ps);
    for (size_t i = 0; i < summary->device_count; i++)
        if (summary->devices[i].busy_ps / 2 > annotated_ps)
            return false;
    return true;
}

static bool others_build(struct profile *profile, struct summary *summary, enum step_method first,
                         struct err *err)
{
    static const enum step_method methods[] = {STEPS_MODULE_RUN, STEPS_LAUNCH, STEPS_HOST,
                                               STEPS_CALL};
    enum { METHODS = sizeof methods / sizeof methods[0] };
    summary->other_steps = arena_array(profile->arena, struct step_table, METHODS);
    if (summary->other_steps == NULL)
        return arena_failed(profile->arena, "the steps of a profile", err);
    for (size_t i = 0; i < METHODS && first != STEPS_NONE; i++) {
        struct step_table *table = &summary->other_steps[summary->other_step_count];
        if (!is_allowed(profile, first, methods[i]))
            continue;
        if (!table_build(profile, methods[i], table, err))
            return false;
        if (table->count > 0 && (methods[i] != STEPS_HOST || holds_work(summary, table)))
            summary->other_step_count++;
    }
    if (summary->other_step_count == 0)
        summary->other_steps = NULL;
    return true;
}

bool step_table_build(struct profile *profile, struct summary *summary, struct err *err)
{
    const enum step_method first = first_method(profile, summary);
    return table_build(profile, first, &summary->steps, err) &&
           others_build(profile, summary, first, err) &&
           step_figures_make(summary, profile->arena, err);
}
