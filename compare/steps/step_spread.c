/* Counts steps in bins. */
#include "compare/steps/step_spread.h"

#include <math.h>

enum { BINS = 40 };

/* Steps beyond the 99th percentile by more than this part of what lies below it share a bin: else
 * one slow step would press all others into the first. */
static const double tail_quantile = .99, tail_room = .25;

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
    size_t before = steps_take(&judgement->baseline, NULL);
    size_t count = before + steps_take(&judgement->candidate, NULL);
    double *us = arena_array(judgement->arena, double, 2 * count);
    struct verdict_step_bin *bins =
        arena_array(judgement->arena, struct verdict_step_bin, BINS + 1);
    if (us == NULL || bins == NULL) {
        judgement->out_of_memory = true;
        return;
    }
    if (before == 0 || count == before)
        return;
    (void)steps_take(&judgement->baseline, us);
    (void)steps_take(&judgement->candidate, us + before);
    double *sorted = us + count;
    for (size_t i = 0; i < count; i++)
        sorted[i] = us[i];
    stats_sort(sorted, count);
    double low = sorted[0], high = sorted[count - 1];
    double most = stats_quantile(sorted, count, tail_quantile);
    double edge = most + tail_room * (most - low);
    if (high > edge && most > low)
        high = edge;
    /* a little wider, so that the longest step lies in the last bin and not behind it */
    double width = (high - low) / BINS * (1 + 1e-9);
    for (size_t i = 0; i < BINS; i++)
        bins[i] = (struct verdict_step_bin){.from_us = low + (double)i * width,
                                            .until_us = some_f64(low + (double)(i + 1) * width)};
    bins[BINS].from_us = high;
    for (size_t i = 0; i < count; i++) {
        double place = width > 0 ? floor((us[i] - low) / width) : 0;
        struct verdict_step_bin *bin = &bins[place < BINS ? (size_t)place : BINS];
        *(i < before ? &bin->baseline : &bin->candidate) += 1;
    }
    verdict->step_bins = bins;
    verdict->step_bin_count = bins[BINS].baseline + bins[BINS].candidate > 0 ? BINS + 1 : BINS;
    if (!(width > 0)) { /* all took the same time */
        bins[0].until_us.set = false;
        verdict->step_bin_count = 1;
    }
}
