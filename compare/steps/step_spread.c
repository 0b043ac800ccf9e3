/* Takes the steps of both sides, and counts them in bins. */
#include "compare/steps/step_spread.h"

#include "compare/statistics/statistics.h"

#include <math.h>

static size_t table_take(const struct step_table *steps, double *us)
{
    size_t count = 0;
    for (size_t i = 0; i < steps->count; i++) {
        if (steps->rows[i].warmup || steps->rows[i].max_ps <= 0)
            continue;
        if (us != NULL)
            us[count] = (double)steps->rows[i].max_ps / 1e6;
        count++;
    }
    return count;
}

/* Steady steps of all runs, µs; returns how many. us may be NULL: they are only counted. */
static size_t steps_take(const struct gate_runs *runs, double *us)
{
    size_t count = 0;
    for (size_t i = 0; i < runs->count; i++)
        for (size_t j = 0; j < runs->items[i].profile_count; j++)
            count += table_take(&runs->items[i].profiles[j]->summary->steps,
                                us != NULL ? us + count : NULL);
    return count;
}

void step_spread_fill(struct gate_state *judgement)
{
    struct verdict *verdict = judgement->verdict;
    struct step_bin_list list;
    size_t before = steps_take(&judgement->baseline, NULL);
    size_t count = before + steps_take(&judgement->candidate, NULL);
    double *us = arena_array(judgement->arena, double, count);
    (void)steps_take(&judgement->baseline, us);
    (void)steps_take(&judgement->candidate, us + before);
    const struct step_times steps = {us, before, count};
    step_bins_make(&steps, judgement->arena, &list);
    struct verdict_step_bin *bins =
        arena_array(judgement->arena, struct verdict_step_bin, list.count);
    for (size_t i = 0; i < list.count; i++) {
        const struct step_bin *bin = &list.items[i];
        bins[i] = (struct verdict_step_bin){
            bin->from_us, isfinite(bin->until_us) ? some_f64(bin->until_us) : (struct opt_f64){0},
            bin->before, bin->after};
    }
    verdict->step_bins = bins;
    verdict->step_bin_count = list.count;
}
