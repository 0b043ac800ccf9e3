/* What each workload has to tell. A change is told by the report in whose period it became one that
 * can be told: the runs of before the period are asked whether they showed it already. */
#include "compare/changes/changes.h"
#include "ops/flow/reports/making.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is only suspected and did not last may never be told; this many runs of the new level at
 * most can still make it one that is. */
enum { SUSPECTED_RUNS_MAX = 20, NOISE_RUNS_MIN = 8 };

/* ---- changes --------------------------------------------------------------------------------- */

/* A change of the course, at the run of that profile; NULL: none. */
static const struct course_change *change_at(const struct course *course, const char *profile)
{
    for (size_t i = 0; profile != NULL && i < course->change_count; i++)
        if (strcmp(course->changes[i].at_profile, profile) == 0)
            return &course->changes[i];
    return NULL;
}

/* Its ways back are those of trends. */
static bool ways_fill(const struct report_looking *looking, const struct course_change *change,
                      struct report_change *out, struct err *err)
{
    struct report_making *making = looking->making;
    struct course_change settled;
    if (!ways_settle(looking->ways, change, &settled, err))
        return false;
    const struct course_change *taken = change_at(looking->course, settled.takes_back),
                               *by = change_at(looking->course, settled.undone_by);
    out->went_away = settled.went_away;
    out->rest = settled.rest;
    out->undone = settled.undone;
    if (by != NULL) {
        out->undone_by = keep(making, by->at_profile);
        out->undone_utc = keep(making, by->at_utc);
    }
    if (taken != NULL) {
        bool begins = taken->status != NULL && strcmp(taken->status, "confirmed") == 0;
        out->takes_back = keep(making, taken->at_profile);
        out->takes_back_utc = keep(making, taken->at_utc);
        out->takes_back_entry = begins ? keep(making, taken->entry) : NULL;
    }
    return true;
}

/* The word behind the period's end with which a gate's baseline begins there; NULL: there is none.
 */
static const char *begun_since(const struct report_looking *looking, const struct change_around *at)
{
    const struct report_making *making = looking->making;
    for (size_t i = 0; i < making->said.count; i++) {
        const struct change_mark *mark = &making->said.items[i];
        size_t from = comparable_from(looking->runs, mark);
        if (mark->said_us >= making->request->until_us && mark->measure != NULL &&
            strcmp(mark->status, "confirmed") == 0 &&
            strcmp(mark->measure, looking->course->measure) == 0 &&
            mark->series_id == trends_number(looking->course->series) && from > at->after &&
            from <= at->until)
            return arena_printf(making->arena, "k%" PRId64, mark->id);
    }
    return NULL;
}

/* The change as a report tells it. */
static bool change_fill(const struct report_looking *looking, const struct course_change *change,
                        struct report_change *out, struct err *err)
{
    struct report_making *making = looking->making;
    const struct comparable *runs = looking->runs;
    const struct course *course = looking->course;
    const struct change_around around = trends_around(runs, course, change);
    *out = (struct report_change){
        .workload = keep(making, course->workload),
        .branch = making->request->branch,
        .series = keep(making, course->series),
        .measure = making->report->measure,
        .unit = making->report->unit,
        .tier = change->tier,
        .at_profile = keep(making, change->at_profile),
        .at_utc = keep(making, change->at_utc),
        .after_profile = keep(making, change->after_profile),
        .after_commit = keep(making, change->after_commit),
        .after_utc = keep(making, runs->points[around.after]->ran_at_utc),
        .until_profile = keep(making, change->until_profile),
        .until_commit = keep(making, change->until_commit),
        .until_utc = keep(making, runs->points[around.until]->ran_at_utc),
        .before = change->before,
        .after = change->after,
        .change_pct = change->change_pct,
        .low_pct = change->low_pct,
        .high_pct = change->high_pct,
        .confidence = change->confidence,
        .loss = change->loss,
        .entry = keep(making, change->entry),
        .status = keep(making, change->status),
        .begun_since = begun_since(looking, &around),
    };
    return (strcmp(out->tier, "confirmed") != 0 ||
            trends_explain(making->db, &around, making->scratch, making->arena, out, err)) &&
           ways_fill(looking, change, out, err);
}

/* What is only suspected is told while it can still become more. One that takes back what was only
 * suspected, too, leaves nothing to tell. */
static bool is_pending(const struct report_looking *looking, const struct course_change *change)
{
    const struct course *course = looking->course;
    bool withdrawn = change->status != NULL && strcmp(change->status, "withdrawn") == 0;
    size_t runs = looking->runs->count - comparable_place(looking->runs, change->until_profile);
    const struct course_change *taken = change_at(course, change->takes_back);
    if (taken != NULL && strcmp(taken->tier, "confirmed") != 0)
        return false;
    return change == &course->changes[course->change_count - 1] && change->matters && !withdrawn &&
           !change->went_away && course->apart == NULL && runs <= SUSPECTED_RUNS_MAX;
}

static bool changes_take(const struct report_looking *looking, struct err *err)
{
    struct report_making *making = looking->making;
    for (size_t i = 0; i < looking->course->change_count; i++) {
        const struct course_change *change = &looking->course->changes[i];
        bool counts = course_change_counts(change);
        if (!counts && !(strcmp(change->tier, "suspected") == 0 && is_pending(looking, change)))
            continue;
        if (!report_before_find(looking, err))
            return false;
        bool is_there;
        if (report_shown_before(looking, change, &is_there) != NULL) {
            report_moved_take(looking, change);
            continue;
        }
        struct report_change seen;
        if (!change_fill(looking, change, &seen, err))
            return false;
        struct report_change *out = !counts     ? REPORT_ADD(making, suspected, suspected_count)
                                    : seen.loss ? REPORT_ADD(making, losses, loss_count)
                                    : seen.takes_back != NULL
                                        ? REPORT_ADD(making, recoveries, recovery_count)
                                        : REPORT_ADD(making, improvements, improvement_count);
        report_course_add(making, looking->series);
        *out = seen;
        out->course = looking->series->course;
    }
    return true;
}

/* ---- drifts and noise ------------------------------------------------------------------------ */

/* Those that go on into the period. */
static bool drifts_take(const struct report_looking *looking, struct err *err)
{
    struct report_making *making = looking->making;
    for (size_t i = 0; i < looking->course->drift_count; i++) {
        const struct course_drift *drift = &looking->course->drifts[i];
        size_t from = comparable_place(looking->runs, drift->from_profile),
               until = comparable_place(looking->runs, drift->until_profile);
        int64_t run_count = (int64_t)(until - from) + 1;
        if (!drift->matters || !course_drift_is_sure(drift) ||
            !report_is_new(making, looking->runs->points[until]))
            continue;
        struct report_drift_before before;
        if (!report_drift_find_told(looking, drift, &before, err))
            return false;
        bool goes_on = before.goes_on;
        struct report_drift *out = goes_on ? REPORT_ADD(making, drifting, drifting_count)
                                           : REPORT_ADD(making, drifts, drift_count);
        if (!goes_on)
            report_course_add(making, looking->series);
        *out = (struct report_drift){
            .workload = keep(making, looking->course->workload),
            .branch = making->request->branch,
            .series = keep(making, looking->course->series),
            .measure = making->report->measure,
            .unit = making->report->unit,
            .from_profile = keep(making, drift->from_profile),
            .from_commit = keep(making, drift->from_commit),
            .from_utc = keep(making, drift->from_utc),
            .until_profile = keep(making, drift->until_profile),
            .until_commit = keep(making, drift->until_commit),
            .until_utc = keep(making, drift->until_utc),
            .run_count = run_count,
            .before = drift->before,
            .after = drift->after,
            .change_pct = drift->change_pct,
            .month_pct = drift->month_pct,
            .p = drift->p,
            .loss = drift->loss,
            .course = goes_on ? (struct opt_i64){0} : looking->series->course,
            .has_told = before.is_told,
            .told = before.told,
        };
        if (drift->change_pct.set && run_count > 1)
            out->run_pct = some_f64(drift->change_pct.value / (double)(run_count - 1));
    }
    return true;
}

static void noise_take(const struct report_looking *looking)
{
    struct report_making *making = looking->making;
    const struct course *course = looking->course;
    if (course->apart != NULL || !course->noise_pct.set || course->run_count < NOISE_RUNS_MIN)
        return;
    struct report_noise *out = REPORT_ADD(making, noisiest, noisiest_count);
    *out = (struct report_noise){
        .workload = keep(making, course->workload),
        .branch = making->request->branch,
        .series = keep(making, course->series),
        .measure = making->report->measure,
        .noise = course->noise,
        .noise_pct = course->noise_pct.value,
        .run_count = course->run_count,
    };
}

/* ---- where comparisons end --------------------------------------------------------------------
 */

/* What follows behind the last run of a course of the series that does not go on; NULL: nothing of
 * this period does. Runs that take turns with older ones began before. */
static const struct comparable *successor_of(const struct report_making *making,
                                             const struct report_series *series,
                                             const struct comparable *older)
{
    size_t place = 0;
    while (place < series->count && series->points[place] != older->points[older->count - 1])
        place++;
    if (place + 1 >= series->count)
        return NULL;
    const struct comparable *newer =
        &series->seen->runs->items[report_group_of(series->seen, series->points[place + 1])];
    bool is_new = newer != older && report_all_new(making, newer->points, newer->count);
    return is_new ? newer : NULL;
}

static void restart_take(struct report_making *making, const struct report_series *series,
                         size_t which)
{
    const struct trends_seen *seen = series->seen;
    const struct comparable *older = &seen->runs->items[which], *newer;
    if (older->apart == NULL || strcmp(seen->courses[which].series, series->series) != 0 ||
        (newer = successor_of(making, series, older)) == NULL)
        return;
    struct report_restart *out = REPORT_ADD(making, restarts, restart_count);
    const struct trend_point *last = older->points[older->count - 1], *first = newer->points[0];
    *out = (struct report_restart){
        .workload = keep(making, seen->trend->workload),
        .branch = making->request->branch,
        .series = keep(making, series->series),
        .measure = making->report->measure,
        .unit = making->report->unit,
        .what = keep(making, older->apart),
        .why = report_is_rebaseline(older->apart)
                   ? arena_printf(making->arena, "people set a new baseline (%s)", older->apart)
                   : keep(making, older->apart_why),
        .after_profile = keep(making, last->profile_id),
        .after_commit = keep(making, last->commit),
        .after_utc = keep(making, last->ran_at_utc),
        .at_profile = keep(making, first->profile_id),
        .at_commit = keep(making, first->commit),
        .at_utc = keep(making, first->ran_at_utc),
        .run_count = (int64_t)newer->count,
        .before = seen->courses[which].last_level,
        .after = seen->courses[newer - seen->runs->items].first_level,
    };
    if (out->before > 0)
        out->change_pct = some_f64(100 * (out->after - out->before) / out->before);
}

/* ---- what managers read first: beside the measure that is followed --------------------------- */

enum { MFU_RUNS = 40 }; /* that are read */

static bool is_of_period(const void *making, const struct trend_point *point)
{
    return report_is_of_period(making, point);
}

static bool is_earlier(const void *making, const struct trend_point *point)
{
    return !report_is_of_period(making, point);
}

/* The newest runs that tell it, in the arena. */
static struct trend used_runs(const struct trend *trend, struct arena *arena)
{
    struct trend used = {.points = arena_array(arena, struct trend_point, MFU_RUNS)};
    size_t from = trend->point_count, count = 0;
    while (from > 0 && count < MFU_RUNS)
        count += trend->points[--from].beside.set;
    for (; count > 0 && from < trend->point_count; from++)
        if (trend->points[from].beside.set) {
            used.points[used.point_count] = trend->points[from];
            used.points[used.point_count++].value = trend->points[from].beside.value;
        }
    return used;
}

/* How well the workload's runs of the period used their devices, where they tell. */
static void mfu_take(struct report_making *making, const struct trends_seen *seen)
{
    const struct trend used = used_runs(seen->trend, making->scratch);
    double now = trends_newest_level(&used, is_of_period, making),
           before = trends_newest_level(&used, is_earlier, making);
    if (isnan(now))
        return;
    struct report_mfu *out = REPORT_ADD(making, mfu, mfu_count);
    *out = (struct report_mfu){.workload = keep(making, seen->trend->workload),
                               .branch = making->request->branch,
                               .now = now,
                               .before = isnan(before) ? (struct opt_f64){0} : some_f64(before)};
}

/* ---- a workload ------------------------------------------------------------------------------ */

static bool series_see(struct report_making *making, struct report_series *series, struct err *err)
{
    const struct trends_seen *seen = series->seen;
    struct trend_report *report = making->report;
    int64_t run_count = 0;
    for (size_t i = 0; i < series->count; i++) {
        int64_t ran_us = series->points[i]->order.ran_us;
        if (!report_is_of_period(making, series->points[i]))
            continue;
        run_count++;
        if (making->oldest_us == 0 || ran_us < making->oldest_us)
            making->oldest_us = ran_us;
    }
    report->series_count++;
    report->reporting_series_count.value += run_count > 0;
    report->run_count += run_count;
    for (size_t i = 0; i < seen->runs->count; i++) {
        struct report_before before = {0};
        struct change_ways ways = {.db = making->db,
                                   .runs = &seen->runs->items[i],
                                   .course = &seen->courses[i],
                                   .arena = making->scratch};
        const struct report_looking looking = {making,      series,  ways.runs,
                                               ways.course, &before, &ways};
        ways_init(&ways);
        if (strcmp(looking.course->series, series->series) == 0) {
            if (!changes_take(&looking, err) || !drifts_take(&looking, err))
                return false;
            noise_take(&looking);
        }
        restart_take(making, series, i);
    }
    return report_presence_take(making, series, err);
}

bool report_workload_see(void *context, const struct trends_seen *seen, struct err *err)
{
    struct report_making *making = context;
    const int64_t runs_before = making->report->run_count;
    making->report->workload_count++;
    for (size_t i = 0; i < seen->trend->point_count; i++) {
        const char *name = seen->trend->points[i].series;
        bool is_first = true;
        for (size_t k = 0; k < i && is_first; k++)
            is_first = strcmp(seen->trend->points[k].series, name) != 0;
        if (!is_first)
            continue;
        struct report_series series = {.series = name, .seen = seen};
        series.points =
            arena_array(making->scratch, const struct trend_point *, seen->trend->point_count);
        for (size_t k = i; k < seen->trend->point_count; k++)
            if (strcmp(seen->trend->points[k].series, name) == 0)
                series.points[series.count++] = &seen->trend->points[k];
        if (!series_see(making, &series, err))
            return false;
    }
    making->report->reporting_workload_count.value += making->report->run_count > runs_before;
    mfu_take(making, seen);
    report_elsewhere_take(making, seen);
    report_taken_back_take(making, seen);
    return arena_ok(making->arena, "a report", err);
}
