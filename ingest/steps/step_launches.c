/* See step_launches.h. */
#include "ingest/steps/step_launches.h"
#include "ingest/steps/main_program.h"

#include <stdlib.h>

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

static uint16_t program_place(const struct plane_ops *ops, const struct op_program *program)
{
    for (size_t i = 1; i <= ops->program_count; i++) {
        const struct op_program *own = &ops->programs[i];
        if (own->module == program->module && own->has_id == program->has_id &&
            own->id == program->id)
            return (uint16_t)i;
    }
    return 0;
}

static int windows_by_span(const void *a, const void *b)
{
    const struct step_window *left = a, *right = b;
    return (left->span_ps[0] > right->span_ps[0]) - (left->span_ps[0] < right->span_ps[0]);
}

/* What the program spans of each step. false beyond the budget. */
static bool windows_fill(const struct plane_state *state, uint16_t program, struct arena *arena,
                         struct window_list *ret_windows)
{
    const struct extent_list *extents = &state->extents;
    struct step_window *items = arena_array(arena, struct step_window, extents->count);
    size_t count = 0;
    for (size_t i = 0; items != NULL && program > 0 && i < extents->count; i++) {
        const struct step_extent *extent = &extents->items[i];
        if (extent->program == program)
            items[count++] = (struct step_window){.span_ps = {extent->first_ps, extent->last_ps},
                                                  .busy_ps = extent->busy_ps};
    }
    if (count > 1)
        qsort(items, count, sizeof *items, windows_by_span);
    for (size_t i = 0; i < count; i++)
        items[i].number = (int64_t)i;
    *ret_windows = (struct window_list){.items = items, .count = count};
    return items != NULL;
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

bool step_launches_find(struct profile *profile, struct step_launches *ret_launches,
                        struct err *err)
{
    scoped_arena scratch;
    arena_init_within(&scratch, profile->arena);
    *ret_launches = (struct step_launches){0};
    return launches_search(profile, &scratch, ret_launches) ||
           arena_failed(profile->arena, "the launches of a profile", err);
}
