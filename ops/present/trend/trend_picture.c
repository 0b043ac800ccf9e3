/* Fills the picture of a trend: a mark for each run, a line for each level, a band where a change
 * lies. */
#include "ops/present/trend/trend_page.h"

#include "ops/present/trend/course_words.h"
#include "ops/present/trend/trend_words.h"
#include "ops/runtime/text.h"
#include "schema/documents/measures.h"

#include <string.h>

struct filling {
    const struct trend *trend;
    struct arena *arena;
    struct series_level *levels;
    struct series_change *changes;
    struct series_break *breaks;
    size_t level_count, change_count, break_count;
    struct text words;
};

/* The run was captured behind the first that is drawn. */
static bool is_behind_first(const struct trend *trend, const char *profile, const char *at_utc)
{
    size_t place = trend_point_find(trend, profile);
    return place < trend->point_count ? place > 0 : strcmp(at_utc, trend->points[0].ran_at_utc) > 0;
}

/* The place of a run among those that are drawn; the first or the last for one beyond them. */
static size_t place_of(const struct trend *trend, const char *profile, const char *at_utc)
{
    size_t place = trend_point_find(trend, profile);
    return place < trend->point_count                ? place
           : is_behind_first(trend, profile, at_utc) ? trend->point_count - 1
                                                     : 0;
}

/* ---- runs ------------------------------------------------------------------------------------ */

const char *trend_point_title(const char *unit, const struct trend_point *point,
                              struct arena *arena)
{
    char value[FORMAT_BYTES];
    return arena_printf(
        arena, "%s: %s%s%s%s%s; %.10s%s%s%s", point->run,
        measure_text(unit, point->value, false, value), point->verdict != NULL ? ", " : "",
        point->verdict != NULL ? point->verdict : "", point->accepted ? ", accepted" : "",
        point->archived ? ", archived" : "", point->ran_at_utc,
        point->commit != NULL ? ", commit " : "", point->commit != NULL ? point->commit : "",
        point->outlier ? "; far from its neighbours" : "");
}

static struct series_point *points_fill(struct filling *filling)
{
    const struct trend *trend = filling->trend;
    struct series_point *points =
        arena_array(filling->arena, struct series_point, trend->point_count);
    for (size_t i = 0; i < trend->point_count; i++) {
        const struct trend_point *point = &trend->points[i];
        points[i] = (struct series_point){
            point->value,  trend_point_title(trend->unit, point, filling->arena), point->ran_at_utc,
            point->commit, verdict_mark(point->verdict, point->accepted),         point->outlier};
    }
    return points;
}

/* ---- courses --------------------------------------------------------------------------------- */

/* Where a level that began before the first run that is drawn comes in. */
static double left_drawn(const struct trend *trend, const struct course_level *level, size_t first,
                         size_t last)
{
    bool is_whole = trend_point_find(trend, level->from_profile) < trend->point_count;
    double drawn = (double)(last - first), all = (double)level->run_count - 1;
    return is_whole || all <= drawn ? level->left
                                    : level->right - (level->right - level->left) * drawn / all;
}

/* "100.0 ms"; where a drift ends, "100.0 ms, slow drift +5.0 %". */
static const char *level_words(struct filling *filling, const struct course *course, size_t which)
{
    char value[FORMAT_BYTES], delta[FORMAT_BYTES];
    const struct course_level *level = &course->levels[which], *next = level + 1;
    trend_value(filling->trend, level->right, value);
    bool goes_on = which + 1 < course->level_count && next->drift.set &&
                   next->drift.value == level->drift.value;
    if (!level->drift.set || goes_on)
        return arena_strdup(filling->arena, value);
    const struct course_drift *drift = &course->drifts[level->drift.value];
    return arena_printf(
        filling->arena, "%s, slow drift %s", value,
        measure_change_text(course->unit, drift->after - drift->before, drift->change_pct, delta));
}

/* A level, or a part of a drift. */
static void level_add(struct filling *filling, const struct course *course, size_t which)
{
    const struct trend *trend = filling->trend;
    const struct course_level *level = &course->levels[which];
    bool is_drift = level->drift.set;
    size_t first = place_of(trend, level->from_profile, course->first_utc),
           last = place_of(trend, level->until_profile, course->last_utc);
    filling->levels[filling->level_count++] = (struct series_level){
        first,
        last,
        left_drawn(trend, level, first, last),
        level->right,
        level_words(filling, course, which),
        is_drift,
        is_drift ? course_tone(course->drifts[level->drift.value].loss) : TONE_PLAIN};
}

/* One that is not sure lies over the levels. */
static void drift_add(struct filling *filling, const struct course *course,
                      const struct course_drift *drift)
{
    course_drift_words(course, drift, &filling->words);
    filling->levels[filling->level_count++] =
        (struct series_level){place_of(filling->trend, drift->from_profile, drift->from_utc),
                              place_of(filling->trend, drift->until_profile, drift->until_utc),
                              drift->before,
                              drift->after,
                              text_keep_start(&filling->words, filling->arena),
                              true,
                              course_tone(drift->loss)};
}

static void change_add(struct filling *filling, const struct course *course,
                       const struct course_change *change, bool is_sure)
{
    char words[FORMAT_BYTES];
    const char *amount = measure_change_text(course->unit, change->after - change->before,
                                             change->change_pct, words);
    course_change_words(course, change, &filling->words);
    filling->changes[filling->change_count++] =
        (struct series_change){place_of(filling->trend, change->after_profile, change->at_utc),
                               place_of(filling->trend, change->until_profile, change->at_utc),
                               is_sure ? course_tone(change->loss) : TONE_DIM,
                               is_sure,
                               arena_strdup(filling->arena, amount),
                               text_keep_start(&filling->words, filling->arena)};
}

/* What moved in a course, as far as it is drawn, and the levels between. */
static void course_add(struct filling *filling, const struct course *course)
{
    const struct trend *trend = filling->trend;
    for (size_t i = 0; i < course->level_count; i++) {
        const struct course_level *level = &course->levels[i];
        bool is_last = i + 1 == course->level_count;
        size_t until = trend_point_find(trend, level->until_profile);
        if (until < trend->point_count ||
            (is_last && is_behind_first(trend, level->until_profile, course->last_utc)))
            level_add(filling, course, i);
    }
    for (size_t i = 0; i < course->drift_count; i++) {
        const struct course_drift *drift = &course->drifts[i];
        if (drift->matters && !course_drift_is_sure(drift) &&
            is_behind_first(trend, drift->until_profile, drift->until_utc))
            drift_add(filling, course, drift);
    }
    for (size_t i = 0; i < course->change_count; i++) {
        const struct course_change *change = &course->changes[i];
        bool is_sure = course_change_counts(change);
        if (is_behind_first(trend, change->until_profile, change->at_utc) &&
            (is_sure || course_change_is_suspected(change)))
            change_add(filling, course, change, is_sure);
    }
}

/* ---- where nothing is compared across -------------------------------------------------------- */

static void break_add(struct filling *filling, size_t first, bool is_baseline, const char *title)
{
    filling->breaks[filling->break_count++] = (struct series_break){first, title, is_baseline};
}

static bool series_is_new(const struct trend *trend, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (strcmp(trend->points[i].series, trend->points[index].series) == 0)
            return false;
    return true;
}

static void breaks_fill(struct filling *filling)
{
    const struct trend *trend = filling->trend;
    for (size_t i = 1; i < trend->point_count; i++) {
        const struct trend_point *before = &trend->points[i - 1], *point = &trend->points[i];
        bool other = strcmp(before->series, point->series) != 0;
        if (other && series_is_new(trend, i))
            break_add(filling, i, false,
                      arena_printf(filling->arena, "series %s begins: other hardware or topology",
                                   point->series));
        if (!other && point->rebaseline != NULL &&
            (before->rebaseline == NULL || strcmp(before->rebaseline, point->rebaseline) != 0))
            break_add(filling, i, true,
                      arena_printf(filling->arena, "new baseline %s", point->rebaseline));
    }
    for (size_t i = 0; i < trend->course_count; i++) {
        const struct course *course = &trend->courses[i];
        size_t end = place_of(trend, course->last_profile, course->last_utc) + 1;
        if (course->apart != NULL && end < trend->point_count &&
            (end > 1 || strcmp(course->last_profile, trend->points[0].profile_id) == 0))
            break_add(filling, end, false, course->apart_why);
    }
}

/* ---- the picture ----------------------------------------------------------------------------- */

void trend_series(const struct trend *trend, struct arena *arena,
                  struct series_picture *ret_picture)
{
    struct filling filling = {.trend = trend, .arena = arena};
    size_t levels = 0, changes = 0, breaks = 2 * trend->point_count + trend->course_count;
    for (size_t i = 0; i < trend->course_count; i++) {
        levels += trend->courses[i].level_count + trend->courses[i].drift_count;
        changes += trend->courses[i].change_count;
    }
    filling.levels = arena_array(arena, struct series_level, levels);
    filling.changes = arena_array(arena, struct series_change, changes);
    filling.breaks = arena_array(arena, struct series_break, breaks);
    text_init(&filling.words, COURSE_SENTENCE_BYTES);
    const struct series_point *points = points_fill(&filling);
    for (size_t i = 0; i < trend->course_count; i++)
        course_add(&filling, &trend->courses[i]);
    breaks_fill(&filling);
    text_done(&filling.words);
    const char *title = arena_printf(
        arena, "%s of %s/%s%s%s", measure_words(trend->measure), trend->project, trend->workload,
        trend->branch != NULL ? ", branch " : "", trend->branch != NULL ? trend->branch : "");
    *ret_picture = (struct series_picture){.title = title,
                                           .unit = trend->unit,
                                           .points = points,
                                           .point_count = trend->point_count,
                                           .levels = filling.levels,
                                           .level_count = filling.level_count,
                                           .changes = filling.changes,
                                           .change_count = filling.change_count,
                                           .breaks = filling.breaks,
                                           .break_count = filling.break_count};
}

struct drawing trend_drawing(const struct trend *trend, struct arena *arena)
{
    struct series_picture *picture = arena_new(arena, struct series_picture);
    trend_series(trend, arena, picture);
    return (struct drawing){picture->title, series_picture_draw, picture};
}

static bool svg_alone(const struct trend *trend, const char *format, struct text *out,
                      struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, PAGE_BUDGET_BYTES);
    if (trend->point_count == 0)
        return err_set(err, ERR_USAGE, "option --format: no %s shows a trend by %s; html does",
                       format, trend->grouped_by != NULL ? trend->grouped_by : "nothing");
    const struct drawing drawing = trend_drawing(trend, &arena);
    picture_svg(&drawing, CANVAS_WIDE, true, &arena, out);
    return text_ok(out, "the trend", err) && arena_ok(&arena, "the trend", err);
}

bool trend_svg(const struct trend *trend, struct text *out, struct err *err)
{
    return svg_alone(trend, "svg", out, err);
}

bool trend_png(const struct trend *trend, struct text *out, struct err *err)
{
    scoped_text svg;
    text_init(&svg, CANVAS_MAX_BYTES);
    return svg_alone(trend, "png", &svg, err) && picture_png(&svg, out, err);
}
