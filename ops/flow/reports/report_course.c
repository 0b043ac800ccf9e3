/* The runs of a series that something is told of, as there is to draw. */
#include "ops/flow/reports/making.h"

#include <string.h>

enum { COURSES_MAX = 40 }; /* what nobody scrolls through is not kept for good */

size_t report_group_of(const struct trends_seen *seen, const struct trend_point *point)
{
    for (size_t i = 0; i < seen->runs->count; i++)
        for (size_t k = 0; k < seen->runs->items[i].count; k++)
            if (seen->runs->items[i].points[k] == point)
                return i;
    return 0;
}

static void points_fill(struct report_making *making, const struct report_series *series,
                        struct report_course *out)
{
    size_t first_group = series->seen->runs->count;
    out->points = arena_array(making->arena, struct report_point, series->count);
    out->breaks = arena_array(making->arena, struct report_break, series->count);
    for (size_t i = 0; i < series->count; i++) {
        const struct trend_point *point = series->points[i];
        size_t group = report_group_of(series->seen, point);
        first_group = group < first_group ? group : first_group;
        out->points[out->point_count++] = (struct report_point){
            .profile_id = keep(making, point->profile_id),
            .run = keep(making, point->run),
            .commit = keep(making, point->commit),
            .ran_at_utc = keep(making, point->ran_at_utc),
            .value = point->value,
            .group = (int64_t)group,
            .verdict_id = keep(making, point->verdict_id),
            .verdict = keep(making, point->verdict),
            .accepted = point->accepted,
            .outlier = point->outlier,
        };
        size_t older = i > 0 ? (size_t)out->points[i - 1].group : group;
        if (group == older)
            continue;
        size_t told = older > group ? older : group; /* the older one says why it ended */
        const struct comparable *runs = &series->seen->runs->items[told];
        out->breaks[out->break_count++] = (struct report_break){
            .at = (int64_t)i,
            .what = keep(making, runs->apart != NULL ? runs->apart : "facts"),
            .why = keep(making, runs->apart_why != NULL ? runs->apart_why : "other facts"),
        };
    }
    for (size_t i = 0; i < out->point_count; i++)
        out->points[i].group -= (int64_t)first_group;
}

/* As the course has them. */
static void levels_fill(struct report_making *making, const struct course *course, int64_t group,
                        struct report_course *out)
{
    struct report_level *levels =
        arena_array(making->arena, struct report_level, out->level_count + course->level_count);
    if (out->level_count > 0)
        memcpy(levels, out->levels, out->level_count * sizeof *levels);
    out->levels = levels;
    for (size_t i = 0; i < course->level_count; i++) {
        const struct course_level *level = &course->levels[i];
        levels[out->level_count++] =
            (struct report_level){(int64_t)report_point_find(out, level->from_profile),
                                  (int64_t)report_point_find(out, level->until_profile) + 1, group,
                                  level->left, level->right};
    }
}

void report_course_add(struct report_making *making, struct report_series *series)
{
    const struct trends_seen *seen = series->seen;
    if (series->course.set)
        return;
    struct report_course *out = REPORT_ADD(making, courses, course_count);
    *out = (struct report_course){
        .workload = keep(making, seen->trend->workload),
        .branch = making->request->branch,
        .series = keep(making, series->series),
        .measure = making->report->measure,
        .unit = making->report->unit,
    };
    points_fill(making, series, out);
    for (size_t i = 0; i < seen->runs->count; i++) {
        size_t at = report_point_find(out, seen->courses[i].first_profile);
        if (strcmp(seen->courses[i].series, series->series) == 0)
            levels_fill(making, &seen->courses[i], out->points[at].group, out);
    }
    series->course = some_i64((int64_t)making->report->course_count - 1);
}

/* The place of a course in the order in which it is first named. */
struct numbering {
    const struct trend_report *report;
    struct report_course *ordered;
    int64_t *place_of; /* of each; -1 = not named yet, or one too many */
    size_t count;
};

static void number_give(struct numbering *numbering, struct opt_i64 *course)
{
    if (!course->set)
        return;
    int64_t *place = &numbering->place_of[course->value];
    if (*place < 0 && numbering->count < COURSES_MAX) {
        numbering->ordered[numbering->count] = numbering->report->courses[course->value];
        *place = (int64_t)numbering->count++;
    }
    *course = *place < 0 ? (struct opt_i64){0} : some_i64(*place);
}

void report_courses_order(struct report_making *making)
{
    struct trend_report *report = making->report;
    struct numbering numbering = {
        .report = report,
        .ordered = arena_array(making->arena, struct report_course, report->course_count),
        .place_of = arena_array(making->arena, int64_t, report->course_count),
    };
    for (size_t i = 0; i < report->course_count; i++)
        numbering.place_of[i] = -1;
    struct report_change *change;
    for (size_t i = 0; (change = report_change_at(report, i)) != NULL; i++)
        number_give(&numbering, &change->course);
    for (size_t i = 0; i < report->drift_count; i++)
        number_give(&numbering, &report->drifts[i].course);
    for (size_t i = 0; i < report->suspected_count; i++)
        number_give(&numbering, &report->suspected[i].course);
    report->courses = numbering.ordered;
    report->course_count = numbering.count;
}
