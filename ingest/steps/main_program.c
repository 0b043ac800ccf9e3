#include "ingest/steps/main_program.h"

#include "ingest/lookup/lookup.h"

#include <stdlib.h>

/* ---- which one ------------------------------------------------------------------------------- */

int64_t main_name(const struct counter *totals, const struct counter *times, int64_t absent)
{
    enum { RARELY = 2, TIMES_AS_OFTEN = 2, PARTS_OF_TIME = 10 };
    const size_t count = times->item_count;
    const struct count *took = totals->items;
    size_t most = 0, repeats = count;
    for (size_t i = 1; i < count; i++)
        most = took[i].count > took[most].count ? i : most;
    for (size_t i = 0; i < count && times->items[most].count <= RARELY; i++) {
        if (times->items[i].count / TIMES_AS_OFTEN >= times->items[most].count &&
            took[i].count >= took[most].count / PARTS_OF_TIME &&
            (repeats == count || took[i].count > took[repeats].count))
            repeats = i;
    }
    return count == 0 ? absent : took[repeats < count ? repeats : most].key;
}

/* How often a program was launched: ops in its loops run more often than that, ops in branches less
 * often. The tenth part that runs least is taken for branches and for what was cut off. */
static size_t launches_told(size_t count)
{
    enum { BRANCHES_PER_OPS = 10 };
    return count / BRANCHES_PER_OPS;
}

/* ---- programs -------------------------------------------------------------------------------- */

void program_uses_add(struct use_by_program *list, const struct profile *profile,
                      const struct plane_state *state, const struct use_list *uses,
                      struct arena *arena)
{
    const struct plane_ops *ops = &state->plane->ops;
    size_t space = (size_t)(state->plane->space - profile->spaces);
    for (size_t i = 0; i < ops->count && i < uses->capacity; i++) {
        const struct op_detail *detail = &ops->details[i];
        const struct op_use *use = &uses->items[i];
        if (use->count == 0 || detail->module == STRING_NONE)
            continue;
        list->items =
            arena_grow(arena, list->items, list->count, &list->capacity, sizeof *list->items);
        list->items[list->count++] = (struct program_use){
            {detail->module, detail->has_program, detail->has_program ? detail->program_id : 0},
            space,
            use->count,
            use->total_ps};
    }
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

static int compare_ops(const void *a, const void *b)
{
    const struct program_use *left = a, *right = b;
    const int order = compare_programs(a, b);
    return order != 0 ? order : (left->count > right->count) - (left->count < right->count);
}

/* Joins the ops of each program. */
static void programs_join(struct use_by_program *list)
{
    size_t kept = 0;
    if (list->count > 1)
        qsort(list->items, list->count, sizeof *list->items, compare_ops);
    for (size_t i = 0, next; i < list->count; i = next) {
        struct program_use use = list->items[i];
        for (next = i + 1; next < list->count && compare_programs(&use, &list->items[next]) == 0;
             next++)
            ps_add(&use.total_ps, list->items[next].total_ps);
        use.count = list->items[i + launches_told(next - i)].count;
        list->items[kept++] = use;
    }
    list->count = kept;
}

/* The main one of all modules, by their time on all hosts and how often one host launched them; ids
 * of one module differ from host to host. */
static uint32_t main_module(const struct use_by_program *list, struct arena *arena)
{
    struct counter totals, times;
    int64_t of_host = 0;
    counter_init(&totals, arena);
    counter_init(&times, arena);
    for (size_t i = 0; i < list->count; i++) {
        const struct program_use *use = &list->items[i];
        const uint32_t module = use->program.module;
        const bool goes_on =
            i > 0 && module == use[-1].program.module && use->space == use[-1].space;
        of_host = use->count + (goes_on ? of_host : 0);
        const int64_t more = of_host - counter_count(&times, module);
        counter_add(&totals, module, use->total_ps, 0);
        counter_add(&times, module, more > 0 ? more : 0, 0);
    }
    return (uint32_t)main_name(&totals, &times, STRING_NONE);
}

const struct program_use **main_programs(const struct profile *profile, struct use_by_program *list,
                                         struct arena *arena)
{
    programs_join(list);
    const uint32_t module = main_module(list, arena);
    const struct program_use **best =
        arena_array(arena, const struct program_use *, profile->space_count);
    for (size_t i = 0; i < list->count; i++) {
        const struct program_use *use = &list->items[i];
        const struct program_use **held = &best[use->space];
        if (use->program.module == module && (*held == NULL || use->total_ps > (*held)->total_ps))
            *held = use;
    }
    return best;
}

/* ---- launches -------------------------------------------------------------------------------- */

int64_t program_launches(const struct plane_ops *ops, const struct use_list *uses,
                         const struct op_program *program, struct arena *arena)
{
    int64_t *counts = arena_array(arena, int64_t, ops->count);
    size_t count = 0;
    for (size_t i = 0; i < ops->count && i < uses->capacity; i++) {
        if (uses->items[i].count > 0 && op_is_of(&ops->details[i], program))
            counts[count++] = uses->items[i].count;
    }
    if (count > 1)
        qsort(counts, count, sizeof *counts, i64_order);
    return count == 0 ? 0 : counts[launches_told(count)];
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
