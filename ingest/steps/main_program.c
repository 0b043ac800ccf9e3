/* See main_program.h. */
#include "ingest/steps/main_program.h"

#include <stdlib.h>

/* ---- programs -------------------------------------------------------------------------------- */

static bool program_add(struct use_by_program *list, const struct program_use *use,
                        struct arena *arena)
{
    struct program_use *items =
        arena_grow(arena, list->items, list->count, &list->capacity, sizeof *items);
    if (items == NULL)
        return false;
    list->items = items;
    items[list->count++] = *use;
    return true;
}

bool program_uses_add(struct use_by_program *list, const struct profile *profile,
                      const struct plane_state *state, const struct use_list *uses,
                      struct arena *arena)
{
    const struct plane_ops *ops = &state->plane->ops;
    size_t space = (size_t)(state->plane->space - profile->spaces);
    for (size_t i = 0; i < ops->count && i < uses->capacity; i++) {
        const struct op_detail *detail = &ops->details[i];
        const struct op_use *use = &uses->items[i];
        const struct program_use program = {
            {detail->module, detail->has_program, detail->has_program ? detail->program_id : 0},
            space,
            use->total_ps};
        if (use->count > 0 && detail->module != STRING_NONE && !program_add(list, &program, arena))
            return false;
    }
    return true;
}

/* By module, host and id. */
static int compare_programs(const void *a, const void *b)
{
    const struct program_use *left = a, *right = b;
    if (left->program.module != right->program.module)
        return left->program.module < right->program.module ? -1 : 1;
    if (left->space != right->space)
        return left->space < right->space ? -1 : 1;
    if (left->program.has_id != right->program.has_id)
        return left->program.has_id ? 1 : -1;
    return (left->program.id > right->program.id) - (left->program.id < right->program.id);
}

/* Joins the ops of each program. */
static void programs_join(struct use_by_program *list)
{
    size_t kept = 0;
    if (list->count > 1)
        qsort(list->items, list->count, sizeof *list->items, compare_programs);
    for (size_t i = 0; i < list->count; i++) {
        if (kept > 0 && compare_programs(&list->items[kept - 1], &list->items[i]) == 0)
            ps_add(&list->items[kept - 1].total_ps, list->items[i].total_ps);
        else
            list->items[kept++] = list->items[i];
    }
    list->count = kept;
}

/* The module that takes most time on all hosts; ids of one module differ from host to host. */
static uint32_t main_module(const struct use_by_program *list)
{
    uint32_t best = STRING_NONE;
    int64_t most = -1, total = 0;
    for (size_t i = 0; i < list->count; i++) {
        bool first = i == 0 || list->items[i - 1].program.module != list->items[i].program.module;
        total = first ? 0 : total;
        ps_add(&total, list->items[i].total_ps);
        if (total > most) {
            most = total;
            best = list->items[i].program.module;
        }
    }
    return best;
}

const struct program_use **main_programs(const struct profile *profile, struct use_by_program *list,
                                         struct arena *arena)
{
    programs_join(list);
    const uint32_t module = main_module(list);
    const struct program_use **best =
        arena_array(arena, const struct program_use *, profile->space_count);
    for (size_t i = 0; best != NULL && i < list->count; i++) {
        const struct program_use *use = &list->items[i];
        const struct program_use **held = &best[use->space];
        if (use->program.module == module && (*held == NULL || use->total_ps > (*held)->total_ps))
            *held = use;
    }
    return best;
}

/* ---- launches -------------------------------------------------------------------------------- */

static int compare_counts(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* How often the program was launched: ops in its loops run more often than that, ops in branches
 * less often. The tenth part that runs least is taken for branches and for what was cut off. */
static int64_t launch_count(int64_t *counts, size_t count)
{
    enum { BRANCHES_PER_OPS = 10 };
    qsort(counts, count, sizeof *counts, compare_counts);
    return counts[count / BRANCHES_PER_OPS];
}

int64_t program_launches(const struct plane_ops *ops, const struct use_list *uses,
                         const struct op_program *program, struct arena *arena)
{
    int64_t *counts = arena_array(arena, int64_t, ops->count);
    size_t count = 0;
    if (counts == NULL)
        return -1;
    for (size_t i = 0; i < ops->count && i < uses->capacity; i++) {
        if (uses->items[i].count > 0 && op_is_of(&ops->details[i], program))
            counts[count++] = uses->items[i].count;
    }
    return count == 0 ? 0 : launch_count(counts, count);
}

uint16_t program_place(const struct plane_ops *ops, const struct op_program *program)
{
    for (size_t i = 1; i <= ops->program_count; i++) {
        const struct op_program *own = &ops->programs[i];
        if (own->module == program->module && own->has_id == program->has_id &&
            own->id == program->id)
            return (uint16_t)i;
    }
    return 0;
}
