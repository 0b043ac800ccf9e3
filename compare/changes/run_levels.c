/* Implements the second look: the newest level first, and the parts that it falls into, then each
 * confirmed change by the runs around it. */
#include "compare/changes/run_levels.h"

#include "compare/changes/course.h"
#include "compare/changes/level_noise.h"
#include "compare/changes/pieces.h"
#include "compare/changes/stretch.h"

#include <math.h>
#include <string.h>

/* Runs that are asked at most, the newest: time goes with their cube. */
enum { ASKED_MAX = 60 };

/* So many deviations farther from its neighbours than it is clipped to, a run is none like them. */
static const double outlier_deviations = 2.5;

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

/* Demotes confirmed changes, the least likely first, until the model holds each of them likely. */
static bool unlikely_demote(struct run_levels *levels)
{
    enum { REACH = ASKED_MAX / 2 };
    struct change_report *report = levels->report;
    for (;;) {
        double least = 1;
        struct change_point *weakest = NULL;
        size_t from = 0;
        for (size_t i = 0; i < report->change_point_count; i++) {
            struct change_point *point = &report->change_points[i];
            size_t next = i + 1, end = levels->count, at = (size_t)point->index, begin = from;
            struct stretch_answer answer;
            if (point->tier != CHANGE_CONFIRMED)
                continue;
            while (next < report->change_point_count &&
                   report->change_points[next].tier != CHANGE_CONFIRMED)
                next++;
            if (next < report->change_point_count)
                end = (size_t)report->change_points[next].index;
            begin = at - begin > REACH ? at - REACH : begin;
            end = end - at > REACH ? at + REACH : end;
            if (!values_ask(levels, begin, end, &answer))
                return false;
            weakest = answer.jump_weight < least ? point : weakest;
            least = fmin(least, answer.jump_weight);
            from = at;
        }
        if (weakest == NULL || least >= STRETCH_LIKELY)
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
    if (!changes_add(levels, begin, levels->count) ||
        (levels->count < PIECES_LONG && !unlikely_demote(levels)))
        return false;
    size_t from = newest_begin(levels->report);
    if (from >= begin)
        return true;
    if (!values_ask(levels, from, levels->count, &answer)) /* it is longer than it seemed */
        return false;
    drift_take(levels, &answer, from);
    return true;
}
