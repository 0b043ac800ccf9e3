/* Finds both tiers of changes: outliers and drift out first, then cuts by their penalties. */
#include "compare/changes/changes.h"

#include "compare/changes/level_noise.h"
#include "compare/changes/outliers.h"
#include "compare/changes/placing.h"
#include "compare/changes/run_levels.h"
#include "compare/changes/segmentation.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Chosen like those of level_noise.c, for few false changes first. */
static const double suspected_penalty = 3;

struct search {
    size_t count;
    double middle, scale; /* of the values as they came */
    double *values;       /* less outliers, centred, of range 1... */
    double *sides;        /* ...and with both ends of each level (outliers.h) */
    double *raw;          /* ...and with outliers */
    double *straight;     /* less the drift too */
    struct level_noise noise;
    struct segmentation *cuts;
    struct piece *levels;    /* [count]: between changes that are sure... */
    struct piece_noise left; /* ...and what they leave... */
    double slope_weight;     /* ...and the variance of the slope that they share, of one value's */
    struct arena *arena;
};

struct starts {
    struct level_start *items; /* the first at 0 */
    double *chances;           /* of those that are sure, by number: that noise made them */
    size_t count;
};

static void values_prepare(struct search *search, const double *values)
{
    size_t n = search->count;
    search->values = arena_array(search->arena, double, n);
    search->sides = arena_array(search->arena, double, n);
    search->raw = arena_array(search->arena, double, n);
    search->straight = arena_array(search->arena, double, n);
    search->levels = arena_array(search->arena, struct piece, n);
    outliers_clip(values, n, search->arena, search->values);
    outliers_clip_sides(values, n, search->arena, search->sides);
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        low = fmin(low, search->values[i]);
        high = fmax(high, search->values[i]);
    }
    search->middle = (low + high) / 2;
    search->scale = high > low ? high - low : 1;
    for (size_t i = 0; i < n; i++) {
        search->values[i] = (search->values[i] - search->middle) / search->scale;
        search->sides[i] = (search->sides[i] - search->middle) / search->scale;
        search->raw[i] = (values[i] - search->middle) / search->scale;
    }
}

/* That noise alone makes the change between levels `which` and `which` + 1. */
static double level_chance(const struct search *search, size_t which)
{
    return piece_levels_chance(&search->left, search->count, &search->levels[which],
                               search->slope_weight);
}

/* Takes out of starts[count], the least sure first, what noise alone may have made; returns how
 * many are left, between levels[]. */
static size_t starts_keep(struct search *search, size_t *starts, size_t count)
{
    for (;;) {
        double most = 0;
        size_t weakest = 0;
        /* The levels between starts[count], and what they leave. */
        bool is_sloped = search->noise.slope != 0;
        for (size_t i = 0; i <= count; i++) {
            size_t from = i == 0 ? 0 : starts[i - 1], end = i == count ? search->count : starts[i];
            double level =
                (search->cuts->sums[end] - search->cuts->sums[from]) / (double)(end - from);
            search->levels[i] =
                (struct piece){.from = from, .end = end, .left = level, .right = level};
        }
        search->slope_weight = is_sloped ? piece_line_weight(search->levels, count + 1) : 0;
        search->left = piece_noise_left(search->straight, search->levels, count + 1, is_sloped);
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

/* The levels that begin with starts[count], of which the first is at 0. */
static void starts_settle(const struct search *search, struct level_start *starts, size_t count,
                          struct placing *ret_placing)
{
    *ret_placing = (struct placing){.values = search->straight,
                                    .sides = search->sides,
                                    .raw = search->raw,
                                    .count = search->count,
                                    .shared = search->noise.slope != 0,
                                    .arena = search->arena,
                                    .starts = starts,
                                    .start_count = count};
    placing_settle(ret_placing);
}

/* Confirmed ones: cut by the noise as it is, and kept where it cannot have made them. chances[]
 * get what they are told with. */
static void sure_find(struct search *search, struct starts *ret_sure)
{
    size_t count, *cuts = arena_array(search->arena, size_t, search->count);
    size_t lasting = level_min_count(search->count);
    struct starts sure = {arena_array(search->arena, struct level_start, search->count + 1),
                          arena_array(search->arena, double, search->count + 1), 1};
    lasting = lasting < COURSE_NEWEST_RUNS ? lasting : COURSE_NEWEST_RUNS;
    double penalty = PLACING_PENALTY * log((double)search->count) * search->noise.long_run_variance;
    count = segmentation_cut(search->cuts, penalty, level_min_count(search->count), cuts,
                             search->arena);
    count = starts_keep(search, cuts, count);
    for (size_t i = 0; i < count; i++) {
        sure.chances[i] = level_chance(search, i);
        sure.items[sure.count++] =
            (struct level_start){.place = cuts[i], .is_sure = true, .number = i};
    }
    for (bool lasts = false; !lasts;) { /* the newest level; what is over lasted */
        struct placing placing;
        starts_settle(search, sure.items, sure.count, &placing);
        lasts = sure.count == 1 || sure.items[sure.count - 1].place + lasting <= search->count;
        sure.count -= !lasts;
    }
    *ret_sure = sure;
}

/* Suspected ones that are none of the confirmed ones, between these, by place. */
static void maybe_merge(struct search *search, struct starts *starts)
{
    size_t least = level_min_count(search->count), taken = 0, count;
    size_t *maybe = arena_array(search->arena, size_t, search->count);
    struct starts all = {arena_array(search->arena, struct level_start, 2 * search->count),
                         starts->chances, 0};
    double penalty = suspected_penalty * log((double)search->count) * search->noise.variance;
    least = least < LEVEL_SUSPECTED_COUNT ? least : LEVEL_SUSPECTED_COUNT;
    count = segmentation_cut(search->cuts, penalty, least, maybe, search->arena);
    for (size_t i = 0; i < count || taken < starts->count;) {
        if (taken < starts->count && (i == count || starts->items[taken].place <= maybe[i])) {
            all.items[all.count++] = starts->items[taken++];
            continue;
        }
        bool near = (taken > 1 && maybe[i] - starts->items[taken - 1].place < least) ||
                    (taken < starts->count && starts->items[taken].place - maybe[i] < least);
        if (!near)
            all.items[all.count++] = (struct level_start){.place = maybe[i]};
        i++;
    }
    *starts = all;
}

/* Of a change that is only suspected: that independent noise alone made it. */
static double maybe_chance(const struct search *search, const struct piece *before)
{
    const struct piece *after = before + 1;
    double weight =
        1 / (double)(before->end - before->from) + 1 / (double)(after->end - after->from);
    double jump = fabs(after->left - before->left) / sqrt(search->noise.variance * weight);
    return fmin(1, (double)search->count * erfc(jump / sqrt(2)));
}

static void points_gather(struct search *search, struct change_report *report)
{
    struct starts starts;
    struct placing placing;
    sure_find(search, &starts);
    maybe_merge(search, &starts);
    starts_settle(search, starts.items, starts.count, &placing);
    report->change_points = arena_array(search->arena, struct change_point, placing.start_count);
    for (size_t i = 1; i < placing.start_count; i++) {
        const struct level_start *start = &placing.starts[i];
        double drift = search->noise.slope * (double)start->place;
        size_t first, last;
        placing_range(&placing, start, &first, &last);
        report->change_points[report->change_point_count++] = (struct change_point){
            .index = (int64_t)start->place,
            .first = (int64_t)first,
            .last = (int64_t)last,
            .tier = start->is_sure ? CHANGE_CONFIRMED : CHANGE_SUSPECTED,
            .before = search->middle + search->scale * (start->around[0].left + drift),
            .after = search->middle + search->scale * (start->around[1].left + drift),
            .confidence = 1 - (start->is_sure ? starts.chances[start->number]
                                              : maybe_chance(search, start->around)),
        };
    }
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
    values_prepare(&search, values);
    level_noise_fit(search.values, count, arena, &search.noise);
    for (size_t i = 0; i < count; i++) {
        search.straight[i] = search.values[i] - search.noise.slope * (double)i;
        search.sides[i] -= search.noise.slope * (double)i;
        search.raw[i] -= search.noise.slope * (double)i;
    }
    search.cuts = segmentation_new(search.straight, count, arena);
    points_gather(&search, ret_report);
    if (search.noise.variance > LEVEL_ROUNDING_VARIANCE) {
        ret_report->noise_sd = search.scale * sqrt(search.noise.variance);
        ret_report->noise_correlation = search.noise.rho;
    }
    ret_report->drift = search.scale * search.noise.slope * (double)(count - 1);
    return arena_ok(arena, "the changes of a series", err);
}
