/* Implements the notes on a ranking. */
#include "compare/ranking/ranked_notes.h"

#include "ops/runtime/text.h"
#include "schema/documents/figures.h"

#include <string.h>

struct noting {
    struct arena *arena;
    struct ranking *ranking;
    bool by_period; /* what is ranked */
    size_t capacity;
};

static void note(struct noting *noting, const char *text)
{
    struct string_list *list = &noting->ranking->notes;
    list->items =
        arena_grow(noting->arena, list->items, list->count, &noting->capacity, sizeof *list->items);
    list->items[list->count++] = text;
}

static void sources_note(struct noting *noting, const struct ranked_group *group)
{
    for (size_t figure = 0; figure < FIGURE_COUNT; figure++) {
        const struct ranked_run *told = NULL;
        for (size_t i = 0; i < group->run_count; i++) {
            const struct summary_figure *mine = &group->runs[i].figures[figure];
            if (mine->value.set && told == NULL)
                told = &group->runs[i];
            if (!mine->value.set || !!text_same(mine->of, told->figures[figure].of))
                continue;
            note(noting, arena_printf(noting->arena,
                                      "%s is not of the same in all rows: of %s %s; "
                                      "of %s %s",
                                      figure_names[figure], told->name, told->figures[figure].of,
                                      group->runs[i].name, mine->of));
            break;
        }
    }
}

static const double sooner_least = 0.01; /* less is said of nobody */

/* Ranked by what passes from step to step, the first may have longer steps: they wait less. Ranked
 * by step times, what is waited for between steps may undo what was won. */
static void order_note(struct noting *noting, const struct ranked_group *group)
{
    const bool by_period = noting->by_period;
    const struct ranked_run *first = &group->runs[0], *best = first;
    struct opt_f64 least = by_period ? first->step_us : first->period_us;
    const struct opt_f64 firsts = least;
    for (size_t i = 1; i < group->run_count; i++) {
        const struct opt_f64 other = by_period ? group->runs[i].step_us : group->runs[i].period_us;
        if (!least.set || !other.set || other.value >= least.value)
            continue;
        best = &group->runs[i];
        least = other;
    }
    if (best == first || least.value >= firsts.value * (1 - sooner_least))
        return;
    note(noting,
         arena_printf(noting->arena,
                      by_period ? "steps of %s are shorter than those of %s, but follow each other "
                                  "later: what is between steps counts as well"
                                : "steps of %s follow each other sooner than those of %s, though "
                                  "each takes longer: what is between steps counts as well",
                      best->name, first->name));
}

void ranked_notes_fill(struct ranking *ranking, struct arena *arena)
{
    struct noting noting = {
        .arena = arena,
        .ranking = ranking,
        .by_period = strcmp(ranking->by, measure_rows[MEASURE_steady_step_period].name) == 0,
    };
    for (size_t i = 0; i < ranking->group_count; i++) {
        sources_note(&noting, &ranking->groups[i]);
        order_note(&noting, &ranking->groups[i]);
    }
}
