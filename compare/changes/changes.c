/* Finds both tiers of changes: outliers and drift out first, then cuts by their penalties. */
#include "compare/changes/changes.h"

#include "compare/changes/level_noise.h"
#include "compare/changes/outliers.h"
#include "compare/changes/pieces.h"
#include "compare/changes/segmentation.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Chosen like those of level_noise.c, for few false changes first. */
static const double confirmed_penalty = 4.5, suspected_penalty = 3;
enum { SUSPECTED_VALUES = 5 };

static const double range_tail = .025; /* of the 95 % range, on either side */

struct search {
    size_t count;
    double middle, scale; /* of the values as they came */
    double *values;       /* less outliers, centred, of range 1 */
    double *straight;     /* less the drift too */
    struct level_noise noise;
    struct segmentation *cuts;
    struct piece *levels;    /* [count]: between changes that are sure... */
    struct piece_noise left; /* ...and what they leave... */
    double slope_weight;     /* ...and the variance of the slope that they share, of one value's */
    struct arena *arena;
};

static bool values_prepare(struct search *search, const double *values)
{
    size_t n = search->count;
    search->values = arena_array(search->arena, double, n);
    search->straight = arena_array(search->arena, double, n);
    search->levels = arena_array(search->arena, struct piece, n);
    if (search->values == NULL || search->straight == NULL || search->levels == NULL ||
        !outliers_clip(values, n, search->arena, search->values))
        return false;
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        low = fmin(low, search->values[i]);
        high = fmax(high, search->values[i]);
    }
    search->middle = (low + high) / 2;
    search->scale = high > low ? high - low : 1;
    for (size_t i = 0; i < n; i++)
        search->values[i] = (search->values[i] - search->middle) / search->scale;
    return true;
}

static double segment_mean(const struct segmentation *cuts, size_t from, size_t to)
{
    return (cuts->sums[to] - cuts->sums[from]) / (double)(to - from);
}

/* Where the change between two neighbours' outer ends may lie: each place weighs by how well it
 * explains the values. */
static void range_set(const struct search *search, size_t from, size_t to,
                      struct change_point *point)
{
    const struct segmentation *cuts = search->cuts;
    double best = segmentation_cost(cuts, from, (size_t)point->index) +
                  segmentation_cost(cuts, (size_t)point->index, to);
    double all = 0, passed = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = from + 1; i < to; i++) {
            double cost = segmentation_cost(cuts, from, i) + segmentation_cost(cuts, i, to);
            double weight = exp((best - cost) / (2 * search->noise.long_run_variance));
            if (pass == 0) {
                all += weight;
                continue;
            }
            if (passed <= range_tail * all)
                point->first = (int64_t)i;
            if (passed < (1 - range_tail) * all)
                point->last = (int64_t)i;
            passed += weight;
        }
    }
    point->first = point->first < point->index ? point->first : point->index;
    point->last = point->last > point->index ? point->last : point->index;
}

/* The levels between starts[count], and what they leave. */
static void levels_fill(struct search *search, const size_t *starts, size_t count)
{
    bool is_sloped = search->noise.slope != 0;
    search->slope_weight = 0;
    for (size_t i = 0; i <= count; i++) {
        size_t from = i == 0 ? 0 : starts[i - 1], end = i == count ? search->count : starts[i];
        double level = segment_mean(search->cuts, from, end);
        double length = (double)(end - from);
        search->levels[i] = (struct piece){from, end, false, level, level};
        search->slope_weight += length * (length * length - 1) / 12;
    }
    search->slope_weight = is_sloped ? 1 / search->slope_weight : 0;
    search->left = piece_noise_left(search->straight, search->levels, count + 1, is_sloped);
}

/* That noise alone makes the change between levels `which` and `which` + 1. A line that all levels
 * share makes their difference less sure, the more the farther they are apart. */
static double level_chance(const struct search *search, size_t which)
{
    const struct piece *before = &search->levels[which], *after = before + 1;
    double apart = (double)(after->end - before->from) / 2;
    double weight = 1 / (double)(before->end - before->from) +
                    1 / (double)(after->end - after->from) + apart * apart * search->slope_weight;
    return piece_chance(&search->left, search->count, after->left - before->left, weight);
}

/* Takes out of starts[count], the least sure first, what noise alone may have made; returns how
 * many are left, between levels[]. */
static size_t starts_keep(struct search *search, size_t *starts, size_t count)
{
    for (;;) {
        double most = 0;
        size_t weakest = 0;
        levels_fill(search, starts, count);
        for (size_t i = 0; i < count; i++) {
            double chance = level_chance(search, i);
            weakest = chance > most ? i : weakest;
            most = fmax(most, chance);
        }
        if (piece_chance_is_small(most, search->count))
            return count;
        count--;
        memmove(starts + weakest, starts + weakest + 1, (count - weakest) * sizeof *starts);
    }
}

/* The change at starts[which] of starts[count]. */
static struct change_point point_make(const struct search *search, const size_t *starts,
                                      size_t count, size_t which, enum change_tier tier)
{
    size_t from = which == 0 ? 0 : starts[which - 1], at = starts[which];
    size_t to = which + 1 == count ? search->count : starts[which + 1];
    double before = segment_mean(search->cuts, from, at);
    double after = segment_mean(search->cuts, at, to);
    double spread =
        sqrt(search->noise.variance * (1 / (double)(at - from) + 1 / (double)(to - at)));
    double chance = tier == CHANGE_CONFIRMED
                        ? level_chance(search, which)
                        : (double)search->count * erfc(fabs(after - before) / spread / sqrt(2));
    double drift = search->noise.slope * (double)at;
    struct change_point point = {
        .index = (int64_t)at,
        .tier = tier,
        .before = search->middle + search->scale * (before + drift),
        .after = search->middle + search->scale * (after + drift),
        .confidence = 1 - fmin(chance, 1),
    };
    range_set(search, from, to, &point);
    return point;
}

/* Confirmed ones, and suspected ones that are none of them, by place. */
static bool points_gather(struct search *search, struct change_report *report)
{
    size_t n = search->count, min_count = level_min_count(n), taken = 0, total = 0;
    size_t *sure = arena_array(search->arena, size_t, n);
    size_t *maybe = arena_array(search->arena, size_t, n);
    if (sure == NULL || maybe == NULL)
        return false;
    double unit = log((double)n);
    size_t sure_count =
        segmentation_cut(search->cuts, confirmed_penalty * unit * search->noise.long_run_variance,
                         min_count, sure, search->arena);
    size_t maybe_min = min_count < SUSPECTED_VALUES ? min_count : SUSPECTED_VALUES;
    size_t maybe_count =
        segmentation_cut(search->cuts, suspected_penalty * unit * search->noise.variance, maybe_min,
                         maybe, search->arena);
    if (sure_count == SIZE_MAX || maybe_count == SIZE_MAX)
        return false;
    sure_count = starts_keep(search, sure, sure_count);
    report->change_points =
        arena_array(search->arena, struct change_point, sure_count + maybe_count);
    if (report->change_points == NULL)
        return false;
    for (size_t i = 0; i < maybe_count || taken < sure_count;) {
        if (taken < sure_count && (i == maybe_count || sure[taken] <= maybe[i])) {
            report->change_points[total++] =
                point_make(search, sure, sure_count, taken, CHANGE_CONFIRMED);
            taken++;
            continue;
        }
        bool near = (taken > 0 && maybe[i] - sure[taken - 1] < maybe_min) ||
                    (taken < sure_count && sure[taken] - maybe[i] < maybe_min);
        if (!near)
            report->change_points[total++] =
                point_make(search, maybe, maybe_count, i, CHANGE_SUSPECTED);
        i++;
    }
    report->change_point_count = total;
    return true;
}

bool changes_find(const double *values, size_t count, struct arena *arena,
                  struct change_report *ret_report, struct err *err)
{
    struct search search = {.count = count, .arena = arena};
    *ret_report = (struct change_report){
        .schema_version = "change_points.v1",
        .value_count = (int64_t)count,
        .level_min_count = (int64_t)level_min_count(count),
    };
    if (count < CHANGES_VALUES_MIN)
        return true;
    if (!values_prepare(&search, values) ||
        !level_noise_fit(search.values, count, arena, &search.noise))
        return arena_failed(arena, "the changes of a series", err);
    for (size_t i = 0; i < count; i++)
        search.straight[i] = search.values[i] - search.noise.slope * (double)i;
    search.cuts = segmentation_new(search.straight, count, arena);
    if (search.cuts == NULL || !points_gather(&search, ret_report))
        return arena_failed(arena, "the changes of a series", err);
    if (search.noise.variance > LEVEL_ROUNDING_VARIANCE) {
        ret_report->noise_sd = search.scale * sqrt(search.noise.variance);
        ret_report->noise_correlation = search.noise.rho;
    }
    ret_report->drift = search.scale * search.noise.slope * (double)(count - 1);
    return true;
}
