#include "ingest/steps/host_steps.h"
#include "ingest/steps/step_numbers.h"

#include <stdlib.h>

/* The name whose annotations last longest in all; OP_NONE when there are none. */
static int32_t longest_name(struct profile *profile, const struct mark_list *marks)
{
    struct counter totals;
    counter_init(&totals, &profile->catalog.scratch);
    struct arena_mark mark = arena_mark(&profile->catalog.scratch);
    for (size_t i = 0; i < marks->count; i++) {
        const struct step_mark *item = &marks->items[i];
        if (item->kind == MARK_ANNOTATION)
            counter_add(&totals, item->name, item->duration_ps, 0);
    }
    const int32_t name = (int32_t)counter_top(&totals, OP_NONE);
    arena_rewind(&profile->catalog.scratch, mark);
    return name;
}

/* Steps are annotated by `train`, else by what takes most of the time on one plane. */
static int32_t annotation_choose(struct profile *profile)
{
    int32_t name = OP_NONE;
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct mark_list *marks = &profile->planes[p].marks;
        for (size_t i = 0; i < marks->count; i++) {
            if (marks->items[i].kind == MARK_ANNOTATION && marks->items[i].is_train)
                return marks->items[i].name;
        }
    }
    for (size_t p = 0; p < profile->plane_count && name == OP_NONE; p++)
        name = longest_name(profile, &profile->planes[p].marks);
    return name;
}

static int compare_host_steps(const void *a, const void *b)
{
    const struct host_step *left = a, *right = b;
    if (left->number != right->number)
        return left->number < right->number ? -1 : 1;
    return (left->start_ps > right->start_ps) - (left->start_ps < right->start_ps);
}

enum { ALL_PROCESSES = -1 };

/* The annotations of a process of the file, as they come; only counts them when items is NULL. */
static size_t annotations_of(const struct profile *profile, const struct xspace *space,
                             int32_t process, struct line_annotation *items)
{
    size_t count = 0;
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct plane_state *state = &profile->planes[p];
        for (size_t i = 0; state->plane->space == space && i < state->marks.count; i++) {
            const struct step_mark *mark = &state->marks.items[i];
            const struct xline *lines = state->plane->lines;
            if (mark->kind != MARK_ANNOTATION || !mark->has_ps ||
                mark->name != profile->annotation ||
                (process != ALL_PROCESSES &&
                 lines[mark->line - lines[0].ordinal].process != process))
                continue;
            if (items != NULL)
                items[count] = (struct line_annotation){
                    mark->line, {mark->number, mark->start_ps, mark_end(mark), 0, INT64_MAX}};
            count++;
        }
    }
    return count;
}

static struct host_step_list host_steps_find(struct profile *profile, const struct xspace *space,
                                             int32_t process)
{
    const size_t count = annotations_of(profile, space, process, NULL);
    scoped_arena scratch;
    arena_init_within(&scratch, profile->arena);
    struct host_step *steps = arena_array(profile->arena, struct host_step, count);
    struct line_annotation *found = arena_array(&scratch, struct line_annotation, count);
    int64_t *lengths = arena_array(&scratch, int64_t, count);
    struct host_step_list list = {.items = steps};
    (void)annotations_of(profile, space, process, found);
    list.renumbered = step_numbers_count_on(found, count);
    for (size_t i = 0; i < count; i++)
        steps[i] = found[i].step;
    /* Those of one number are joined: of several threads, or a step in pieces. */
    qsort(steps, count, sizeof *steps, compare_host_steps);
    for (size_t i = 0; i < count; i++) {
        struct host_step *last = list.count > 0 ? &steps[list.count - 1] : NULL;
        if (last == NULL || last->number != steps[i].number)
            steps[list.count++] = steps[i];
        else if (steps[i].end_ps > last->end_ps)
            last->end_ps = steps[i].end_ps;
    }
    list.unmarked = unmarked_steps_find(steps, list.count, lengths);
    return list;
}

struct host_step_list *steps_of_host(struct profile *profile, const struct xspace *space)
{
    if (profile->host_steps == NULL) {
        profile->annotation = annotation_choose(profile);
        profile->host_steps =
            arena_array(profile->arena, struct host_step_list, profile->space_count);
    }
    struct host_step_list *list = &profile->host_steps[space - profile->spaces];
    if (list->items == NULL)
        *list = host_steps_find(profile, space, ALL_PROCESSES);
    return list;
}

struct host_step_list steps_of_process(struct profile *profile, const struct xspace *space,
                                       int32_t process)
{
    const struct host_step_list *all = steps_of_host(profile, space);
    const struct host_step_list own = host_steps_find(profile, space, process);
    return own.count == 0 ? *all : own;
}

bool steps_are_annotated(const struct profile *profile)
{
    return profile_has_marks(profile, MARK_ANNOTATION);
}

/* ---- windows --------------------------------------------------------------------------------- */

/* How far the ops of a step may begin: as far as its annotation lasts, or as usual steps do, and
 * up to the next annotation, unless several steps would fit in between. */
static int64_t step_reach(const struct host_step *steps, size_t count, size_t at,
                          const struct usual_steps *usual)
{
    enum { STEPS_BETWEEN = 3 };
    int64_t reach = steps[at].start_ps;
    if (steps[at].own_end_ps < INT64_MAX)
        return steps[at].own_end_ps;
    ps_add(&reach, usual->longest_ps);
    if (reach < steps[at].end_ps)
        reach = steps[at].end_ps;
    if (at + 1 == count)
        return reach;
    int64_t between = ps_between(reach, steps[at + 1].start_ps);
    return between / STEPS_BETWEEN > usual->middle_ps ? reach : steps[at + 1].start_ps;
}

void host_windows_make(struct profile *profile, struct host_step_list *list)
{
    if (list->windows != NULL)
        return;
    const struct host_step *steps = list->items;
    const size_t count = list->count;
    struct step_window *windows = arena_array(profile->arena, struct step_window, count);
    int64_t *lengths = arena_array(profile->arena, int64_t, count);
    for (size_t i = 0; i + 1 < count; i++)
        lengths[i] = ps_between(steps[i].start_ps, steps[i + 1].start_ps) / (steps[i].unmarked + 1);
    const struct usual_steps usual = steps_usual(lengths, count > 0 ? count - 1 : 0);
    for (size_t i = 0; i < count; i++)
        windows[i] = window_by_ops(profile, steps[i].number, steps[i].start_ps,
                                   step_reach(steps, count, i, &usual), i);
    list->windows = windows;
    list->window_count = windows_settle(windows, count);
}
