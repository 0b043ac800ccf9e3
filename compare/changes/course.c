/* Weighs changes of level against slow drifts, and grades the noise. */
#include "compare/changes/course.h"

#include "compare/changes/bends.h"
#include "compare/changes/changes.h"
#include "compare/changes/level_noise.h"
#include "compare/changes/outliers.h"
#include "compare/changes/placing.h"
#include "compare/changes/run_levels.h"
#include "compare/statistics/statistics.h"

#include <math.h>
#include <stdint.h>

enum {
    BLOCK_VALUES = 7 /* a week of daily runs */,
    BLOCKS_MAX = 120,
    BLOCKS_MIN = 6,
    BLOCKS_WANTED = 12
};
enum { KNEES_MAX = 400 }; /* places that are tried */

static const double slope_p_max = .01;   /* of Mann and Kendall */
static const double taken_back = .75;    /* of a change, by what follows */
static const double noise_quartiles = 3; /* as rustc-perf grades its benchmarks */

struct course {
    const double *values;
    double *clipped;
    size_t count;
    struct arena *arena;
    struct piece_noise noise; /* about the levels, then about the pieces */
    struct piece_list pieces;
    bool is_pieced; /* one of them drifts, so that they tell the changes too */
    struct course_findings found;
};

/* ---- drift ----------------------------------------------------------------------------------- */

/* Medians of neighbours. */
struct blocks {
    double *medians;
    size_t count;
    double doubt; /* how many times as much as of independent ones their mean varies */
};

/* Theil and Sen: the median of the slopes of all pairs. p of Mann and Kendall. */
static void blocks_test(const struct blocks *blocks, struct arena *arena,
                        struct course_slope *slope, double *ret_slope)
{
    const double *values = blocks->medians;
    size_t count = blocks->count;
    size_t pairs = 0;
    double sign = 0, *slopes = arena_array(arena, double, count *(count - 1) / 2);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = i + 1; k < count; k++) {
            double rise = values[k] - values[i];
            slopes[pairs++] = rise / (double)(k - i);
            sign += (rise > 0) - (rise < 0);
        }
    }
    stats_sort(slopes, pairs);
    *ret_slope = stats_quantile(slopes, pairs, .5);
    double n = (double)count, variance = blocks->doubt * n * (n - 1) * (2 * n + 5) / 18;
    slope->p = erfc(fmax(fabs(sign) - 1, 0) / sqrt(variance) / sqrt(2));
}

/* Of values[piece->from..piece->end). *ret_drifts: the piece is a drift. */
static void piece_test(struct course *course, const double *values, const struct piece *piece,
                       struct course_slope *slope, bool *ret_drifts)
{
    size_t length = piece->end - piece->from, size = BLOCK_VALUES;
    struct arena_mark mark = arena_mark(course->arena);
    *ret_drifts = false;
    size = length / size > BLOCKS_MAX ? length / BLOCKS_MAX : size;
    if (length / size < BLOCKS_WANTED)
        size = length < BLOCKS_WANTED ? 1 : length / BLOCKS_WANTED;
    struct blocks blocks = {.count = length / size};
    if (!piece->is_sloped || blocks.count < BLOCKS_MIN)
        return;
    blocks.doubt = 1 + (piece_doubt(&course->noise, course->count) - 1) / (double)size;
    blocks.medians = arena_array(course->arena, double, blocks.count);
    double *scratch = arena_array(course->arena, double, size);
    double rise;
    for (size_t i = 0; i < blocks.count; i++)
        blocks.medians[i] = outliers_median(values + piece->from + i * size, size, scratch);
    blocks_test(&blocks, course->arena, slope, &rise);
    double whole = rise / (double)size * (double)(length - 1);
    double middle = (piece->left + piece->right) / 2;
    slope->is_sure = true;
    slope->first = piece->from;
    slope->end = piece->end;
    slope->before = middle - whole / 2;
    slope->after = middle + whole / 2;
    *ret_drifts = slope->p < slope_p_max && rise * (piece->right - piece->left) > 0;
    arena_rewind(course->arena, mark);
}

/* ---- changes between pieces ------------------------------------------------------------------ */

/* A level and a line that meet are no change of level: a jump must explain more than a knee does,
 * by what a cut costs. */
static bool is_knee(const struct placing *placing, const struct level_start *start)
{
    const struct piece *left = start->around, *right = left + 1;
    if (left->is_sloped == right->is_sloped)
        return false;
    double apart = piece_cost(placing->sums, left->from, left->end, left->is_sloped) +
                   piece_cost(placing->sums, right->from, right->end, right->is_sloped);
    double best = INFINITY;
    size_t step = 1 + (right->end - left->from) / KNEES_MAX;
    for (size_t knee = left->from + 1; knee + 1 < right->end; knee += step) {
        struct ramp ramp = {left->from, left->from, right->end - 1, right->end, 0, 0};
        *(right->is_sloped ? &ramp.left : &ramp.right) = knee;
        best = fmin(best, ramp_cost(placing->sums, &ramp));
    }
    return best - apart <
           PLACING_PENALTY * log((double)placing->count) * placing->noise.long_run_variance;
}

static bool is_in_slope(const struct course_findings *found, size_t index)
{
    for (size_t i = 0; i < found->slope_count; i++)
        if (index >= found->slopes[i].first && index < found->slopes[i].end)
            return true;
    return false;
}

static const size_t of_pieces = SIZE_MAX; /* the number of a change that no report tells */

/* With a drift of pieces: the changes between them. Else those that changes_find tells. Suspected
 * ones but those of a drift in either case. */
static void starts_gather(const struct course *course, const struct change_report *report,
                          struct placing *placing)
{
    const struct piece_list *pieces = &course->pieces;
    struct level_start *starts = placing->starts;
    size_t count = 0, taken = 0;
    if (!course->is_pieced)
        starts[count++] = (struct level_start){.place = 0};
    for (size_t i = 0; i < report->change_point_count || taken < pieces->count;) {
        bool is_point = i < report->change_point_count;
        size_t place = is_point ? (size_t)report->change_points[i].index : placing->count;
        if (course->is_pieced && taken < pieces->count && pieces->items[taken].from <= place) {
            const struct piece *piece = &pieces->items[taken++];
            starts[count++] = (struct level_start){.place = piece->from,
                                                   .is_sure = true,
                                                   .is_sloped = piece->is_sloped,
                                                   .number = of_pieces};
            i += is_point && piece->from == place;
            continue;
        }
        if (!is_point)
            break;
        bool sure = report->change_points[i].tier == CHANGE_CONFIRMED;
        if (!course->is_pieced || (!sure && !is_in_slope(&course->found, place)))
            starts[count++] = (struct level_start){.place = place, .is_sure = sure, .number = i};
        i++;
    }
    placing->start_count = count;
}

/* The variance of what a piece says at one of its ends, in long-run variances. */
static double end_variance(const struct piece *piece)
{
    return (piece->is_sloped ? 4 : 1) / (double)(piece->end - piece->from);
}

static struct course_shift shift_make(const struct placing *placing,
                                      const struct level_start *start, double slope,
                                      const struct change_report *report)
{
    const struct piece *left = start->around, *right = left + 1;
    const struct piece_noise *noise = placing_noise(placing, start);
    double weight = end_variance(left) + end_variance(right);
    double drift = slope * (double)start->place;
    struct course_shift shift = {
        .index = start->place,
        .before = left->right + drift,
        .after = right->left + drift,
        .margin = piece_margin(noise, weight),
    };
    placing_range(placing, start, &shift.first, &shift.last);
    if (start->number == of_pieces) {
        double chance = piece_chance(noise, placing->count, right->left - left->right, weight);
        shift.confirmed = piece_chance_is_small(chance, placing->count);
        shift.confidence = 1 - chance;
    } else {
        shift.confirmed = start->is_sure;
        shift.confidence = report->change_points[start->number].confidence;
    }
    return shift;
}

/* All changes that are told, where they lie, between one set of levels. */
static void shifts_fill(struct course *course, const struct change_report *report)
{
    struct course_findings *found = &course->found;
    size_t n = course->count, most = n + report->change_point_count + 1;
    bool is_common = !course->is_pieced && report->drift != 0;
    double slope = is_common ? report->drift / (double)(n - 1) : 0;
    double *values = arena_array(course->arena, double, n);
    double *sides = arena_array(course->arena, double, n);
    double *raw = arena_array(course->arena, double, n);
    struct placing placing = {.values = values,
                              .sides = sides,
                              .raw = raw,
                              .count = n,
                              .shared = is_common,
                              .arena = course->arena,
                              .starts = arena_array(course->arena, struct level_start, most)};
    found->shifts = arena_array(course->arena, struct course_shift, most);
    outliers_clip_sides(course->values, n, course->arena, sides);
    for (size_t i = 0; i < n; i++) {
        values[i] = course->clipped[i] - slope * (double)i;
        sides[i] -= slope * (double)i;
        raw[i] = course->values[i] - slope * (double)i;
    }
    starts_gather(course, report, &placing);
    placing_settle(&placing);
    for (size_t i = 1; i < placing.start_count; i++) {
        const struct level_start *start = &placing.starts[i];
        if (start->number != of_pieces || !is_knee(&placing, start))
            found->shifts[found->shift_count++] = shift_make(&placing, start, slope, report);
    }
}

/* ---- ways back ------------------------------------------------------------------------------- */

static double jump_of(const struct course_shift *shift)
{
    return shift->after - shift->before;
}

/* The nearest change before shifts[which] that it takes back, with what is between; `which`: none.
 * Jumps are added up, so that a drift that all levels share counts for none. */
static size_t taken_find(const struct course_findings *found, size_t which)
{
    const struct course_shift *shifts = found->shifts;
    double left = 0, low = 0, high = 0; /* levels, from the one that it leaves */
    double reached = jump_of(&shifts[which]);
    for (size_t i = which; i-- > 0;) {
        left -= jump_of(&shifts[i]);
        bool is_as_sure = shifts[i].confirmed || !shifts[which].confirmed;
        bool is_beyond = left < low || left > high; /* all that is between lies on one side of it */
        if (is_as_sure && is_beyond && fabs(reached - left) <= (1 - taken_back) * fabs(left))
            return i;
        low = fmin(low, left);
        high = fmax(high, left);
    }
    return which;
}

/* What led away from the level that shifts[which] leads back to, and what led a part of the way
 * back. */
static void way_mark(struct course_findings *found, size_t which)
{
    size_t from = found->shifts[which].takes_back;
    double back = jump_of(&found->shifts[which]);
    for (size_t i = from; i < which; i++) {
        struct course_shift *shift = &found->shifts[i];
        if (!shift->confirmed)
            continue;
        if (jump_of(shift) * back < 0)
            shift->went_away = true;
        else if (shift->takes_back == i)
            shift->takes_back = from;
    }
}

/* ---- noise ----------------------------------------------------------------------------------- */

/* What a drift adds from one value to the next is no noise. */
static double rise_at(const struct course_findings *found, size_t index)
{
    for (size_t i = 0; i < found->slope_count; i++) {
        const struct course_slope *slope = &found->slopes[i];
        if (index >= slope->first && index + 1 < slope->end)
            return (slope->after - slope->before) / (double)(slope->end - 1 - slope->first);
    }
    return 0;
}

static void noise_grade(struct course *course)
{
    double *changes = arena_array(course->arena, double, course->count);
    size_t count = 0;
    for (size_t i = 0; i + 1 < course->count; i++)
        if (course->values[i] > 0)
            changes[count++] =
                fabs((course->values[i + 1] - rise_at(&course->found, i)) / course->values[i] - 1);
    if (count < BLOCKS_MIN)
        return;
    stats_sort(changes, count);
    double upper = stats_quantile(changes, count, .75);
    course->found.noise_ratio =
        upper + noise_quartiles * (upper - stats_quantile(changes, count, .25));
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Whether pieces of their own tell more than levels with one line in common and changes where
 * `report` is sure of them, as pieces_find weighs both: with as many cuts and lines they must save
 * what a cut costs, and no newest level may be lost that is too short for a piece. Where some meet,
 * what they need is counted, and that level was weighed. */
static void pieces_weigh(const struct course *course, const struct change_report *report,
                         size_t lines, double unit, bool *ret_are_better)
{
    size_t n = course->count, cuts = 0, from = 0;
    double slope = report->drift / (double)(n - 1), squares = 0;
    double *straight = arena_array(course->arena, double, n);
    for (size_t i = 0; i < n; i++)
        straight[i] = course->clipped[i] - slope * (double)i;
    const struct piece_sums *sums = piece_sums_new(straight, n, course->arena);
    for (size_t i = 0; i < report->change_point_count; i++) {
        const struct change_point *point = &report->change_points[i];
        if (point->tier != CHANGE_CONFIRMED)
            continue;
        squares += piece_cost(sums, from, (size_t)point->index, false);
        from = (size_t)point->index;
        cuts++;
    }
    squares += piece_cost(sums, from, n, false);
    double most = squares + pieces_penalty(cuts, 1, 0) * log((double)n) * unit;
    double saved = most - pieces_cost(course->clipped, &course->pieces, unit);
    bool tells_less = course->pieces.count - 1 + lines < cuts + 1;
    bool is_fresh = n - from < level_min_count(n);
    *ret_are_better = tells_less || pieces_knees(&course->pieces) > 0
                          ? saved > 0
                          : !is_fresh && saved > pieces_penalty(1, 0, 0) * log((double)n) * unit;
}

/* A line common to all levels, or lines of their own: what tells the same with less. */
static void slopes_fill(struct course *course, const struct change_report *report)
{
    struct course_findings *found = &course->found;
    double rho = report->noise_correlation, variance = report->noise_sd * report->noise_sd;
    course->noise = (struct piece_noise){variance, rho, variance * (1 + rho) / (1 - rho), 0};
    found->slopes = arena_array(course->arena, struct course_slope, course->count);
    bool is_common;
    struct course_slope common;
    /* The line that changes_find takes out of all levels, with their changes taken back. */
    double shift = 0, *level = arena_array(course->arena, double, course->count);
    size_t at = 0;
    for (size_t i = 0; i < course->count; i++) {
        for (; at < report->change_point_count && (size_t)report->change_points[at].index <= i;
             at++)
            if (report->change_points[at].tier == CHANGE_CONFIRMED)
                shift += report->change_points[at].after - report->change_points[at].before;
        level[i] = course->values[i] - shift;
    }
    double middle = stats_mean(level, course->count);
    const struct piece all = {.end = course->count,
                              .is_sloped = report->drift != 0,
                              .left = middle - report->drift / 2,
                              .right = middle + report->drift / 2};
    piece_test(course, level, &all, &common, &is_common);
    found->slopes[0] = common;
    found->slope_count = is_common;
    if (variance <= 0)
        return;
    pieces_find(course->clipped, course->count, &course->noise, course->arena, &course->pieces);
    /* Whether pieces meet: beside those that were found they may be cut where `report` is sure of a
     * change, as one that just came is too short for a piece. */
    struct bend_cuts cuts = {arena_array(course->arena, size_t, report->change_point_count + 1), 0};
    for (size_t i = 0; i < report->change_point_count; i++)
        if (report->change_points[i].tier == CHANGE_CONFIRMED)
            cuts.places[cuts.count++] = (size_t)report->change_points[i].index;
    bends_weigh(course->clipped, &cuts, course->arena, &course->pieces);
    double unit = fmin(course->noise.long_run_variance, course->pieces.noise.long_run_variance);
    size_t drifting = 0;
    bool are_better;
    course->noise = course->pieces.noise;
    for (size_t i = 0; i < course->pieces.count; i++) {
        bool drifts;
        piece_test(course, course->values, &course->pieces.items[i], &found->slopes[drifting],
                   &drifts);
        drifting += drifts;
    }
    pieces_weigh(course, report, drifting, unit, &are_better);
    course->is_pieced = drifting > 0 && (!is_common || are_better);
    found->slopes[0] = course->is_pieced ? found->slopes[0] : common;
    found->slope_count = course->is_pieced ? drifting : is_common;
}

/* Where nothing drifts for sure: what the gate's model holds likelier than not. */
static void likely_slope_add(struct course *course, size_t from)
{
    struct course_findings *found = &course->found;
    struct course_slope slope;
    bool ignored;
    if (found->slope_count > 0 || from == course->count)
        return;
    double level = stats_mean(course->clipped + from, course->count - from);
    const struct piece piece = {
        .from = from, .end = course->count, .is_sloped = true, .left = level, .right = level};
    slope.end = 0;
    piece_test(course, course->values, &piece, &slope, &ignored);
    slope.is_sure = false;
    found->slopes[0] = slope;
    found->slope_count = slope.end > 0;
}

bool course_find(const double *values, size_t count, struct arena *arena,
                 struct course_findings *ret_findings, struct err *err)
{
    struct course course = {.values = values, .count = count, .arena = arena};
    struct change_report report;
    *ret_findings = (struct course_findings){0};
    if (count < CHANGES_VALUES_MIN)
        return true;
    course.clipped = arena_array(arena, double, count);
    outliers_clip(values, count, arena, course.clipped);
    if (!changes_find(values, count, arena, &report, err))
        return false;
    struct run_levels levels = {.values = values,
                                .clipped = course.clipped,
                                .count = count,
                                .arena = arena,
                                .report = &report};
    run_levels_settle(&levels);
    slopes_fill(&course, &report);
    shifts_fill(&course, &report);
    likely_slope_add(&course, levels.drifts_from);
    noise_grade(&course);
    struct course_shift *before = NULL;
    for (size_t i = 0; i < course.found.shift_count; i++) {
        struct course_shift *shift = &course.found.shifts[i];
        shift->takes_back = taken_find(&course.found, i);
        if (!shift->confirmed)
            continue;
        if (shift->takes_back != i)
            way_mark(&course.found, i);
        if (before != NULL) {
            double jump = jump_of(before), back = before->after - shift->after;
            before->went_away |= back * jump > 0 && fabs(back) >= taken_back * fabs(jump);
        }
        before = shift;
    }
    *ret_findings = course.found;
    return arena_ok(arena, "the course of a series", err);
}
