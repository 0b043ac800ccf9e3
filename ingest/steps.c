/* See steps.h. */
#include "ingest/steps.h"
#include "ingest/kernel_launches.h"
#include "ingest/launches.h"
#include "ingest/programs.h"
#include "ingest/step_warmup.h"

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

static struct step_window window_of(int64_t number, int64_t start, int64_t end)
{
    return (struct step_window){
        .number = number,
        .start_ps = start,
        .end_ps = end,
        .span_ps = {start, end},
        .busy_ps = -1,
        .steady = true,
    };
}

struct step_window window_by_ops(const struct profile *profile, int64_t number, int64_t start_ps,
                                 int64_t end_ps, size_t place)
{
    struct step_window window = window_of(number, start_ps, end_ps);
    const struct ingest_options *options = profile->options;
    if (warmup_is_fixed(profile, profile->step_method)) {
        window.steady = number >= options->warmup_steps;
    } else if (place < HEAD_WINDOWS) {
        window.steady = false;
        window.head = (uint8_t)(place + 1);
    }
    return window;
}

static int64_t end_of(const struct step_mark *mark)
{
    int64_t end = mark->start_ps;
    ps_add(&end, mark->duration_ps);
    return end;
}

/* By start. */
static void runs_number(struct step_window *items, size_t count)
{
    if (count > 1)
        qsort(items, count, sizeof *items, compare_windows);
    for (size_t i = 0; i < count; i++)
        items[i].number = (int64_t)i;
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
static bool windows_from_marks(struct profile *profile, const struct plane_state *state,
                               enum mark_kind kind, int32_t name, struct window_list *ret_windows)
{
    const struct mark_list *marks = &state->marks;
    struct step_window *items = arena_array(profile->arena, struct step_window, marks->count);
    size_t count = 0;
    if (items == NULL)
        return false;
    for (size_t i = 0; i < marks->count; i++) {
        const struct step_mark *mark = &marks->items[i];
        if (mark->kind == kind && mark->has_ps && (name == OP_NONE || mark->name == name))
            items[count++] = window_of(mark->number, mark->start_ps, end_of(mark));
    }
    if (kind == MARK_MODULE)
        runs_number(items, count);
    *ret_windows = (struct window_list){.items = items, .count = windows_settle(items, count)};
    return true;
}

bool steps_of_runs(struct profile *profile, const struct plane_state *state,
                   struct window_list *ret_windows, struct err *err)
{
    int32_t program;
    *ret_windows = (struct window_list){0};
    bool known = longest_name(profile, &state->marks, MARK_MODULE, &program);
    if (known && program != OP_NONE)
        known = windows_from_marks(profile, state, MARK_MODULE, program, ret_windows);
    return known || arena_failed(profile->arena, "the steps of a profile", err);
}

/* The name of a program, without its id. */
static bool program_name(struct profile *profile, int32_t program, const char **ret_name)
{
    const char *name = catalog_text(&profile->catalog, profile->catalog.names[program].name);
    size_t length = strlen(name);
    uint64_t id;
    (void)module_split(name, &length, &id);
    *ret_name = arena_strndup(profile->arena, name, length);
    return *ret_name != NULL;
}

bool steps_program(struct profile *profile, enum step_method method, const char **ret_program,
                   struct err *err)
{
    *ret_program = NULL;
    for (size_t p = 0; p < profile->plane_count && *ret_program == NULL; p++) {
        const struct plane_state *state = &profile->planes[p];
        const struct op_program *launched = state->windows.program;
        int32_t run = OP_NONE;
        if (method == STEPS_LAUNCH && launched != NULL)
            *ret_program = catalog_text(&profile->catalog, launched->module);
        if (method != STEPS_MODULE_RUN || state->device == UINT32_MAX)
            continue;
        if (!longest_name(profile, &state->marks, MARK_MODULE, &run) ||
            (run != OP_NONE && !program_name(profile, run, ret_program)))
            return arena_failed(profile->arena, "the steps of a profile", err);
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
        windows[i] = window_by_ops(profile, steps[i].number, steps[i].start_ps, end, i);
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
    state->windows =
        (struct window_list){.items = list->windows, .count = list->window_count, .by_ops = true};
    return true;
}

/* ---- the method ------------------------------------------------------------------------------ */

bool plane_has_op_line(const struct xplane *plane)
{
    for (size_t i = 0; plane->is_device && i < plane->line_count; i++) {
        const struct xline *line = &plane->lines[i];
        if (line->role == LINE_OPS && !line->derived && !line->asynchronous &&
            line_has_events(line))
            return true;
    }
    return false;
}

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

bool steps_are_annotated(const struct profile *profile)
{
    return has_marks(profile, MARK_ANNOTATION);
}

bool steps_have_runs(const struct profile *profile)
{
    return has_marks(profile, MARK_MODULE);
}

static bool plane_steps_find(struct profile *profile, struct plane_state *state, struct err *err)
{
    if (profile->step_method == STEPS_LINE)
        return windows_from_marks(profile, state, MARK_STEPS_LINE, OP_NONE, &state->windows) ||
               arena_failed(profile->arena, "the steps of a profile", err);
    if (profile->step_method == STEPS_ANNOTATION)
        return windows_from_annotations(profile, state, err);
    return profile->step_method != STEPS_MODULE_RUN ||
           steps_of_runs(profile, state, &state->windows, err);
}

/* Whether ops of a device come with the file. */
static bool has_op_lines(const struct profile *profile)
{
    for (size_t p = 0; p < profile->plane_count; p++) {
        if (plane_has_op_line(profile->planes[p].plane))
            return true;
    }
    return false;
}

static enum step_method method_choose(const struct profile *profile)
{
    if (has_marks(profile, MARK_STEPS_LINE))
        return STEPS_LINE;
    if (has_op_lines(profile))
        return has_marks(profile, MARK_ANNOTATION) ? STEPS_ANNOTATION
               : has_marks(profile, MARK_MODULE)   ? STEPS_MODULE_RUN
                                                   : STEPS_LAUNCH;
    return has_marks(profile, MARK_ANNOTATION) ? STEPS_HOST
           : has_marks(profile, MARK_CALL)     ? STEPS_CALL
                                               : STEPS_NONE;
}

bool steps_find(struct profile *profile, struct err *err)
{
    profile->step_method = method_choose(profile);
    if (!compilations_find(profile, err))
        return false;
    if (profile->step_method == STEPS_LAUNCH)
        return kernel_launches_find(profile, err);
    for (size_t p = 0; p < profile->plane_count; p++) {
        struct plane_state *state = &profile->planes[p];
        if (state->plane->is_device && !plane_steps_find(profile, state, err))
            return false;
    }
    for (size_t i = 0; profile->step_method == STEPS_ANNOTATION && i < profile->space_count; i++) {
        if (!launches_find(profile, &profile->spaces[i], err))
            return false;
    }
    bool bounded = profile->step_method == STEPS_LINE || profile->step_method == STEPS_MODULE_RUN;
    return !bounded || step_warmup_decide(profile, err);
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
    if (extent->last_ps > span->span_ps[1])
        span->span_ps[1] = extent->last_ps;
    ps_add(&span->busy_ps, extent->busy_ps);
}

static bool plane_span(struct plane_state *state, struct err *err)
{
    struct extent_list *extents = &state->extents;
    size_t count = 0;
    extents_sort(extents);
    struct step_window *spans = arena_array(&state->arena, struct step_window, extents->count);
    if (spans == NULL)
        return arena_failed(&state->arena, "the steps of a profile", err);
    for (size_t i = 0; i < extents->count; i++) {
        const struct step_extent *extent = &extents->items[i];
        if (i > 0 && extents->items[i - 1].window == extent->window) {
            span_widen(&spans[count - 1], extent);
            continue;
        }
        spans[count] = state->windows.items[extent->window];
        spans[count].span_ps[0] = extent->first_ps;
        spans[count].span_ps[1] = extent->last_ps;
        spans[count++].busy_ps = extent->busy_ps;
    }
    if (count > 1)
        qsort(spans, count, sizeof *spans, compare_spans);
    state->windows =
        (struct window_list){.items = spans, .count = count, .program = state->windows.program};
    return true;
}

/* Adds what the first steps that turned out to be steady hold of each op. */
static void heads_fold(struct plane_state *state)
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

bool steps_span(struct profile *profile, struct err *err)
{
    if (profile->step_method != STEPS_ANNOTATION && profile->step_method != STEPS_LAUNCH)
        return true;
    for (size_t p = 0; p < profile->plane_count; p++) {
        struct plane_state *state = &profile->planes[p];
        if (state->windows.by_ops && !plane_span(state, err))
            return false;
    }
    if (!step_warmup_decide(profile, err))
        return false;
    for (size_t p = 0; p < profile->plane_count; p++)
        heads_fold(&profile->planes[p]);
    return true;
}
