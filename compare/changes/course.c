/* Weighs changes of level against slow drifts, and grades the noise. */
#include "compare/changes/course.h"

#include "compare/changes/changes.h"
#include "compare/changes/outliers.h"
#include "compare/changes/pieces.h"
#include "compare/changes/run_levels.h"
#include "compare/statistics/statistics.h"

#include <math.h>

enum {
    BLOCK_VALUES = 7 /* a week of daily runs */,
    BLOCKS_MAX = 120,
    BLOCKS_MIN = 6,
    BLOCKS_WANTED = 12
};
enum { KNEES_MAX = 400 }; /* places that are tried */

static const double slope_p_max = .01;   /* of Mann and Kendall */
static const double taken_back = .75;    /* of a change, by the next one */
static const double range_tail = .025;   /* as in changes.c */
static const double noise_quartiles = 3; /* as rustc-perf grades its benchmarks */

struct course {
    const double *values;
    double *clipped;
    size_t count;
    struct arena *arena;
    const struct piece_sums *sums;
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
static bool blocks_test(const struct blocks *blocks, struct arena *arena,
                        struct course_slope *slope, double *ret_slope)
{
    const double *values = blocks->medians;
    size_t count = blocks->count;
    size_t pairs = 0;
    double sign = 0, *slopes = arena_array(arena, double, count *(count - 1) / 2);
    if (slopes == NULL)
        return false;
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
    return true;
}

/* Of values[piece->from..piece->end). false: beyond the budget. *ret_drifts: the piece is a drift.
 */
static bool piece_test(struct course *course, const double *values, const struct piece *piece,
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
        return true;
    blocks.doubt = 1 + (piece_doubt(&course->noise, course->count) - 1) / (double)size;
    blocks.medians = arena_array(course->arena, double, blocks.count);
    double *scratch = arena_array(course->arena, double, size);
    double rise;
    if (blocks.medians == NULL || scratch == NULL)
        return false;
    for (size_t i = 0; i < blocks.count; i++)
        blocks.medians[i] = outliers_median(values + piece->from + i * size, size, scratch);
    if (!blocks_test(&blocks, course->arena, slope, &rise))
        return false;
    double whole = rise / (double)size * (double)(length - 1);
    double middle = (piece->left + piece->right) / 2;
    slope->first = piece->from;
    slope->end = piece->end;
    slope->before = middle - whole / 2;
    slope->after = middle + whole / 2;
    *ret_drifts = slope->p < slope_p_max && rise * (piece->right - piece->left) > 0;
    arena_rewind(course->arena, mark);
    return true;
}

/* The line that changes_find takes out of all levels, with their changes taken back. */
static bool common_test(struct course *course, const struct change_report *report,
                        struct course_slope *slope, bool *ret_drifts)
{
    double shift = 0, *level = arena_array(course->arena, double, course->count);
    size_t at = 0;
    if (level == NULL)
        return false;
    for (size_t i = 0; i < course->count; i++) {
        for (; at < report->change_point_count && (size_t)report->change_points[at].index <= i;
             at++)
            if (report->change_points[at].tier == CHANGE_CONFIRMED)
                shift += report->change_points[at].after - report->change_points[at].before;
        level[i] = course->values[i] - shift;
    }
    double middle = stats_mean(level, course->count);
    const struct piece all = {0, course->count, report->drift != 0, middle - report->drift / 2,
                              middle + report->drift / 2};
    return piece_test(course, level, &all, slope, ret_drifts);
}

/* ---- changes between pieces ------------------------------------------------------------------ */

/* The variance of what a piece says at one of its ends, in long-run variances. */
static double end_variance(const struct piece *piece)
{
    return (piece->is_sloped ? 4 : 1) / (double)(piece->end - piece->from);
}

/* Where a change between two pieces may lie, as changes.c has it for levels. */
static void range_set(const struct course *course, const struct piece *left,
                      struct course_shift *shift)
{
    const struct piece *right = left + 1;
    double variance = course->pieces.noise.long_run_variance, all = 0, passed = 0;
    double best = piece_cost(course->sums, left->from, left->end, left->is_sloped) +
                  piece_cost(course->sums, right->from, right->end, right->is_sloped);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = left->from + 2; i + 2 <= right->end; i++) {
            double cost = piece_cost(course->sums, left->from, i, left->is_sloped) +
                          piece_cost(course->sums, i, right->end, right->is_sloped);
            double weight = exp((best - cost) / (2 * variance));
            if (pass == 0) {
                all += weight;
                continue;
            }
            if (passed <= range_tail * all)
                shift->first = i;
            if (passed < (1 - range_tail) * all)
                shift->last = i;
            passed += weight;
        }
    }
    shift->first = shift->first < shift->index ? shift->first : shift->index;
    shift->last = shift->last > shift->index ? shift->last : shift->index;
}

/* Squared distances of the values of both pieces from a level that goes over into a line at `knee`,
 * or from a line that goes over into a level, without a jump. */
static double knee_cost(const struct course *course, const struct piece *left, size_t knee)
{
    const struct piece *right = left + 1;
    const double *values = course->clipped;
    double n = (double)(right->end - left->from), sum = 0, squares = 0, along = 0,
           along_squares = 0, across = 0;
    for (size_t i = left->from; i < right->end; i++) {
        bool bends = right->is_sloped ? i > knee : i < knee;
        double place = bends ? (double)i - (double)knee : 0;
        sum += values[i];
        squares += values[i] * values[i];
        along += place;
        along_squares += place * place;
        across += place * values[i];
    }
    double spread = along_squares - along * along / n, product = across - along * sum / n;
    return squares - sum * sum / n - (spread > 0 ? product * product / spread : 0);
}

/* A level and a line that meet are no change of level: a jump must explain more than a knee does,
 * by what a cut costs. */
static bool is_knee(const struct course *course, const struct piece *left)
{
    static const double cut_penalty = 4.5; /* as of a confirmed change */
    const struct piece *right = left + 1;
    if (left->is_sloped == right->is_sloped)
        return false;
    double apart = piece_cost(course->sums, left->from, left->end, left->is_sloped) +
                   piece_cost(course->sums, right->from, right->end, right->is_sloped);
    double best = INFINITY;
    size_t step = 1 + (right->end - left->from) / KNEES_MAX;
    for (size_t knee = left->from + 1; knee + 1 < right->end; knee += step)
        best = fmin(best, knee_cost(course, left, knee));
    return best - apart <
           cut_penalty * log((double)course->count) * course->pieces.noise.long_run_variance;
}

/* false: there is none between the two. */
static bool piece_shift(const struct course *course, const struct piece *left,
                        struct course_shift *shift)
{
    const struct piece *right = left + 1;
    double chance = piece_chance(&course->pieces.noise, course->count, right->left - left->right,
                                 end_variance(left) + end_variance(right));
    if (is_knee(course, left))
        return false;
    *shift = (struct course_shift){
        .index = right->from,
        .first = right->from,
        .last = right->from,
        .confirmed = piece_chance_is_small(chance, course->count),
        .before = left->right,
        .after = right->left,
        .confidence = 1 - chance,
        .margin = piece_margin(&course->pieces.noise, end_variance(left) + end_variance(right)),
    };
    range_set(course, left, shift);
    return true;
}

static bool is_in_slope(const struct course_findings *found, size_t index)
{
    for (size_t i = 0; i < found->slope_count; i++)
        if (index >= found->slopes[i].first && index < found->slopes[i].end)
            return true;
    return false;
}

/* With a drift of pieces: the changes between them. Else those that changes_find tells. */
static void shifts_fill(struct course *course, const struct change_report *report)
{
    struct course_findings *found = &course->found;
    const struct piece_list *pieces = &course->pieces;
    for (size_t i = 0; course->is_pieced && i + 1 < pieces->count; i++)
        found->shift_count +=
            piece_shift(course, &pieces->items[i], &found->shifts[found->shift_count]);
    for (size_t i = 0; i < report->change_point_count; i++) {
        const struct change_point *point = &report->change_points[i];
        bool confirmed = point->tier == CHANGE_CONFIRMED;
        if (course->is_pieced && (confirmed || is_in_slope(found, (size_t)point->index)))
            continue;
        found->shifts[found->shift_count++] = (struct course_shift){
            .index = (size_t)point->index,
            .first = (size_t)point->first,
            .last = (size_t)point->last,
            .confirmed = confirmed,
            .before = point->before,
            .after = point->after,
            .confidence = point->confidence,
        };
    }
}

static void shifts_order(struct course_findings *found)
{
    for (size_t i = 1; i < found->shift_count; i++) {
        struct course_shift held = found->shifts[i];
        size_t at = i;
        for (; at > 0 && found->shifts[at - 1].index > held.index; at--)
            found->shifts[at] = found->shifts[at - 1];
        found->shifts[at] = held;
    }
    struct course_shift *before = NULL;
    for (size_t i = 0; i < found->shift_count; i++) {
        struct course_shift *shift = &found->shifts[i];
        if (!shift->confirmed)
            continue;
        if (before != NULL) {
            double jump = before->after - before->before, back = before->after - shift->after;
            before->went_away = back * jump > 0 && fabs(back) >= taken_back * fabs(jump);
        }
        before = shift;
    }
}

/* How sure the sizes are of those that lie between levels, by what these levels leave, drifts taken
 * out. */
static bool margins_fill(struct course *course, double slope)
{
    const struct course_findings *found = &course->found;
    double *straight = arena_array(course->arena, double, course->count);
    struct piece *levels = arena_array(course->arena, struct piece, found->shift_count + 1);
    if (straight == NULL || levels == NULL)
        return false;
    for (size_t i = 0; i < course->count; i++)
        straight[i] = course->clipped[i] - slope * (double)i;
    for (size_t i = 0; i <= found->shift_count; i++) {
        size_t from = i == 0 ? 0 : found->shifts[i - 1].index;
        size_t end = i == found->shift_count ? course->count : found->shifts[i].index;
        double level = stats_mean(straight + from, end - from);
        levels[i] = (struct piece){from, end, false, level, level};
    }
    struct piece_noise left =
        piece_noise_left(straight, levels, found->shift_count + 1, slope != 0);
    for (size_t i = 0; i < found->shift_count; i++)
        if (found->shifts[i].margin <= 0)
            found->shifts[i].margin =
                piece_margin(&left, 1 / (double)(levels[i].end - levels[i].from) +
                                        1 / (double)(levels[i + 1].end - levels[i + 1].from));
    return true;
}

/* ---- noise ----------------------------------------------------------------------------------- */

static bool noise_grade(struct course *course)
{
    double *changes = arena_array(course->arena, double, course->count);
    size_t count = 0;
    if (changes == NULL)
        return false;
    for (size_t i = 0; i + 1 < course->count; i++)
        if (course->values[i] > 0)
            changes[count++] = fabs(course->values[i + 1] / course->values[i] - 1);
    if (count < BLOCKS_MIN)
        return true;
    stats_sort(changes, count);
    double upper = stats_quantile(changes, count, .75);
    course->found.noise_ratio =
        upper + noise_quartiles * (upper - stats_quantile(changes, count, .25));
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static size_t confirmed_count(const struct change_report *report)
{
    size_t count = 0;
    for (size_t i = 0; i < report->change_point_count; i++)
        count += report->change_points[i].tier == CHANGE_CONFIRMED;
    return count;
}

/* A line common to all levels, or lines of their own: what tells the same with less. */
static bool slopes_fill(struct course *course, const struct change_report *report)
{
    struct course_findings *found = &course->found;
    double rho = report->noise_correlation, variance = report->noise_sd * report->noise_sd;
    course->noise = (struct piece_noise){variance, rho, variance * (1 + rho) / (1 - rho), 0};
    found->slopes = arena_array(course->arena, struct course_slope, course->count);
    if (found->slopes == NULL)
        return false;
    bool is_common;
    struct course_slope common;
    if (!common_test(course, report, &common, &is_common))
        return false;
    found->slopes[0] = common;
    found->slope_count = is_common;
    if (variance <= 0)
        return true;
    course->sums = piece_sums_new(course->clipped, course->count, course->arena);
    if (course->sums == NULL || !pieces_find(course->clipped, course->count, &course->noise,
                                             course->arena, &course->pieces))
        return false;
    course->noise = course->pieces.noise;
    size_t drifting = 0, told = confirmed_count(report) + 1;
    for (size_t i = 0; i < course->pieces.count; i++) {
        bool drifts;
        if (!piece_test(course, course->values, &course->pieces.items[i], &found->slopes[drifting],
                        &drifts))
            return false;
        drifting += drifts;
    }
    course->is_pieced = drifting > 0 && (!is_common || course->pieces.count - 1 + drifting < told);
    found->slopes[0] = course->is_pieced ? found->slopes[0] : common;
    found->slope_count = course->is_pieced ? drifting : is_common;
    return true;
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
    if (course.clipped == NULL || !outliers_clip(values, count, arena, course.clipped))
        return arena_failed(arena, "the course of a series", err);
    if (!changes_find(values, count, arena, &report, err))
        return false;
    if (!run_levels_settle(values, course.clipped, count, arena, &report))
        return arena_failed(arena, "the course of a series", err);
    course.found.shifts =
        arena_array(arena, struct course_shift, report.change_point_count + count);
    if (course.found.shifts == NULL || !slopes_fill(&course, &report) || !noise_grade(&course))
        return arena_failed(arena, "the course of a series", err);
    shifts_fill(&course, &report);
    shifts_order(&course.found);
    if (!margins_fill(&course, course.is_pieced ? 0 : report.drift / (double)(count - 1)))
        return arena_failed(arena, "the course of a series", err);
    *ret_findings = course.found;
    return true;
}
