#include "ingest/steps/steps.h"
#include "ingest/steps/host_steps.h"
#include "ingest/steps/kernel_launches.h"
#include "ingest/steps/launches.h"
#include "ingest/steps/main_program.h"
#include "ingest/steps/programs.h"
#include "ingest/steps/run_ahead.h"
#include "ingest/steps/step_warmup.h"
#include "ingest/steps/step_windows.h"

#include <stdlib.h>
#include <string.h>

/* Windows from the marks of one kind, of one name unless that is OP_NONE; those of runs, which have
 * no numbers, are counted from 0. */
static struct window_list windows_from_marks(struct profile *profile,
                                             const struct plane_state *state, enum mark_kind kind,
                                             int32_t name)
{
    const struct mark_list *marks = &state->marks;
    struct step_window *items = arena_array(profile->arena, struct step_window, marks->count);
    size_t count = 0;
    for (size_t i = 0; i < marks->count; i++) {
        const struct step_mark *mark = &marks->items[i];
        if (mark->kind == kind && mark->has_ps && (name == OP_NONE || mark->name == name))
            items[count++] = window_of(mark->number, mark->start_ps, mark_end(mark));
    }
    if (kind == MARK_MODULE && count > 1)
        qsort(items, count, sizeof *items, compare_windows);
    for (size_t i = 0; kind == MARK_MODULE && i < count; i++)
        items[i].number = (int64_t)i;
    return (struct window_list){.items = items, .count = windows_settle(items, count)};
}

/* The program whose runs are a device's steps; OP_NONE when there are none. */
static int32_t main_run(struct profile *profile, const struct mark_list *marks)
{
    struct arena *scratch = &profile->catalog.scratch;
    const struct arena_mark mark = arena_mark(scratch);
    struct counter totals, times;
    counter_init(&totals, scratch);
    counter_init(&times, scratch);
    for (size_t i = 0; i < marks->count; i++) {
        const struct step_mark *run = &marks->items[i];
        if (run->kind != MARK_MODULE)
            continue;
        counter_add(&totals, run->name, run->duration_ps, 0);
        counter_add(&times, run->name, 1, 0);
    }
    const int32_t program = (int32_t)main_name(&totals, &times, OP_NONE);
    arena_rewind(scratch, mark);
    return program;
}

struct window_list steps_of_runs(struct profile *profile, const struct plane_state *state)
{
    const int32_t program = main_run(profile, &state->marks);
    return program == OP_NONE ? (struct window_list){0}
                              : windows_from_marks(profile, state, MARK_MODULE, program);
}

const char *steps_program(struct profile *profile, enum step_method method)
{
    const struct catalog *catalog = &profile->catalog;
    if (step_method_is_annotated(method) && profile->options->step_range != NULL)
        return profile->options->step_range;
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct plane_state *state = &profile->planes[p];
        if (method == STEPS_LAUNCH && state->windows.program != NULL)
            return catalog_text(catalog, state->windows.program->module);
        if (method != STEPS_MODULE_RUN || state->device == UINT32_MAX)
            continue;
        const int32_t run = main_run(profile, &state->marks);
        if (run == OP_NONE)
            continue;
        const char *name = catalog_text(catalog, catalog->names[run].name);
        size_t length = strlen(name);
        uint64_t id;
        (void)module_split(name, &length, &id);
        return arena_strndup(profile->arena, name, length);
    }
    return NULL;
}

/* ---- the method ------------------------------------------------------------------------------ */

bool steps_have_runs(const struct profile *profile)
{
    return profile_has_marks(profile, MARK_MODULE);
}

static enum step_method method_choose(const struct profile *profile)
{
    bool has_ops = false; /* of a device, more than copies */
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct xplane *plane = profile->planes[p].plane;
        has_ops = has_ops || (plane_has_op_line(plane) && !plane_has_copies_alone(&plane->ops));
    }
    if (profile_has_marks(profile, MARK_STEPS_LINE))
        return STEPS_LINE;
    if (has_ops)
        return profile_has_marks(profile, MARK_ANNOTATION) ? STEPS_ANNOTATION
               : profile_has_marks(profile, MARK_MODULE)   ? STEPS_MODULE_RUN
                                                           : STEPS_LAUNCH;
    return profile_has_marks(profile, MARK_ANNOTATION) ? STEPS_HOST
           : profile_has_marks(profile, MARK_CALL)     ? STEPS_CALL
                                                       : STEPS_NONE;
}

static void planes_steps_find(struct profile *profile)
{
    for (size_t p = 0; p < profile->plane_count; p++) {
        struct plane_state *state = &profile->planes[p];
        if (!state->plane->is_device)
            continue;
        if (profile->step_method == STEPS_LINE)
            state->windows = windows_from_marks(profile, state, MARK_STEPS_LINE, OP_NONE);
        if (profile->step_method == STEPS_MODULE_RUN)
            state->windows = steps_of_runs(profile, state);
        if (profile->step_method == STEPS_ANNOTATION) {
            struct host_step_list *list = steps_of_host(profile, state->plane->space);
            host_windows_make(profile, list);
            state->windows = (struct window_list){
                .items = list->windows, .count = list->window_count, .by_ops = true};
        }
    }
}

/* What a file without annotations would tell: runs of programs, else their launches, else nothing.
 */
static bool steps_without_marks(struct profile *profile, struct err *err)
{
    bool found = false;
    for (size_t p = 0; p < profile->plane_count; p++)
        profile->planes[p].windows = (struct window_list){0};
    profile->run_ahead = true;
    profile->step_method =
        profile_has_marks(profile, MARK_MODULE) ? STEPS_MODULE_RUN : STEPS_LAUNCH;
    if (profile->step_method == STEPS_MODULE_RUN) {
        planes_steps_find(profile);
        return true;
    }
    if (!kernel_launches_find(profile, err))
        return false;
    for (size_t p = 0; p < profile->plane_count; p++)
        found = found || profile->planes[p].windows.count > 0;
    if (!found)
        profile->step_method = STEPS_NONE;
    return true;
}

bool steps_find(struct profile *profile, struct err *err)
{
    profile->step_method = method_choose(profile);
    compilations_find(profile);
    if (profile->step_method == STEPS_LAUNCH)
        return kernel_launches_find(profile, err);
    planes_steps_find(profile);
    if (profile->step_method == STEPS_ANNOTATION) {
        bool ahead;
        for (size_t i = 0; i < profile->space_count; i++) {
            if (!launches_find(profile, &profile->spaces[i], err))
                return false;
        }
        if (!run_ahead_find(profile, &ahead, err) || (ahead && !steps_without_marks(profile, err)))
            return false;
    }
    if (profile->step_method == STEPS_LINE || profile->step_method == STEPS_MODULE_RUN)
        step_warmup_decide(profile);
    return arena_ok(profile->arena, "the steps of a profile", err);
}

/* ---- spans ----------------------------------------------------------------------------------- */

static int compare_spans(const void *a, const void *b)
{
    const struct step_window *left = a, *right = b;
    if (left->span_ps[0] != right->span_ps[0])
        return left->span_ps[0] < right->span_ps[0] ? -1 : 1;
    return (left->number > right->number) - (left->number < right->number);
}

static void span_widen(struct step_window *span, const struct step_extent *extent)
{
    if (extent->first_ps < span->span_ps[0])
        span->span_ps[0] = extent->first_ps;
    if (extent->last_ps > span->span_ps[1]) {
        span->span_ps[1] = extent->last_ps;
        span->last_op = extent->last_op;
    }
    ps_add(&span->busy_ps, extent->busy_ps);
    span->op_count += extent->count;
}

/* Windows of a program span what its ops do: copies that follow a launch are counted with it, and
 * are no part of how long it took. */
static void plane_span(struct plane_state *state)
{
    struct extent_list *extents = &state->extents;
    const struct op_program *program = state->windows.program;
    const uint16_t place = program == NULL ? 0 : program_place(&state->plane->ops, program);
    size_t count = 0;
    extents_sort(extents);
    struct step_window *spans = arena_array(&state->arena, struct step_window, extents->count);
    for (size_t i = 0; i < extents->count; i++) {
        const struct step_extent *extent = &extents->items[i];
        if (place > 0 && extent->program != place)
            continue;
        if (place == 0 && i > 0 && extents->items[i - 1].window == extent->window) {
            span_widen(&spans[count - 1], extent);
            continue;
        }
        spans[count] = state->windows.items[extent->window];
        spans[count].span_ps[0] = extent->first_ps;
        spans[count].span_ps[1] = extent->last_ps;
        spans[count].op_count = extent->count;
        spans[count].last_op = extent->last_op;
        spans[count++].busy_ps = extent->busy_ps;
    }
    if (count > 1)
        qsort(spans, count, sizeof *spans, compare_spans);
    state->windows =
        (struct window_list){.items = spans, .count = count, .program = state->windows.program};
}

/* Adds what the first steps that turned out to be steady hold of each op. */
static void heads_add_up(struct plane_state *state)
{
    struct plane_ops *ops = &state->plane->ops;
    for (size_t i = 0; i < state->windows.count; i++) {
        const struct step_window *window = &state->windows.items[i];
        if (window->head == 0 || !window->steady)
            continue;
        const struct head_window *head = &state->heads.windows[window->head - 1];
        for (size_t op = 0; op < ops->count && op >> HEAD_PAGE_BITS < head->page_count; op++) {
            const struct op_sum *page = head->pages[op >> HEAD_PAGE_BITS];
            if (page == NULL)
                continue;
            ops->tallies[op].steady_count += page[op & (HEAD_PAGE_OPS - 1)].count;
            ps_add(&ops->tallies[op].steady_self_ps, page[op & (HEAD_PAGE_OPS - 1)].self_ps);
        }
    }
}

void steps_span(struct profile *profile)
{
    if (profile->step_method != STEPS_ANNOTATION && profile->step_method != STEPS_LAUNCH)
        return;
    for (size_t p = 0; p < profile->plane_count; p++) {
        if (profile->planes[p].windows.by_ops)
            plane_span(&profile->planes[p]);
    }
    step_warmup_decide(profile);
    for (size_t p = 0; p < profile->plane_count; p++)
        heads_add_up(&profile->planes[p]);
}
