/* Implements the look at the thirds of a capture. */
#include "compare/steps/step_growth.h"

#include "compare/statistics/statistics.h"
#include "schema/documents/measures.h"

#include <math.h>
#include <stdio.h>

/* Medians of the first, second and last third of the steps of a profile, in their order; false: too
 * few to tell. */
enum { THIRDS = 3, STEPS_OF_THIRD = 3 };
static bool thirds_find(struct gate_state *judgement, const struct summary *summary, double *thirds)
{
    struct arena_mark mark = arena_mark(judgement->arena);
    double *us = arena_array(judgement->arena, double, summary->steps.count);
    judgement->out_of_memory |= us == NULL;
    size_t first_row = steps_first_warmup(&summary->steps);
    size_t count = us == NULL ? 0 : steps_waited(&summary->steps, first_row, us);
    size_t length = count / THIRDS;
    bool enough = length >= STEPS_OF_THIRD;
    for (size_t i = 0; enough && i < THIRDS; i++) {
        double *first = us + (i == THIRDS - 1 ? count - length : i * length);
        stats_sort(first, length);
        thirds[i] = stats_quantile(first, length, 0.5);
    }
    arena_rewind(judgement->arena, mark);
    return enough;
}

bool step_growth_text(struct gate_state *judgement, double margin, char *buffer, size_t size)
{
    const struct gate_runs *runs = &judgement->candidate;
    double first = 0, last = 0, count = 0;
    char pair[FORMAT_CHANGE_BYTES];
    for (size_t i = 0; i < runs->count; i++) {
        for (size_t j = 0; j < runs->items[i].profile_count; j++) {
            double thirds[THIRDS];
            if (!judgement->steps_are_ours ||
                !thirds_find(judgement, runs->items[i].profiles[j]->summary, thirds) ||
                thirds[1] <= thirds[0] || thirds[2] <= thirds[1] ||
                log(thirds[2] / thirds[0]) < margin)
                return false;
            first += thirds[0];
            last += thirds[2];
            count++;
        }
    }
    if (count > 0)
        (void)snprintf(buffer, size,
                       "steps take longer and longer, %s from the first third of a capture to its "
                       "last",
                       format_change(first / count, last / count, pair));
    return count > 0;
}
