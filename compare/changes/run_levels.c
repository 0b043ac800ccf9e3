/* Implements the second look: the newest level first, and the parts that it falls into, then each
 * confirmed change by the runs around it: few by the model, many against noise that wanders. */
#include "compare/changes/run_levels.h"

#include "compare/changes/course.h"
#include "compare/changes/level_noise.h"
#include "compare/changes/pieces.h"
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

/* Asks of values[from..end), the newest of them, without outliers. */
static bool values_ask(const struct run_levels *levels, size_t from, size_t end,
                       struct stretch_answer *ret_answer)
{
    struct run_point points[ASKED_MAX];
    size_t places[ASKED_MAX + 1], count = 0;
    double far = outlier_deviations * levels->report->noise_sd;
    double scale = levels->report->noise_sd > 0 ? levels->report->noise_sd : 1;
    from = end - from > ASKED_MAX ? end - ASKED_MAX : from;
    for (size_t i = from; i < end; i++) {
        double off = levels->values[i] - levels->clipped[i];
        places[count] = i;
        if (fabs(off) <= far) {
            points[count] = (struct run_point){
                RUN_PAST, (levels->values[i] - levels->values[from]) / scale, 1, i, 0};
            count++;
        }
    }
    if (!stretch_ask(points, count, levels->arena, ret_answer))
        return false;
    ret_answer->place = places[ret_answer->place];
    ret_answer->first = places[ret_answer->first];
    ret_answer->last = places[ret_answer->last];
    return true;
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
static bool point_add(struct run_levels *levels, const struct stretch_answer *answer,
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
    if (points == NULL)
        return false;
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
    return true;
}

/* Whether the newest level rather drifts, by the answer for it. */
static void drift_take(struct run_levels *levels, const struct stretch_answer *answer, size_t from)
{
    bool is_whole = levels->count - from <= ASKED_MAX;
    levels->drifts_from =
        answer->drift_weight > STRETCH_LIKELIER && is_whole ? from : levels->count;
}

/* A change in values[from..end), the newest level or a part of it, and, where it is sure, those on
 * either side of it: the model knows one jump, which may stand for the begin of a bump or its end.
 */
static bool changes_add(struct run_levels *levels, size_t from, size_t end)
{
    size_t least = level_min_count(levels->count);
    struct stretch_answer answer;
    if (!values_ask(levels, from, end, &answer))
        return false;
    if (end == levels->count)
        drift_take(levels, &answer, from);
    if (answer.jump_weight < STRETCH_LIKELY)
        return true;
    least = least < COURSE_NEWEST_RUNS ? least : COURSE_NEWEST_RUNS;
    if (answer.jump_weight < STRETCH_SURE || end - answer.place < least)
        return point_add(levels, &answer, CHANGE_SUSPECTED);
    return point_add(levels, &answer, CHANGE_CONFIRMED) &&
           changes_add(levels, from, answer.place) && changes_add(levels, answer.place, end);
}

/* How unlikely values[from..end) are about two levels that part at `at` (end: about one), with
 * noise that follows its neighbour as closely as what they leave says: -2 ln of the likelihood,
 * less what depends on their count alone. */
static double parts_weigh(const struct run_levels *levels, size_t from, size_t at, size_t end)
{
    const struct change_report *report = levels->report;
    double n = (double)(end - from), slope = report->drift / (double)(levels->count - 1);
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
static bool doubt_ask(const struct run_levels *levels, size_t from, size_t at, size_t end,
                      double *ret_doubt)
{
    bool is_long = levels->count >= PIECES_LONG;
    size_t reach = is_long ? PIECES_LONG : ASKED_MAX / 2;
    struct stretch_answer answer;
    from = at - from > reach ? at - reach : from;
    end = end - at > reach ? at + reach : end;
    if (is_long) {
        *ret_doubt = parts_weigh(levels, from, at, end) - parts_weigh(levels, from, end, end) +
                     wander_penalty * log((double)(end - from));
        return true;
    }
    if (!values_ask(levels, from, end, &answer))
        return false;
    *ret_doubt = STRETCH_LIKELY - answer.jump_weight;
    return true;
}

/* Demotes confirmed changes, the most doubtful first, until nothing speaks against any of them. */
static bool doubtful_demote(struct run_levels *levels)
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
            if (!doubt_ask(levels, from, at, end, &doubt))
                return false;
            weakest = doubt > most ? point : weakest;
            most = fmax(most, doubt);
            from = at;
        }
        if (weakest == NULL)
            return true;
        weakest->tier = CHANGE_SUSPECTED;
    }
}

bool run_levels_settle(struct run_levels *levels)
{
    struct stretch_answer answer;
    levels->drifts_from = levels->count;
    if (levels->report->noise_sd <= 0)
        return true;
    size_t begin = newest_begin(levels->report);
    if (!changes_add(levels, begin, levels->count) || !doubtful_demote(levels))
        return false;
    size_t from = newest_begin(levels->report);
    if (from >= begin)
        return true;
    if (!values_ask(levels, from, levels->count, &answer)) /* it is longer than it seemed */
        return false;
    drift_take(levels, &answer, from);
    return true;
}
