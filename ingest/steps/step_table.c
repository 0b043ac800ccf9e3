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

static void span_add(struct profile *profile, struct span_list *list, int64_t number,
                     uint32_t device, const int64_t span_ps[2])
{
    list->items =
        arena_grow(profile->arena, list->items, list->count, &list->capacity, sizeof *list->items);
    list->items[list->count++] =
        (struct numbered_span){number, {device, span_ps[0], ps_between(span_ps[0], span_ps[1])}};
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

static int windows_by_span(const void *a, const void *b)
{
    const struct step_window *left = a, *right = b;
    return (left->span_ps[0] > right->span_ps[0]) - (left->span_ps[0] < right->span_ps[0]);
}

/* What the program spans of each step, with the step's place as the number. */
static struct window_list launches_of(const struct plane_state *state, uint16_t program,
                                      struct arena *arena)
{
    const struct extent_list *extents = &state->extents;
    struct step_window *items = arena_array(arena, struct step_window, extents->count);
    size_t count = 0;
    for (size_t i = 0; program > 0 && i < extents->count; i++) {
        const struct step_extent *extent = &extents->items[i];
        if (extent->program == program)
            items[count++] = (struct step_window){.number = extent->window,
                                                  .span_ps = {extent->first_ps, extent->last_ps},
                                                  .busy_ps = extent->busy_ps};
    }
    if (count > 1)
        qsort(items, count, sizeof *items, windows_by_span);
    return (struct window_list){.items = items, .count = count};
}

/* Counts the launches of a host's devices from 0, by the steps that have one on any of them: what a
 * device lacks moves none of its others. */
static void launches_count(struct window_list *planes, size_t count, struct arena *arena)
{
    int64_t end = 0, next = 0;
    for (size_t p = 0; p < count; p++) {
        for (size_t i = 0; i < planes[p].count; i++)
            end = planes[p].items[i].number >= end ? planes[p].items[i].number + 1 : end;
    }
    int64_t *numbers = arena_array(arena, int64_t, (size_t)end);
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
}

/* Each step is to have launched the program once; captures cut a launch off at either end. */
static void planes_fill(struct profile *profile, const struct use_list *uses,
                        const struct program_use **best, struct arena *scratch,
                        struct step_launches *launches)
{
    launches->one_each = true;
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct plane_state *state = &profile->planes[p];
        const struct plane_ops *ops = &state->plane->ops;
        const struct program_use *found = best[state->plane->space - profile->spaces];
        if (state->device == UINT32_MAX || found == NULL)
            continue;
        const int64_t count = program_launches(ops, &uses[p], &found->program, scratch);
        launches->planes[p] =
            launches_of(state, program_place(ops, &found->program), profile->arena);
        const size_t steps = launches->planes[p].count;
        const int64_t more = count - (int64_t)steps;
        if (count > 0 && (steps == 0 || more < -1 || more > 1))
            launches->one_each = false;
    }
    for (size_t p = 0, next; p < profile->plane_count; p = next) {
        const struct xspace *host = profile->planes[p].plane->space;
        for (next = p + 1;
             next < profile->plane_count && profile->planes[next].plane->space == host; next++)
            continue;
        launches_count(&launches->planes[p], next - p, scratch);
    }
}

/* Asks for the spans of annotated steps (steps_span). */
static struct step_launches step_launches_find(struct profile *profile)
{
    scoped_arena scratch;
    arena_init_within(&scratch, profile->arena);
    struct use_by_program programs = {0};
    struct use_list *uses = arena_array(&scratch, struct use_list, profile->plane_count);
    struct step_launches launches = {
        .planes = arena_array(profile->arena, struct window_list, profile->plane_count)};
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct plane_state *state = &profile->planes[p];
        const struct plane_ops *ops = &state->plane->ops;
        if (state->device == UINT32_MAX)
            continue;
        /* What each op did on its own lines; asynchronous copies of ops are not among them. */
        uses[p] = (struct use_list){arena_array(&scratch, struct op_use, ops->count), ops->count};
        for (size_t i = 0; i < ops->count; i++)
            if (!ops->details[i].asynchronous)
                uses[p].items[i] =
                    (struct op_use){op_placed(state, (int32_t)i), ops->tallies[i].total_ps, 0};
        program_uses_add(&programs, profile, state, &uses[p], &scratch);
    }
    const struct program_use **best = main_programs(profile, &programs, &scratch);
    planes_fill(profile, uses, best, &scratch, &launches);
    for (size_t s = 0; launches.one_each && s < profile->space_count; s++) {
        if (best[s] != NULL)
            launches.program = catalog_text(&profile->catalog, best[s]->program.module);
    }
    return launches;
}

/* ---- spans ----------------------------------------------------------------------------------- */

/* ---- tables ---------------------------------------------------------------------------------- */

/* The spans of steps by the method; returns the program, or function, that they are of. */
static const char *spans_of(struct profile *profile, enum step_method method,
                            struct span_list *spans)
{
    const char *program = steps_program(profile, method);
    const bool by_host = method == STEPS_HOST || method == STEPS_CALL;
    struct step_launches launches = {0};
    if (method == STEPS_LAUNCH && profile->step_method != STEPS_LAUNCH) {
        launches = step_launches_find(profile);
        program = launches.program;
        if (program == NULL)
            return NULL;
    }
    for (size_t s = 0; by_host && s < profile->space_count; s++) {
        const struct xspace *space = &profile->spaces[s];
        const struct host_step_list list = method == STEPS_HOST
                                               ? *steps_of_host(profile, space)
                                               : host_calls_find(profile, space, &program);
        for (size_t i = 0; i < list.count; i++) {
            const struct host_step *step = &list.items[i];
            span_add(profile, spans, step->number, UINT32_MAX,
                     (int64_t[]){step->start_ps, step->end_ps});
        }
    }
    for (size_t p = 0; !by_host && p < profile->plane_count; p++) {
        const struct plane_state *state = &profile->planes[p];
        if (state->device == UINT32_MAX)
            continue;
        const struct window_list windows = method == STEPS_MODULE_RUN
                                               ? steps_of_runs(profile, state)
                                           : launches.planes != NULL ? launches.planes[p]
                                                                     : state->windows;
        for (size_t i = 0; i < windows.count; i++)
            span_add(profile, spans, windows.items[i].number, state->device,
                     windows.items[i].span_ps);
    }
    return program;
}

static void table_build(struct profile *profile, enum step_method method, struct step_table *table)
{
    struct span_list spans = {0};
    const char *program = spans_of(profile, method, &spans);
    step_rows_make(spans.items, spans.count, profile->arena, table);
    table->method = spans.count == 0 ? STEPS_NONE : method;
    table->program = spans.count == 0 ? NULL : program;
    if (method != profile->step_method || method == STEPS_HOST || method == STEPS_CALL)
        step_warmup_read(profile, table);
    else
        step_warmup_apply(profile, table);
    step_compilations_mark(profile, table);
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

/* The first table is that of the method that was found: where the devices that were to have ops
 * have none, only the host tells of steps. Of the others launches stand for what a file without
 * marks and runs has; annotations of a host that runs ahead are no steps; calls are steps only
 * where nothing of devices is known. */
void step_table_build(struct profile *profile, struct summary *summary)
{
    enum step_method first = profile->step_method;
    if (summary->device_count == 0 && first != STEPS_NONE)
        first = steps_are_annotated(profile) ? STEPS_HOST : STEPS_CALL;
    const struct {
        enum step_method method;
        bool is_told;
    } others[] = {
        {STEPS_MODULE_RUN, first != STEPS_MODULE_RUN},
        {STEPS_LAUNCH, first == STEPS_ANNOTATION && !steps_have_runs(profile)},
        {STEPS_HOST, first != STEPS_HOST && !profile->run_ahead},
        {STEPS_CALL, first == STEPS_HOST},
    };
    enum { OTHERS = sizeof others / sizeof others[0] };
    table_build(profile, first, &summary->steps);
    summary->other_steps = arena_array(profile->arena, struct step_table, OTHERS);
    for (size_t i = 0; i < OTHERS && first != STEPS_NONE; i++) {
        struct step_table *table = &summary->other_steps[summary->other_step_count];
        if (!others[i].is_told)
            continue;
        table_build(profile, others[i].method, table);
        if (table->count > 0 && (others[i].method != STEPS_HOST || holds_work(summary, table)))
            summary->other_step_count++;
    }
    if (summary->other_step_count == 0)
        summary->other_steps = NULL;
    step_figures_make(summary, profile->arena);
}
