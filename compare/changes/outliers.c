/* Implements the clipping of outliers. */
#include "compare/changes/outliers.h"

#include "compare/changes/apart.h"
#include "compare/statistics/statistics.h"

#include <math.h>
#include <string.h>

enum { NEIGHBOURS = 4 };
static const double outlier_deviations = 2;

double outliers_median(const double *values, size_t count, double *scratch)
{
    memcpy(scratch, values, count * sizeof *values);
    stats_sort(scratch, count);
    return stats_quantile(scratch, count, .5);
}

/* So far from its neighbours a value may be: by what neighbours differ by. */
static double reach_of(const double *values, size_t count, struct arena *arena)
{
    double *scratch = arena_array(arena, double, count);
    double *differences = arena_array(arena, double, count);
    for (size_t i = 0; i + 1 < count; i++)
        differences[i] = values[i + 1] - values[i];
    double middle = outliers_median(differences, count - 1, scratch);
    for (size_t i = 0; i + 1 < count; i++)
        differences[i] = fabs(differences[i] - middle);
    double deviation = STATS_MAD_TO_SD * outliers_median(differences, count - 1, scratch) / sqrt(2);
    return outlier_deviations * deviation;
}

void outliers_clip(const double *values, size_t count, struct arena *arena, double *ret_clipped)
{
    struct arena_mark mark = arena_mark(arena);
    double reach = reach_of(values, count, arena);
    for (size_t i = 0; i < count; i++) {
        double near[2 * NEIGHBOURS + 1];
        size_t from = i < NEIGHBOURS ? 0 : i - NEIGHBOURS;
        size_t to = i + NEIGHBOURS + 1 > count ? count : i + NEIGHBOURS + 1;
        double around = outliers_median(values + from, to - from, near);
        ret_clipped[i] =
            reach > 0 ? fmin(fmax(values[i], around - reach), around + reach) : values[i];
    }
    arena_rewind(arena, mark);
}

void outliers_clip_sides(const double *values, size_t count, struct arena *arena,
                         double *ret_clipped)
{
    struct arena_mark mark = arena_mark(arena);
    double reach = reach_of(values, count, arena);
    for (size_t i = 0; i < count; i++) {
        double off = apart_by(values, count, i);
        ret_clipped[i] = values[i];
        if (reach > 0 && fabs(off) > reach)
            ret_clipped[i] -= off > 0 ? off - reach : off + reach;
    }
    arena_rewind(arena, mark);
}
