/* Implements the distance of a run from its neighbours. */
#include "compare/changes/apart.h"

#include "compare/statistics/statistics.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* So many standard deviations (1.4826 medians of absolute deviations, as of a normal distribution)
 * from the median of the runs before and from that of those behind: a run where the level changes
 * is near one of them. Never more than a part of the runs. */
static const double far_deviations = 4.5;
enum { MOST_PART = 5 };

/* As few make a level that the model of runs knows (statistics/run_model.c). */
enum { FRESH_LEAST = 3 };

double apart_median(const double *values, size_t first, size_t end)
{
    double near[APART_REACH];
    size_t count = end > first ? end - first : 0;
    assert(count <= APART_REACH);
    if (count == 0)
        return NAN;
    memcpy(near, values + first, count * sizeof *near);
    stats_sort(near, count);
    return stats_quantile(near, count, 0.5);
}

/* The smaller of the distances from the runs before and from those behind; behind the newest is
 * none, and the run before it tells whether it stands alone. */
double apart_by(const double *values, size_t count, size_t index)
{
    size_t first = index > APART_REACH ? index - APART_REACH : 0;
    size_t end = index + 1 + APART_REACH < count ? index + 1 + APART_REACH : count;
    double before = values[index] - apart_median(values, first, index);
    double behind = values[index] - apart_median(values, index + 1, end);
    if (isnan(behind))
        behind = values[index] - values[index - 1];
    if (isnan(before))
        return behind;
    return fabs(before) < fabs(behind) ? before : behind;
}

static bool is_fresh(const double *values, size_t first, size_t count, double least)
{
    double before = apart_median(values, first - APART_REACH, first);
    double level = apart_median(values, first, count), last = values[first - 1];
    if (fabs(last - level) < fabs(last - before))
        return false;
    for (size_t i = first; i < count; i++) {
        double off = level > before ? values[i] - before : before - values[i];
        if (off <= least || fabs(values[i] - level) >= off)
            return false;
    }
    return true;
}

size_t apart_fresh(const double *values, size_t count, double least)
{
    for (size_t fresh = APART_REACH; fresh >= FRESH_LEAST; fresh--) {
        if (count >= fresh + APART_REACH && is_fresh(values, count - fresh, count, least))
            return fresh;
    }
    return 0;
}

void apart_find(const double *values, size_t count, double matters, struct arena *arena,
                struct apart *ret_apart)
{
    double *sorted = arena_array(arena, double, count);
    *ret_apart = (struct apart){arena_array(arena, double, count), INFINITY, INFINITY, count};
    if (count < APART_MIN_RUNS)
        return;
    for (size_t i = 0; i < count; i++) {
        ret_apart->by[i] = apart_by(values, count, i);
        sorted[i] = fabs(ret_apart->by[i]);
    }
    stats_sort(sorted, count);
    double deviation = STATS_MAD_TO_SD * stats_quantile(sorted, count, 0.5);
    ret_apart->least = fmax(far_deviations * deviation, matters);
    ret_apart->farthest = fmax(ret_apart->least, sorted[count - count / MOST_PART - 1]);
    ret_apart->settled = count - apart_fresh(values, count, ret_apart->least);
}

bool apart_is_far(const struct apart *apart, size_t index)
{
    return index < apart->settled && fabs(apart->by[index]) > apart->farthest;
}
