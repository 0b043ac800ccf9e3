/* Fills the pictures of a report. */
#include "ops/present/trend_report/report_drawings.h"

#include "ops/present/trend/trend.h"
#include "ops/present/words/words.h"
#include "schema/documents/measures.h"

#include <stdlib.h>
#include <string.h>

bool report_course_is_new(const struct trend_report *report, const struct opt_i64 *course)
{
    const size_t changes = report->loss_count + report->improvement_count + report->recovery_count;
    for (size_t i = 0; i < changes + report->drift_count; i++) {
        const struct opt_i64 *earlier = i < changes ? &report_change_at(report, i)->course
                                                    : &report->drifts[i - changes].course;
        if (earlier == course)
            return true;
        if (earlier->set && course->set && earlier->value == course->value)
            return false;
    }
    return true;
}

static const struct series_point *points_fill(const struct report_course *course,
                                              struct arena *arena)
{
    struct series_point *points = arena_array(arena, struct series_point, course->point_count);
    for (size_t i = 0; i < course->point_count; i++) {
        const struct report_point *point = &course->points[i];
        char value[FORMAT_BYTES];
        const char *title = arena_printf(
            arena, "%s: %s%s%s%s; %.10s%s%s%s", point->run,
            measure_text(course->unit, point->value, false, value),
            point->verdict != NULL ? ", " : "", point->verdict != NULL ? point->verdict : "",
            point->accepted ? ", accepted" : "", point->ran_at_utc,
            point->commit != NULL ? ", commit " : "", point->commit != NULL ? point->commit : "",
            point->outlier ? "; far from its neighbours" : "");
        points[i] = (struct series_point){point->value,
                                          title,
                                          point->ran_at_utc,
                                          point->commit,
                                          verdict_mark(point->verdict, point->accepted),
                                          point->outlier};
    }
    return points;
}

static const struct series_level *levels_fill(const struct report_course *course,
                                              struct arena *arena)
{
    struct series_level *levels = arena_array(arena, struct series_level, course->level_count);
    for (size_t i = 0; i < course->level_count; i++) {
        const struct report_level *level = &course->levels[i];
        char value[FORMAT_BYTES];
        levels[i] = (struct series_level){
            (size_t)level->from,
            (size_t)level->end - 1,
            level->left,
            level->right,
            arena_strdup(arena, measure_text(course->unit, level->right, false, value)),
            level->left != level->right,
            TONE_STRONG};
    }
    return levels;
}

static const struct series_break *breaks_fill(const struct report_course *course,
                                              struct arena *arena)
{
    struct series_break *breaks = arena_array(arena, struct series_break, course->break_count);
    for (size_t i = 0; i < course->break_count; i++)
        breaks[i] = (struct series_break){(size_t)course->breaks[i].at, course->breaks[i].why,
                                          report_is_rebaseline(course->breaks[i].what)};
    return breaks;
}

static struct series_change change_of(const struct report_course *course,
                                      const struct report_change *change, struct arena *arena)
{
    char words[FORMAT_BYTES];
    bool is_sure = strcmp(change->tier, "confirmed") == 0;
    const char *amount = measure_change_text(change->unit, change->after - change->before,
                                             change->change_pct, words);
    const char *title = arena_printf(arena, "%s, behind %s, at the latest with %s", amount,
                                     change->after_profile, change->until_profile);
    return (struct series_change){report_point_find(course, change->after_profile),
                                  report_point_find(course, change->until_profile),
                                  !is_sure       ? TONE_DIM
                                  : change->loss ? TONE_BAD
                                                 : TONE_GOOD,
                                  is_sure,
                                  arena_strdup(arena, amount),
                                  title};
}

static int change_order(const void *left, const void *right)
{
    const struct series_change *a = left, *b = right;
    return (a->after > b->after) - (a->after < b->after);
}

bool report_course_drawing(const struct trend_report *report, struct opt_i64 course,
                           struct arena *arena, struct drawing *ret_drawing)
{
    const struct {
        const struct report_change *items;
        size_t count;
    } lists[] = {{report->losses, report->loss_count},
                 {report->improvements, report->improvement_count},
                 {report->recoveries, report->recovery_count},
                 {report->suspected, report->suspected_count}};
    if (!course.set || course.value < 0 || (size_t)course.value >= report->course_count ||
        report->courses[course.value].point_count == 0)
        return false;
    const struct report_course *of = &report->courses[course.value];
    struct series_picture *picture = arena_new(arena, struct series_picture);
    struct series_change *changes =
        arena_array(arena, struct series_change,
                    report->loss_count + report->improvement_count + report->recovery_count +
                        report->suspected_count);
    const char *title =
        arena_printf(arena, "%s of %s/%s%s%s, series %s", measure_words(of->measure),
                     report->project, of->workload, of->branch != NULL ? ", branch " : "",
                     of->branch != NULL ? of->branch : "", of->series);
    *picture = (struct series_picture){.title = title,
                                       .unit = of->unit,
                                       .points = points_fill(of, arena),
                                       .point_count = of->point_count,
                                       .levels = levels_fill(of, arena),
                                       .level_count = of->level_count,
                                       .changes = changes,
                                       .breaks = breaks_fill(of, arena),
                                       .break_count = of->break_count};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        for (size_t k = 0; k < lists[i].count; k++)
            if (lists[i].items[k].course.set && lists[i].items[k].course.value == course.value)
                changes[picture->change_count++] = change_of(of, &lists[i].items[k], arena);
    qsort(changes, picture->change_count, sizeof *changes, change_order);
    *ret_drawing = (struct drawing){title, series_picture_draw, picture};
    return true;
}
