/* See steps.h. */
#include "ingest/steps.h"
#include "ingest/launches.h"

#include <stdlib.h>
#include <string.h>

/* ---- marks ----------------------------------------------------------------------------------- */

/* The name whose marks of a kind last longest in all; OP_NONE when there are none. */
static bool longest_name(struct profile *profile, const struct mark_list *marks,
                         enum mark_kind kind, int32_t *ret_name)
{
    struct counter totals;
    counter_init(&totals, &profile->catalog.scratch);
    struct arena_mark mark = arena_mark(&profile->catalog.scratch);
    bool added = true;
    for (size_t i = 0; i < marks->count && added; i++) {
        const struct step_mark *item = &marks->items[i];
        if (item->kind == kind)
            added = counter_add(&totals, item->name, item->duration_ps, 0);
    }
    *ret_name = (int32_t)counter_top(&totals, OP_NONE);
    arena_rewind(&profile->catalog.scratch, mark);
    return added;
}

/* ---- windows --------------------------------------------------------------------------------- */

static int compare_windows(const void *a, const void *b)
{
    const struct step_window *left = a, *right = b;
    if (left->start_ps != right->start_ps)
        return left->start_ps < right->start_ps ? -1 : 1;
    return (left->number > right->number) - (left->number < right->number);
}

static struct step_window window_of(const struct profile *profile, int64_t number, int64_t start,
                                    int64_t end)
{
    return (struct step_window){
        .number = number,
        .start_ps = start,
        .end_ps = end,
        .first_ps = INT64_MAX,
        .last_ps = INT64_MIN,
        .span_ps = {start, end},
        .steady = !step_is_warmup(profile, number),
    };
}

static int64_t end_of(const struct step_mark *mark)
{
    int64_t end = mark->start_ps;
    ps_add(&end, mark->duration_ps);
    return end;
}

static void windows_sort(struct window_list *windows)
{
    if (windows->count > 1)
        qsort(windows->items, windows->count, sizeof *windows->items, compare_windows);
}

/* Joins neighbours of one number (a step in pieces), cuts what overlaps. */
static void windows_settle(struct window_list *windows)
{
    size_t kept = 0;
    for (size_t i = 0; i < windows->count; i++) {
        struct step_window *last = kept > 0 ? &windows->items[kept - 1] : NULL;
        if (last != NULL && last->number == windows->items[i].number) {
            if (windows->items[i].end_ps > last->end_ps)
                last->end_ps = last->span_ps[1] = windows->items[i].end_ps;
            continue;
        }
        if (last != NULL && last->end_ps > windows->items[i].start_ps)
            last->end_ps = windows->items[i].start_ps;
        windows->items[kept++] = windows->items[i];
    }
    windows->count = kept;
}

/* Windows from the marks of one kind, of one name unless that is OP_NONE. */
static bool windows_from_marks(struct profile *profile, struct plane_state *state,
                               enum mark_kind kind, int32_t name, struct err *err)
{
    const struct mark_list *marks = &state->marks;
    struct window_list *windows = &state->windows;
    windows->items = arena_array(profile->arena, struct step_window, marks->count);
    if (windows->items == NULL)
        return arena_failed(profile->arena, "the steps of a profile", err);
    for (size_t i = 0; i < marks->count; i++) {
        const struct step_mark *mark = &marks->items[i];
        if (mark->kind == kind && mark->has_ps && (name == OP_NONE || mark->name == name))
            windows->items[windows->count++] =
                window_of(profile, mark->number, mark->start_ps, end_of(mark));
    }
    windows_sort(windows);
    return true;
}

/* Runs of the plane's dominant program. They have no numbers: they are counted from 0. */
static bool windows_from_runs(struct profile *profile, struct plane_state *state, struct err *err)
{
    int32_t program;
    if (!longest_name(profile, &state->marks, MARK_MODULE, &program))
        return arena_failed(profile->arena, "the steps of a profile", err);
    if (program == OP_NONE)
        return true;
    if (!windows_from_marks(profile, state, MARK_MODULE, program, err))
        return false;
    for (size_t i = 0; i < state->windows.count; i++) {
        state->windows.items[i].number = (int64_t)i;
        state->windows.items[i].steady = !step_is_warmup(profile, (int64_t)i);
    }
    return true;
}

/* ---- annotations ----------------------------------------------------------------------------- */

/* Steps are annotated by `train`, else by what takes most of the time on one plane. */
static bool annotation_choose(struct profile *profile, int32_t *ret_name)
{
    *ret_name = OP_NONE;
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct mark_list *marks = &profile->planes[p].marks;
        for (size_t i = 0; i < marks->count; i++) {
            if (marks->items[i].kind == MARK_ANNOTATION && marks->items[i].is_train) {
                *ret_name = marks->items[i].name;
                return true;
            }
        }
    }
    for (size_t p = 0; p < profile->plane_count && *ret_name == OP_NONE; p++) {
        if (!longest_name(profile, &profile->planes[p].marks, MARK_ANNOTATION, ret_name))
            return false;
    }
    return true;
}

static int compare_host_steps(const void *a, const void *b)
{
    const struct host_step *left = a, *right = b;
    if (left->number != right->number)
        return left->number < right->number ? -1 : 1;
    return (left->start_ps > right->start_ps) - (left->start_ps < right->start_ps);
}

static bool is_annotation(const struct step_mark *mark, int32_t name)
{
    return mark->kind == MARK_ANNOTATION && mark->has_ps && mark->name == name;
}

/* The file's annotations of this name, as they come; only counts them when items is NULL. */
static size_t annotations_of(const struct profile *profile, const struct xspace *space,
                             int32_t name, struct host_step *items)
{
    size_t count = 0;
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct plane_state *state = &profile->planes[p];
        for (size_t i = 0; state->plane->space == space && i < state->marks.count; i++) {
            const struct step_mark *mark = &state->marks.items[i];
            if (!is_annotation(mark, name))
                continue;
            if (items != NULL)
                items[count] = (struct host_step){mark->number, mark->start_ps, end_of(mark)};
            count++;
        }
    }
    return count;
}

static bool host_steps_find(struct profile *profile, const struct xspace *space,
                            struct host_step_list *list, struct err *err)
{
    int32_t name;
    if (!annotation_choose(profile, &name))
        return arena_failed(profile->arena, "the steps of a profile", err);
    size_t count = annotations_of(profile, space, name, NULL), kept = 0;
    struct host_step *steps = arena_array(profile->arena, struct host_step, count);
    if (steps == NULL)
        return arena_failed(profile->arena, "the steps of a profile", err);
    (void)annotations_of(profile, space, name, steps);
    qsort(steps, count, sizeof *steps, compare_host_steps);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && steps[kept - 1].number == steps[i].number) {
            if (steps[i].end_ps > steps[kept - 1].end_ps)
                steps[kept - 1].end_ps = steps[i].end_ps;
        } else {
            steps[kept++] = steps[i];
        }
    }
    *list = (struct host_step_list){steps, kept};
    return true;
}

bool steps_of_host(struct profile *profile, const struct xspace *space,
                   struct host_step_list *ret_list, struct err *err)
{
    if (profile->host_steps == NULL)
        profile->host_steps =
            arena_array(profile->arena, struct host_step_list, profile->space_count);
    if (profile->host_steps == NULL)
        return arena_failed(profile->arena, "the steps of a profile", err);
    struct host_step_list *list = &profile->host_steps[space - profile->spaces];
    if (list->items == NULL && !host_steps_find(profile, space, list, err))
        return false;
    *ret_list = *list;
    return true;
}

/* A step's ops start between its annotation and the next one. Work that is left behind the last
 * one belongs to it for as long as the longest step before took. */
static bool windows_from_annotations(struct profile *profile, struct plane_state *state,
                                     struct err *err)
{
    struct host_step_list list;
    struct window_list *windows = &state->windows;
    if (!steps_of_host(profile, state->plane->space, &list, err))
        return false;
    const struct host_step *steps = list.items;
    const size_t count = list.count;
    windows->items = arena_array(profile->arena, struct step_window, count);
    if (windows->items == NULL)
        return arena_failed(profile->arena, "the steps of a profile", err);
    int64_t longest = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t end = steps[i].end_ps;
        if (i + 1 < count) {
            end = steps[i + 1].start_ps;
            int64_t length = ps_between(steps[i].start_ps, end);
            longest = length > longest ? length : longest;
        } else if (ps_between(steps[i].start_ps, end) < longest) {
            end = steps[i].start_ps;
            ps_add(&end, longest);
        }
        struct step_window *window = &windows->items[windows->count++];
        *window = window_of(profile, steps[i].number, steps[i].start_ps, end);
        window->by_ops = true;
    }
    windows_sort(windows);
    return true;
}

/* ---- the method ------------------------------------------------------------------------------ */

static bool has_marks(const struct profile *profile, enum mark_kind kind)
{
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct mark_list *marks = &profile->planes[p].marks;
        for (size_t i = 0; i < marks->count; i++) {
            if (marks->items[i].kind == kind)
                return true;
        }
    }
    return false;
}

static bool plane_steps_find(struct profile *profile, struct plane_state *state, struct err *err)
{
    bool found = true;
    if (profile->step_method == STEPS_LINE)
        found = windows_from_marks(profile, state, MARK_STEPS_LINE, OP_NONE, err);
    if (profile->step_method == STEPS_ANNOTATION)
        found = windows_from_annotations(profile, state, err);
    if (profile->step_method == STEPS_MODULE_RUN)
        found = windows_from_runs(profile, state, err);
    windows_settle(&state->windows);
    return found;
}

bool steps_find(struct profile *profile, struct err *err)
{
    profile->step_method = has_marks(profile, MARK_STEPS_LINE)   ? STEPS_LINE
                           : has_marks(profile, MARK_ANNOTATION) ? STEPS_ANNOTATION
                           : has_marks(profile, MARK_MODULE)     ? STEPS_MODULE_RUN
                                                                 : STEPS_NONE;
    for (size_t p = 0; p < profile->plane_count; p++) {
        struct plane_state *state = &profile->planes[p];
        if (state->plane->is_device && !plane_steps_find(profile, state, err))
            return false;
    }
    for (size_t i = 0; profile->step_method == STEPS_ANNOTATION && i < profile->space_count; i++) {
        if (!launches_find(profile, &profile->spaces[i], err))
            return false;
    }
    return true;
}

/* false when nothing of the step ran on the device. */
static bool window_span(struct step_window *window)
{
    if (!window->by_ops)
        return true;
    window->span_ps[0] = window->first_ps;
    window->span_ps[1] = window->last_ps;
    return window->first_ps <= window->last_ps;
}

static int compare_spans(const void *a, const void *b)
{
    const struct step_window *left = a, *right = b;
    return (left->span_ps[0] > right->span_ps[0]) - (left->span_ps[0] < right->span_ps[0]);
}

void steps_span(struct profile *profile)
{
    for (size_t p = 0; p < profile->plane_count; p++) {
        struct window_list *windows = &profile->planes[p].windows;
        size_t kept = 0;
        for (size_t i = 0; i < windows->count; i++) {
            struct step_window window = windows->items[i];
            if (window_span(&window))
                windows->items[kept++] = window;
        }
        windows->count = kept;
        if (kept > 1)
            qsort(windows->items, kept, sizeof *windows->items, compare_spans);
    }
}
