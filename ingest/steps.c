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

/* By start. */
static void runs_number(const struct profile *profile, struct step_window *items, size_t count)
{
    if (count > 1)
        qsort(items, count, sizeof *items, compare_windows);
    for (size_t i = 0; i < count; i++) {
        items[i].number = (int64_t)i;
        items[i].steady = !step_is_warmup(profile, items[i].number);
    }
}

/* Sorts; joins neighbours of one number (a step in pieces), cuts what overlaps. Returns how many
 * are left of items[count]. */
static size_t windows_settle(struct step_window *items, size_t count)
{
    size_t kept = 0;
    if (count > 1)
        qsort(items, count, sizeof *items, compare_windows);
    for (size_t i = 0; i < count; i++) {
        struct step_window *last = kept > 0 ? &items[kept - 1] : NULL;
        if (last != NULL && last->number == items[i].number) {
            if (items[i].end_ps > last->end_ps)
                last->end_ps = last->span_ps[1] = items[i].end_ps;
            continue;
        }
        if (last != NULL && last->end_ps > items[i].start_ps)
            last->end_ps = items[i].start_ps;
        items[kept++] = items[i];
    }
    return kept;
}

/* Windows from the marks of one kind, of one name unless that is OP_NONE; those of runs, which have
 * no numbers, are counted from 0. */
static bool windows_from_marks(struct profile *profile, struct plane_state *state,
                               enum mark_kind kind, int32_t name, struct err *err)
{
    const struct mark_list *marks = &state->marks;
    struct step_window *items = arena_array(profile->arena, struct step_window, marks->count);
    size_t count = 0;
    if (items == NULL)
        return arena_failed(profile->arena, "the steps of a profile", err);
    for (size_t i = 0; i < marks->count; i++) {
        const struct step_mark *mark = &marks->items[i];
        if (mark->kind == kind && mark->has_ps && (name == OP_NONE || mark->name == name))
            items[count++] = window_of(profile, mark->number, mark->start_ps, end_of(mark));
    }
    if (kind == MARK_MODULE)
        runs_number(profile, items, count);
    state->windows = (struct window_list){items, windows_settle(items, count), false, NULL, NULL};
    return true;
}

/* Runs of the plane's dominant program. */
static bool windows_from_runs(struct profile *profile, struct plane_state *state, struct err *err)
{
    int32_t program;
    if (!longest_name(profile, &state->marks, MARK_MODULE, &program))
        return arena_failed(profile->arena, "the steps of a profile", err);
    return program == OP_NONE || windows_from_marks(profile, state, MARK_MODULE, program, err);
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
    const int32_t name = profile->annotation;
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
    *list = (struct host_step_list){.items = steps, .count = kept};
    return true;
}

struct host_step_list *steps_of_host(struct profile *profile, const struct xspace *space,
                                     struct err *err)
{
    if (profile->host_steps == NULL) {
        struct host_step_list *lists =
            arena_array(profile->arena, struct host_step_list, profile->space_count);
        if (lists == NULL || !annotation_choose(profile, &profile->annotation)) {
            (void)arena_failed(profile->arena, "the steps of a profile", err);
            return NULL;
        }
        profile->host_steps = lists;
    }
    struct host_step_list *list = &profile->host_steps[space - profile->spaces];
    return list->items != NULL || host_steps_find(profile, space, list, err) ? list : NULL;
}

/* A step's ops start between its annotation and the next one. Work that is left behind the last
 * one belongs to it for as long as the longest step before took. */
static bool host_windows_make(struct profile *profile, struct host_step_list *list, struct err *err)
{
    const struct host_step *steps = list->items;
    const size_t count = list->count;
    int64_t longest = 0;
    struct step_window *windows = arena_array(profile->arena, struct step_window, count);
    if (windows == NULL)
        return arena_failed(profile->arena, "the steps of a profile", err);
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
        windows[i] = window_of(profile, steps[i].number, steps[i].start_ps, end);
    }
    list->windows = windows;
    list->window_count = windows_settle(windows, count);
    return true;
}

static bool windows_from_annotations(struct profile *profile, struct plane_state *state,
                                     struct err *err)
{
    struct host_step_list *list = steps_of_host(profile, state->plane->space, err);
    if (list == NULL || (list->windows == NULL && !host_windows_make(profile, list, err)))
        return false;
    state->windows = (struct window_list){list->windows, list->window_count, true, NULL, NULL};
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
    if (profile->step_method == STEPS_LINE)
        return windows_from_marks(profile, state, MARK_STEPS_LINE, OP_NONE, err);
    if (profile->step_method == STEPS_ANNOTATION)
        return windows_from_annotations(profile, state, err);
    return profile->step_method != STEPS_MODULE_RUN || windows_from_runs(profile, state, err);
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

/* ---- spans ----------------------------------------------------------------------------------- */

static int compare_spans(const void *a, const void *b)
{
    const struct step_window *left = a, *right = b;
    if (left->span_ps[0] != right->span_ps[0])
        return left->span_ps[0] < right->span_ps[0] ? -1 : 1;
    return (left->number > right->number) - (left->number < right->number);
}

static bool plane_span(struct plane_state *state, struct err *err)
{
    const struct extent_list *extents = &state->extents;
    struct step_window *spans = arena_array(&state->arena, struct step_window, extents->count);
    if (spans == NULL)
        return arena_failed(&state->arena, "the steps of a profile", err);
    for (size_t i = 0; i < extents->count; i++) {
        const struct step_extent *extent = &extents->items[i];
        spans[i] = state->windows.items[extent->window];
        spans[i].span_ps[0] = extent->first_ps;
        spans[i].span_ps[1] = extent->last_ps;
    }
    if (extents->count > 1)
        qsort(spans, extents->count, sizeof *spans, compare_spans);
    state->windows = (struct window_list){spans, extents->count, false, NULL, NULL};
    return true;
}

bool steps_span(struct profile *profile, struct err *err)
{
    for (size_t p = 0; p < profile->plane_count; p++) {
        struct plane_state *state = &profile->planes[p];
        if (state->windows.by_ops && !plane_span(state, err))
            return false;
    }
    return true;
}
