/* Implements the look for compilation in most steps, which a median of periods tells of. */
#include "compare/steps/step_waits.h"

/* Of the steps: from so many on their median tells of it, and so many more than the baseline's. */
static const double median_part = 0.4, more_part = 0.5;

static double compiled_part(const struct gate_runs *runs)
{
    double compiled = 0, steps = 0;
    for (size_t i = 0; i < runs->count; i++) {
        for (size_t j = 0; j < runs->items[i].profile_count; j++) {
            const struct step_table *own = &runs->items[i].profiles[j]->summary->steps;
            compiled += (double)steps_recompiled(own);
            steps += (double)own->count;
        }
    }
    return steps > 0 ? compiled / steps : 0;
}

const char *steps_wait_words(const struct gate_state *judgement)
{
    double before = compiled_part(&judgement->baseline);
    double after = compiled_part(&judgement->candidate);
    return after >= median_part && after - before >= more_part * after
               ? "the host compiles (recompilation), and keeps"
               : "input, host or dispatch keep";
}
