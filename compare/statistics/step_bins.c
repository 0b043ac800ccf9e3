/* Counts steps in bins. */
#include "compare/statistics/step_bins.h"

#include "compare/statistics/stats.h"

#include <math.h>

enum { BINS = 40 };

/* Steps beyond the 99th percentile by more than this part of what lies below it share a bin: else
 * one slow step would press all others into the first. */
static const double tail_quantile = .99, tail_room = .25;

void step_bins_make(const struct step_times *steps, struct arena *arena,
                    struct step_bin_list *ret_bins)
{
    const size_t count = steps->count;
    *ret_bins = (struct step_bin_list){0};
    if (steps->before == 0 || count == steps->before)
        return;
    double *sorted = arena_array(arena, double, count);
    struct step_bin *bins = arena_array(arena, struct step_bin, BINS + 1);
    for (size_t i = 0; i < count; i++)
        sorted[i] = steps->us[i];
    stats_sort(sorted, count);
    double low = sorted[0], high = sorted[count - 1];
    double most = stats_quantile(sorted, count, tail_quantile);
    double edge = most + tail_room * (most - low);
    if (high > edge && most > low)
        high = edge;
    /* a little wider, so that the longest step lies in the last bin and not behind it */
    double width = (high - low) / BINS * (1 + 1e-9);
    for (size_t i = 0; i < BINS; i++)
        bins[i] = (struct step_bin){low + (double)i * width, low + (double)(i + 1) * width, 0, 0};
    bins[BINS] = (struct step_bin){high, INFINITY, 0, 0};
    for (size_t i = 0; i < count; i++) {
        double place = width > 0 ? floor((steps->us[i] - low) / width) : 0;
        struct step_bin *bin = &bins[place < BINS ? (size_t)place : BINS];
        *(i < steps->before ? &bin->before : &bin->after) += 1;
    }
    *ret_bins =
        (struct step_bin_list){bins, bins[BINS].before + bins[BINS].after > 0 ? BINS + 1 : BINS};
    if (!(width > 0)) { /* all took the same time */
        bins[0].until_us = INFINITY;
        ret_bins->count = 1;
    }
}
