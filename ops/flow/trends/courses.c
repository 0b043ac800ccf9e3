/* Describes what compare/changes finds: runs and commits in place of indices, percentages, what is
 * a loss, what matters, what the ledger says of it. */
#include "ops/flow/trends/courses.h"

#include "compare/changes/changes.h"
#include "compare/statistics/statistics.h"
#include "ops/flow/trends/trends.h"
#include "schema/documents/measures.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double month_us = 30.0 * 86400e6, day_us = 86400e6;

/* The runs that tell a value. */
struct making {
    const struct course_subject *subject;
    struct arena *arena;
    const struct trend_point **points;
    double *values;
    size_t count;
    struct course *course;
};

bool trends_is_ours(const char *method)
{
    static const char head[] = TRENDS_METHOD "/";
    return strncmp(method, head, sizeof head - 1) == 0;
}

static struct opt_f64 percent_of(double before, double after)
{
    return before > 0 ? some_f64(100 * (after - before) / before) : (struct opt_f64){0};
}

/* The least move from there that is to be told. */
static double matters_from(const struct making *making, double before)
{
    if (strcmp(making->course->unit, "share") == 0)
        return course_matters_share;
    return fmax(fmax(before, 0) * course_matters_pct / 100,
                course_op_matters_share * making->subject->step);
}

static bool matters(const struct making *making, double before, double after)
{
    return fabs(after - before) >= matters_from(making, before);
}

static bool is_loss(const struct making *making, double before, double after)
{
    enum measure measure;
    struct err unknown;
    bool down = measure_find(making->course->measure, &measure, &unknown) &&
                measure_rows[measure].worse == WORSE_DOWN;
    return down ? after < before : after > before;
}

/* What is thought of a change there: the mark nearest to its likeliest place. One that was taken
 * back because the runs did not show it any more says nothing when they do. */
static void mark_find(const struct making *making, struct course_change *change)
{
    const struct course_subject *subject = making->subject;
    const struct comparable *runs = subject->runs;
    const struct change_mark *found = NULL;
    size_t after = comparable_place(runs, change->after_profile),
           until = comparable_place(runs, change->until_profile),
           likeliest = comparable_place(runs, change->at_profile), nearest = SIZE_MAX;
    int64_t series = trends_number(making->course->series);
    for (size_t i = 0; subject->op == NULL && i < subject->marks->count; i++) {
        const struct change_mark *mark = &subject->marks->items[i];
        bool was_ours = strcmp(mark->status, "withdrawn") == 0 && trends_is_ours(mark->method);
        if (was_ours || mark->series_id != series || mark->measure == NULL ||
            strcmp(mark->measure, making->course->measure) != 0)
            continue;
        size_t from = comparable_from(runs, mark);
        size_t away = from > likeliest ? from - likeliest : likeliest - from;
        if (from > after && from <= until && away < nearest) {
            nearest = away;
            found = mark;
        }
    }
    if (found == NULL)
        return;
    change->status = found->status;
    change->entry = arena_printf(making->arena, "k%" PRId64, found->id);
}

/* Where the level ends that begins with that change. */
static size_t level_end(const struct making *making, const struct course_findings *found,
                        size_t which)
{
    for (size_t i = which + 1; i < found->shift_count; i++)
        if (found->shifts[i].confirmed)
            return found->shifts[i].index;
    return making->count;
}

static void changes_fill(struct making *making, const struct course_findings *found)
{
    struct course *course = making->course;
    course->changes = arena_array(making->arena, struct course_change, found->shift_count);
    for (size_t i = 0; i < found->shift_count; i++) {
        const struct course_shift *shift = &found->shifts[i];
        const struct trend_point *after = making->points[shift->first > 0 ? shift->first - 1 : 0];
        const struct trend_point *until = making->points[shift->last];
        struct course_change *change = &course->changes[course->change_count++];
        *change = (struct course_change){
            .tier = shift->confirmed ? "confirmed" : "suspected",
            .at_profile = making->points[shift->index]->profile_id,
            .at_utc = making->points[shift->index]->ran_at_utc,
            .after_profile = after->profile_id,
            .after_commit = after->commit,
            .until_profile = until->profile_id,
            .until_commit = until->commit,
            .before = shift->before,
            .after = shift->after,
            .change_pct = percent_of(shift->before, shift->after),
            .low_pct = percent_of(shift->before, shift->after - shift->margin),
            .high_pct = percent_of(shift->before, shift->after + shift->margin),
            .confidence = shift->confidence,
            .loss = is_loss(making, shift->before, shift->after),
            .matters = matters(making, shift->before, shift->after),
            .went_away = shift->went_away,
            .takes_back = shift->takes_back == i
                              ? NULL
                              : making->points[found->shifts[shift->takes_back].index]->profile_id,
            .runs_since = (int64_t)(level_end(making, found, i) - shift->index),
        };
        mark_find(making, change);
    }
}

static void drifts_fill(struct making *making, const struct course_findings *found)
{
    struct course *course = making->course;
    course->drifts = arena_array(making->arena, struct course_drift, found->slope_count);
    for (size_t i = 0; i < found->slope_count; i++) {
        const struct course_slope *slope = &found->slopes[i];
        const struct trend_point *from = making->points[slope->first];
        const struct trend_point *until = making->points[slope->end - 1];
        double span_us = (double)(until->order.ran_us - from->order.ran_us);
        struct opt_f64 change = percent_of(slope->before, slope->after);
        course->drifts[course->drift_count++] = (struct course_drift){
            .tier = slope->is_sure ? "confirmed" : "suspected",
            .from_profile = from->profile_id,
            .from_commit = from->commit,
            .from_utc = from->ran_at_utc,
            .until_profile = until->profile_id,
            .until_commit = until->commit,
            .until_utc = until->ran_at_utc,
            .before = slope->before,
            .after = slope->after,
            .change_pct = change,
            .month_pct = change.set && span_us >= day_us
                             ? some_f64(change.value * month_us / span_us)
                             : (struct opt_f64){0},
            .p = slope->p,
            .loss = is_loss(making, slope->before, slope->after),
            .matters = matters(making, slope->before, slope->after),
        };
    }
}

static double median_of(const struct making *making, size_t from, size_t count)
{
    struct arena_mark mark = arena_mark(making->arena);
    double *sorted = arena_array(making->arena, double, count);
    memcpy(sorted, making->values + from, count * sizeof *sorted);
    stats_sort(sorted, count);
    double middle = stats_quantile(sorted, count, .5);
    arena_rewind(making->arena, mark);
    return middle;
}

static void ends_fill(struct making *making)
{
    struct course *course = making->course;
    size_t n = making->count, ends = n < COURSE_LEVEL_RUNS ? n : COURSE_LEVEL_RUNS;
    size_t columns = n < COURSE_SHAPE_MAX ? n : COURSE_SHAPE_MAX;
    course->shape = arena_array(making->arena, struct course_value, columns);
    course->first_level = median_of(making, 0, ends);
    course->last_level = median_of(making, n - ends, ends);
    course->change_pct = percent_of(course->first_level, course->last_level);
    course->matters_from = matters_from(making, course->last_level);
    for (size_t i = 0; i < columns; i++) {
        size_t from = i * n / columns, to = (i + 1) * n / columns;
        course->shape[course->shape_count++].value = median_of(making, from, to - from);
    }
}

/* By the gate's rule, in logarithms as it has them: a measure that may be 0 has none. */
static void outliers_mark(const struct making *making)
{
    const struct course_subject *subject = making->subject;
    struct arena_mark mark = arena_mark(making->arena);
    double *logarithms = arena_array(making->arena, double, making->count);
    struct apart apart;
    bool fits = subject->outlier_pct > 0;
    for (size_t i = 0; i < making->count; i++) {
        fits &= making->values[i] > 0;
        logarithms[i] = fits ? log(making->values[i]) : 0;
    }
    apart_find(logarithms, making->count, log1p(subject->outlier_pct / 100), making->arena, &apart);
    for (size_t i = 0; fits && i < making->count; i++)
        subject->trend->points[making->points[i] - subject->trend->points].outlier =
            apart_is_far(&apart, i);
    arena_rewind(making->arena, mark);
}

/* ---- levels, as they are drawn --------------------------------------------------------------- */

/* Runs [from, end) between two changes. */
struct stretch {
    size_t from, end;
    struct opt_f64 left, right; /* what the changes say; not set: it begins, or ends, the course */
};

/* The last run for a profile that is none of them. */
static size_t place_of(const struct making *making, const char *profile)
{
    size_t i = 0;
    while (i + 1 < making->count && strcmp(making->points[i]->profile_id, profile) != 0)
        i++;
    return i;
}

static void level_add(const struct making *making, size_t from, size_t end, double left,
                      double right)
{
    struct course *course = making->course;
    if (from < end)
        course->levels[course->level_count++] =
            (struct course_level){.from_profile = making->points[from]->profile_id,
                                  .until_profile = making->points[end - 1]->profile_id,
                                  .run_count = (int64_t)(end - from),
                                  .left = left,
                                  .right = right};
}

static void drift_add(const struct making *making, size_t from, size_t end, size_t which,
                      const double ends[2])
{
    struct course *course = making->course;
    size_t before = course->level_count;
    level_add(making, from, end, ends[0], ends[1]);
    if (course->level_count > before)
        course->levels[before].drift = some_i64((int64_t)which);
}

/* The part of a line that all levels share. */
static void shared_add(const struct making *making, const struct stretch *stretch, size_t which)
{
    const struct course_drift *drift = &making->course->drifts[which];
    size_t count = making->count;
    double rate = count > 1 ? (drift->after - drift->before) / (double)(count - 1) : 0;
    double left = stretch->left.set ? stretch->left.value : drift->before;
    double along = left + rate * (double)(stretch->end - 1 - stretch->from);
    drift_add(making, stretch->from, stretch->end, which,
              (const double[]){left, stretch->right.set ? stretch->right.value : along});
}

/* Levels and drifts of their own. */
static void stretch_add(const struct making *making, const struct stretch *stretch)
{
    const struct course *course = making->course;
    size_t at = stretch->from;
    for (size_t i = 0; i < course->drift_count; i++) {
        const struct course_drift *drift = &course->drifts[i];
        size_t from = place_of(making, drift->from_profile),
               end = place_of(making, drift->until_profile) + 1;
        if (!course_drift_is_sure(drift) || from >= stretch->end || end <= at)
            continue;
        if (from == 0 && end == making->count) {
            shared_add(making, stretch, i);
            return;
        }
        from = from > at ? from : at;
        end = end < stretch->end ? end : stretch->end;
        if (from > at) {
            double level = at == stretch->from && stretch->left.set
                               ? stretch->left.value
                               : median_of(making, at, from - at);
            level_add(making, at, from, level, level);
        }
        drift_add(making, from, end, i, (const double[]){drift->before, drift->after});
        at = end;
    }
    if (at == stretch->end)
        return;
    double level = stretch->right.set ? stretch->right.value
                   : at == stretch->from && stretch->left.set
                       ? stretch->left.value
                       : median_of(making, at, stretch->end - at);
    level_add(making, at, stretch->end, level, level);
}

/* By its changes that count and its sure drifts: from change to change, within which a drift of its
 * own stands between levels; where all levels share one, its line goes up and down with their
 * changes. A level without a change is the median of its runs. */
static void levels_fill(const struct making *making)
{
    struct course *course = making->course;
    size_t most = 2 * course->drift_count + course->change_count + 1;
    course->levels = arena_array(making->arena, struct course_level, most);
    struct stretch stretch = {.from = 0};
    for (size_t i = 0; i < course->change_count; i++) {
        const struct course_change *change = &course->changes[i];
        if (!course_change_counts(change))
            continue;
        stretch.end = place_of(making, change->at_profile);
        stretch.right = some_f64(change->before);
        stretch_add(making, &stretch);
        stretch = (struct stretch){.from = stretch.end, .left = some_f64(change->after)};
    }
    stretch.end = making->count;
    stretch_add(making, &stretch);
}

/* ---- a course -------------------------------------------------------------------------------- */

bool course_make(const struct course_subject *subject, struct arena *arena,
                 struct course *ret_course, struct err *err)
{
    const struct comparable *all = subject->runs;
    struct making making = {.subject = subject,
                            .arena = arena,
                            .points = arena_array(arena, const struct trend_point *, all->count),
                            .values = arena_array(arena, double, all->count),
                            .course = ret_course};
    struct course_findings found;
    const struct trend *trend = subject->trend;
    for (size_t i = 0; i < all->count; i++) {
        if (!isfinite(subject->values[i]))
            continue;
        making.points[making.count] = all->points[i];
        making.values[making.count++] = subject->values[i];
    }
    if (making.count == 0)
        return err_set(err, ERR_BUG, "a course of no runs");
    *ret_course = (struct course){
        .workload = trend->workload,
        .branch = trend->branch,
        .measure = trend->measure,
        .unit = trend->unit,
        .op = subject->op,
        .op_name = subject->op_name,
        .series = all->points[0]->series,
        .apart = all->apart,
        .apart_why = all->apart_why,
    };
    const struct trend_point *last = making.points[making.count - 1];
    ret_course->run_count = (int64_t)making.count;
    ret_course->first_utc = making.points[0]->ran_at_utc;
    ret_course->last_utc = last->ran_at_utc;
    ret_course->first_profile = making.points[0]->profile_id;
    ret_course->last_profile = last->profile_id;
    if (!course_find(making.values, making.count, arena, &found, err))
        return false;
    if (found.noise_ratio > 0)
        ret_course->noise_pct = some_f64(100 * found.noise_ratio);
    ret_course->noise = course_noise_grade(ret_course->noise_pct);
    changes_fill(&making, &found);
    drifts_fill(&making, &found);
    ends_fill(&making);
    levels_fill(&making);
    outliers_mark(&making);
    return arena_ok(arena, "a trend", err);
}

/* ---- order ----------------------------------------------------------------------------------- */

/* Ops are ranked by the time that they moved by, all else by percent. */
static double moved_by(const struct course *course)
{
    double moved = course->op != NULL       ? course->last_level - course->first_level
                   : course->change_pct.set ? course->change_pct.value
                                            : 0;
    return fabs(moved);
}

static int course_order(const void *left, const void *right)
{
    const struct course *const *a = left, *const *b = right;
    bool a_moved = course_moved(*a), b_moved = course_moved(*b);
    double a_by = moved_by(*a), b_by = moved_by(*b);
    if (a_moved != b_moved)
        return a_moved ? -1 : 1;
    if (a_by != b_by)
        return a_by > b_by ? -1 : 1;
    return (*a > *b) - (*a < *b);
}

void courses_sort(struct course *courses, size_t count, struct arena *arena)
{
    const struct course **order = arena_array(arena, const struct course *, count);
    struct course *sorted = arena_array(arena, struct course, count);
    for (size_t i = 0; i < count; i++)
        order[i] = &courses[i];
    if (count > 1)
        qsort(order, count, sizeof *order, course_order);
    for (size_t i = 0; i < count; i++)
        sorted[i] = *order[i];
    if (count > 0)
        memcpy(courses, sorted, count * sizeof *courses);
}
