/* Implements the second look: bumps too short for the search, then the newest level, and the parts
 * that it falls into, then each confirmed change by the runs around it: few by the model, many
 * against noise that wanders. */
#include "compare/changes/run_levels.h"

#include "compare/changes/apart.h"
#include "compare/changes/course.h"
#include "compare/changes/level_noise.h"
#include "compare/changes/pieces.h"
#include "compare/changes/placing.h"
#include "compare/changes/stretch.h"
#include "compare/statistics/statistics.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Runs that are asked at most, the newest: time goes with their cube. */
enum { ASKED_MAX = 60 };

/* So many deviations farther from its neighbours than it is clipped to, a run is none like them. */
static const double outlier_deviations = 2.5;

/* What a change costs where noise that wanders is weighed against it, of the logarithm of the
 * count, and how closely that noise follows itself at most. Chosen on own draws
 * (compare/README.md). */
static const double wander_penalty = 3, wander_rho_max = .98;

/* The chance that a change beside a line that all levels share is noise, at most, in a series that
 * hardly tells how correlated it is. Chosen on own draws (compare/README.md). */
static const double line_chance_max = .0002;

static double slope_of(const struct run_levels *levels)
{
    return levels->report->drift / (double)(levels->count - 1);
}

/* Asks of values[from..end), the newest of them, without outliers and less a slope. A level that
 * just began is none, though fewer runs of it than of the one before are neighbours. */
static void values_ask(const struct run_levels *levels, size_t from, size_t end, double slope,
                       struct stretch_answer *ret_answer)
{
    struct run_point points[ASKED_MAX];
    size_t places[ASKED_MAX + 1], count = 0;
    double far = outlier_deviations * levels->report->noise_sd;
    double scale = levels->report->noise_sd > 0 ? levels->report->noise_sd : 1;
    size_t settled = levels->count - apart_fresh(levels->values, levels->count, far);
    from = end - from > ASKED_MAX ? end - ASKED_MAX : from;
    for (size_t i = from; i < end; i++) {
        double off = levels->values[i] - levels->clipped[i];
        places[count] = i;
        if (fabs(off) <= far || i >= settled) {
            double rise = levels->values[i] - levels->values[from] - slope * (double)(i - from);
            points[count++] = (struct run_point){RUN_PAST, rise / scale, 1, i, 0};
        }
    }
    stretch_ask(points, count, levels->arena, ret_answer);
    ret_answer->place = places[ret_answer->place];
    ret_answer->first = places[ret_answer->first];
    ret_answer->last = places[ret_answer->last];
}

/* Where the level begins that lies behind the newest confirmed change; 0: the first one. */
static size_t newest_begin(const struct change_report *report)
{
    for (size_t i = report->change_point_count; i-- > 0;) {
        if (report->change_points[i].tier == CHANGE_CONFIRMED)
            return (size_t)report->change_points[i].index;
    }
    return 0;
}

/* Puts the change of an answer in its place among the others, and drops suspected ones that are the
 * same: those within its range, or, as it is only suspected itself, beside it (one jump that stands
 * for both ends of a bump lies anywhere between them). */
static void point_add(struct run_levels *levels, const struct stretch_answer *answer,
                      enum change_tier tier)
{
    struct change_report *report = levels->report;
    size_t kept = 0, at = 0;
    struct change_point *points =
        arena_array(levels->arena, struct change_point, report->change_point_count + 1);
    struct change_point point = {.index = (int64_t)answer->place,
                                 .first = (int64_t)answer->first,
                                 .last = (int64_t)answer->last,
                                 .tier = tier,
                                 .confidence = answer->jump_weight};
    bool is_sure = tier == CHANGE_CONFIRMED;
    int64_t low = (is_sure ? point.first : point.index) - LEVEL_SUSPECTED_COUNT;
    int64_t high = (is_sure ? point.last : point.index) + LEVEL_SUSPECTED_COUNT;
    for (size_t i = 0; i < report->change_point_count; i++) {
        const struct change_point *other = &report->change_points[i];
        bool same = other->tier == CHANGE_SUSPECTED && other->index > low && other->index < high;
        at += !same && other->index < point.index;
        if (!same)
            points[kept++] = *other;
    }
    memmove(points + at + 1, points + at, (kept - at) * sizeof *points);
    points[at] = point;
    report->change_points = points;
    report->change_point_count = kept + 1;
}

/* Where the levels between confirmed changes end. */
static size_t *level_ends(const struct run_levels *levels, size_t *ret_count)
{
    const struct change_report *report = levels->report;
    size_t *ends = arena_array(levels->arena, size_t, report->change_point_count + 2);
    *ret_count = 0;
    for (size_t i = 0; i < report->change_point_count; i++)
        if (report->change_points[i].tier == CHANGE_CONFIRMED)
            ends[(*ret_count)++] = (size_t)report->change_points[i].index;
    ends[(*ret_count)++] = levels->count;
    return ends;
}

/* The levels that end at ends[count]. */
static struct piece *levels_fit(const struct run_levels *levels, const size_t *ends, size_t count)
{
    struct piece *pieces = arena_array(levels->arena, struct piece, count);
    for (size_t i = 0; i < count; i++) {
        pieces[i] = (struct piece){.from = i == 0 ? 0 : ends[i - 1], .end = ends[i]};
        piece_fit(levels->sums, &pieces[i]);
    }
    return pieces;
}

/* Whether a change at `at` may be noise about the line that all levels share: the model, which is
 * asked of values less that line, takes it for certain. */
static void line_ask(const struct run_levels *levels, size_t at, bool *ret_is_line)
{
    size_t count, which = 0, *ends = level_ends(levels, &count);
    *ret_is_line = false;
    if (levels->report->drift == 0)
        return;
    while (ends[which] < at)
        which++;
    if (ends[which] > at) { /* room for it: level_ends leaves it */
        memmove(ends + which + 1, ends + which, (count - which) * sizeof *ends);
        ends[which] = at;
        count++;
    }
    const struct piece *pieces = levels_fit(levels, ends, count);
    struct piece_noise noise = piece_noise_left(levels->straight, pieces, count, 1);
    double chance = piece_levels_chance(&noise, levels->count, &pieces[which],
                                        piece_line_weight(pieces, count));
    *ret_is_line = chance > line_chance_max && levels->count < PIECES_LONG;
}

/* A change in values[from..end), the newest level or a part of it, and, where it is sure, those on
 * either side of it: the model knows one jump, which may stand for the begin of a bump or its end.
 */
static void changes_add(struct run_levels *levels, size_t from, size_t end)
{
    size_t least = level_min_count(levels->count);
    struct stretch_answer answer;
    bool is_line;
    values_ask(levels, from, end, slope_of(levels), &answer);
    if (answer.jump_weight < STRETCH_LIKELY)
        return;
    least = least < COURSE_NEWEST_RUNS ? least : COURSE_NEWEST_RUNS;
    line_ask(levels, answer.place, &is_line);
    if (answer.jump_weight < STRETCH_SURE || end - answer.place < least || is_line) {
        point_add(levels, &answer, CHANGE_SUSPECTED);
        return;
    }
    point_add(levels, &answer, CHANGE_CONFIRMED);
    changes_add(levels, from, answer.place);
    changes_add(levels, answer.place, end);
}

/* The three levels of the best bump in values[from..end): one too short for the search, off to one
 * side. false: none is. */
static bool bump_fit(const struct run_levels *levels, size_t from, size_t end,
                     struct piece ret_levels[3])
{
    const struct piece_sums *sums = levels->sums;
    size_t most = level_min_count(levels->count), first = 0, last = 0;
    double least = INFINITY;
    for (size_t at = from + most; at + COURSE_NEWEST_RUNS < end; at++) {
        double before = piece_cost(sums, from, at, false);
        for (size_t stop = at + COURSE_NEWEST_RUNS; stop < at + most && stop < end; stop++) {
            double cost =
                before + piece_cost(sums, at, stop, false) + piece_cost(sums, stop, end, false);
            first = cost < least ? at : first;
            last = cost < least ? stop : last;
            least = fmin(least, cost);
        }
    }
    if (last == 0)
        return false;
    ret_levels[0] = (struct piece){.from = from, .end = first};
    ret_levels[1] = (struct piece){.from = first, .end = last};
    ret_levels[2] = (struct piece){.from = last, .end = end};
    for (size_t i = 0; i < 3; i++)
        piece_fit(sums, &ret_levels[i]);
    return (ret_levels[1].left > ret_levels[0].left) == (ret_levels[1].left > ret_levels[2].left);
}

/* Whether either end of a bump explains more, beside the other one, than a change costs, of the
 * noise that the bump leaves. */
static bool bump_counts(const struct run_levels *levels, const struct piece pieces[3])
{
    const struct piece_sums *sums = levels->sums;
    size_t from = pieces[0].from, end = pieces[2].end, first = pieces[1].from, last = pieces[1].end;
    struct piece moved[3];
    double cost = 0;
    for (size_t i = 0; i < 3; i++) {
        moved[i] = pieces[i];
        moved[i].from -= from;
        moved[i].end -= from;
        cost += piece_cost(sums, pieces[i].from, pieces[i].end, false);
    }
    struct piece_noise noise =
        piece_noise_left(levels->straight + from, moved, 3, levels->report->drift != 0);
    double without_first = piece_cost(sums, from, last, false) + piece_cost(sums, last, end, false);
    double without_last =
        piece_cost(sums, from, first, false) + piece_cost(sums, first, end, false);
    return fmin(without_first, without_last) - cost > PLACING_PENALTY * log((double)levels->count) *
                                                          noise.variance *
                                                          piece_doubt(&noise, levels->count);
}

/* The ends of bumps in values[from..end), which lie between confirmed changes. */
static void bumps_add(struct run_levels *levels, size_t from, size_t end)
{
    struct piece pieces[3];
    if (!bump_fit(levels, from, end, pieces) || !bump_counts(levels, pieces))
        return;
    for (size_t i = 1; i < 3; i++) {
        const struct stretch_answer answer = {.jump_weight = 1,
                                              .place = pieces[i].from,
                                              .first = pieces[i].from,
                                              .last = pieces[i].from};
        point_add(levels, &answer, CHANGE_CONFIRMED);
    }
    bumps_add(levels, from, pieces[1].from);
    bumps_add(levels, pieces[2].from, end);
}

/* A bump that just went back and the runs behind it look like one level to the search: its change
 * gives way to the bump's own ends. */
static void newest_give_way(const struct run_levels *levels)
{
    struct change_report *report = levels->report;
    struct change_point *newest = NULL;
    size_t from = 0, least = level_min_count(levels->count);
    for (size_t i = 0; i < report->change_point_count; i++) {
        if (report->change_points[i].tier != CHANGE_CONFIRMED)
            continue;
        from = newest == NULL ? 0 : (size_t)newest->index;
        newest = &report->change_points[i];
    }
    struct piece pieces[3];
    if (newest == NULL || levels->count - (size_t)newest->index >= 2 * least ||
        !bump_fit(levels, from, levels->count, pieces) || !bump_counts(levels, pieces))
        return;
    size_t at = (size_t)newest->index, found = pieces[1].from;
    if (found < at + least && at < found + least)
        newest->tier = CHANGE_SUSPECTED;
}

/* The search takes a level of fewer than level_min_count values for noise, so that a bump that was
 * confirmed while it was the newest level would be taken back as soon as it is over. */
static void short_levels_add(struct run_levels *levels)
{
    size_t count, *ends, was = 0;
    newest_give_way(levels);
    ends = level_ends(levels, &count);
    for (size_t i = 0; i < count; i++)
        bumps_add(levels, i == 0 ? 0 : ends[i - 1], ends[i]);
    was = count;
    ends = level_ends(levels, &count);
    /* What the levels between confirmed changes leave: the noise was found without the short ones.
     */
    if (count > was) {
        struct piece *pieces = levels_fit(levels, ends, count);
        struct piece_noise noise =
            piece_noise_left(levels->straight, pieces, count, levels->report->drift != 0);
        levels->report->noise_sd = sqrt(noise.variance);
        levels->report->noise_correlation = noise.rho;
    }
}

/* How unlikely values[from..end) are about two levels that part at `at` (end: about one), with
 * noise that follows its neighbour as closely as what they leave says: -2 ln of the likelihood,
 * less what depends on their count alone. */
static double parts_weigh(const struct run_levels *levels, size_t from, size_t at, size_t end)
{
    double n = (double)(end - from), slope = slope_of(levels);
    double squares = 0, products = 0, ends = 0, last = 0;
    for (size_t begin = from, stop = at; begin < end; begin = stop, stop = end) {
        double middle = (double)(begin + stop - 1) / 2;
        double level = stats_mean(levels->clipped + begin, stop - begin);
        for (size_t i = begin; i < stop; i++) {
            double rest = levels->clipped[i] - level - slope * ((double)i - middle);
            squares += rest * rest;
            products += rest * last;
            ends += i == from || i + 1 == end ? rest * rest : 0;
            last = rest;
        }
    }
    double rho = squares > 0 ? products / squares : 0;
    rho = fmin(fmax(rho + (at < end ? 2 : 1) * (1 + rho) / n, 0), wander_rho_max);
    double unexplained = squares * (1 + rho * rho) - 2 * rho * products - rho * rho * ends;
    return n * log(fmax(unexplained / n, DBL_MIN)) - log(1 - rho * rho);
}

/* How much speaks against a change at `at` of values[from..end), a level on either side: below 0
 * nothing does. Few runs do not tell how much they follow each other: the model is asked. */
static void doubt_ask(const struct run_levels *levels, size_t from, size_t at, size_t end,
                      double *ret_doubt)
{
    bool is_long = levels->count >= PIECES_LONG;
    size_t reach = is_long ? PIECES_LONG : ASKED_MAX / 2;
    struct stretch_answer answer;
    bool is_line;
    from = at - from > reach ? at - reach : from;
    end = end - at > reach ? at + reach : end;
    if (is_long) {
        *ret_doubt = parts_weigh(levels, from, at, end) - parts_weigh(levels, from, end, end) +
                     wander_penalty * log((double)(end - from));
        return;
    }
    values_ask(levels, from, end, slope_of(levels), &answer);
    *ret_doubt = STRETCH_LIKELY - answer.jump_weight;
    line_ask(levels, at, &is_line);
    *ret_doubt = is_line ? fmax(*ret_doubt, DBL_EPSILON) : *ret_doubt;
}

/* Demotes confirmed changes, the most doubtful first, until nothing speaks against any of them. */
static void doubtful_demote(struct run_levels *levels)
{
    struct change_report *report = levels->report;
    for (;;) {
        double most = 0;
        struct change_point *weakest = NULL;
        size_t from = 0;
        for (size_t i = 0; i < report->change_point_count; i++) {
            struct change_point *point = &report->change_points[i];
            size_t next = i + 1, end = levels->count, at = (size_t)point->index;
            double doubt;
            if (point->tier != CHANGE_CONFIRMED)
                continue;
            while (next < report->change_point_count &&
                   report->change_points[next].tier != CHANGE_CONFIRMED)
                next++;
            if (next < report->change_point_count)
                end = (size_t)report->change_points[next].index;
            doubt_ask(levels, from, at, end, &doubt);
            weakest = doubt > most ? point : weakest;
            most = fmax(most, doubt);
            from = at;
        }
        if (weakest == NULL)
            return;
        weakest->tier = CHANGE_SUSPECTED;
    }
}

/* A newest level does not last yet when it is too short to be told from a few runs that differ. */
static void newest_demote(const struct run_levels *levels)
{
    const struct change_report *report = levels->report;
    size_t begin = newest_begin(report), least = level_min_count(levels->count);
    least = least < COURSE_NEWEST_RUNS ? least : COURSE_NEWEST_RUNS;
    for (size_t i = 0; i < report->change_point_count; i++)
        if ((size_t)report->change_points[i].index == begin && levels->count - begin < least)
            report->change_points[i].tier = CHANGE_SUSPECTED;
}

void run_levels_settle(struct run_levels *levels)
{
    levels->drifts_from = levels->count;
    if (levels->report->noise_sd <= 0)
        return;
    levels->straight = arena_array(levels->arena, double, levels->count);
    for (size_t i = 0; i < levels->count; i++)
        levels->straight[i] = levels->clipped[i] - slope_of(levels) * (double)i;
    levels->sums = piece_sums_new(levels->straight, levels->count, levels->arena);
    short_levels_add(levels);
    changes_add(levels, newest_begin(levels->report), levels->count);
    doubtful_demote(levels);
    newest_demote(levels);
    /* Whether the newest level rather drifts, in values as they are. */
    size_t from = newest_begin(levels->report);
    struct stretch_answer answer;
    values_ask(levels, from, levels->count, 0, &answer);
    bool drifts = answer.drift_weight > STRETCH_LIKELIER && levels->count - from <= ASKED_MAX;
    levels->drifts_from = drifts ? from : levels->count;
}
