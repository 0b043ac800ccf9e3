/* What each workload has to tell. A change is told by the report in whose period it became one that
 * can be told: the runs of before the period are asked whether they showed it already. */
#include "compare/changes/changes.h"
#include "ops/flow/reports/making.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is only suspected and did not last may never be told; this many runs of the new level at
 * most can still make it one that is. */
enum { SUSPECTED_RUNS_MAX = 20, QUIET_RUNS_MIN = 4, NOISE_RUNS_MIN = 8, GAPS_MAX = 50 };

/* Silent for longer than this many usual intervals, and for a day: it stopped. */
static const double quiet_intervals = 4;
static const int64_t day_us = INT64_C(86400000000);
static const double hour_us = 3600e6;

/* One course of a series, and its changes as places in its runs. */
struct looking {
    struct report_making *making;
    struct report_series *series;
    const struct comparable *runs;
    const struct course *course;
};

static bool failed(const struct report_making *making, struct err *err)
{
    return arena_failed(making->arena, "a report", err);
}

static size_t place_of(const struct comparable *runs, const char *profile)
{
    size_t i = 0;
    while (i + 1 < runs->count && strcmp(runs->points[i]->profile_id, profile) != 0)
        i++;
    return i;
}

/* By hand a report is of what ran in its period. One that comes by itself is of what the ledger
 * learned since the last one: what was captured earlier and taken in late must be told by one, too.
 */
static bool report_is_new(const struct report_making *making, const struct trend_point *point)
{
    const struct report_request *request = making->request;
    return (request->name != NULL ? point->recorded_us : point->ran_us) >= request->since_us;
}

/* ---- changes --------------------------------------------------------------------------------- */

/* What the runs of before the period showed by themselves; `places` are theirs in the course. */
struct seen_before {
    struct course_findings found;
    size_t *places;
};

static bool before_find(const struct looking *looking, struct seen_before *ret_before,
                        struct err *err)
{
    const struct comparable *runs = looking->runs;
    struct arena *scratch = looking->making->scratch;
    double *values = arena_array(scratch, double, runs->count);
    size_t *places = arena_array(scratch, size_t, runs->count), count = 0;
    *ret_before = (struct seen_before){.places = places};
    if (values == NULL || places == NULL)
        return arena_failed(scratch, "a report", err);
    for (size_t i = 0; i < runs->count; i++)
        if (!report_is_new(looking->making, runs->points[i])) {
            values[count] = runs->points[i]->value;
            places[count++] = i;
        }
    return count < CHANGES_VALUES_MIN ||
           course_find(values, count, scratch, &ret_before->found, err);
}

/* Whether they showed a change there, in that direction and as surely. */
static bool was_seen(const struct looking *looking, const struct seen_before *before,
                     const struct course_change *change)
{
    size_t after = place_of(looking->runs, change->after_profile),
           until = place_of(looking->runs, change->until_profile);
    bool up = change->after > change->before, sure = strcmp(change->tier, "confirmed") == 0;
    for (size_t i = 0; i < before->found.shift_count; i++) {
        const struct course_shift *shift = &before->found.shifts[i];
        bool is_there =
            before->places[shift->first] <= until && before->places[shift->last] > after;
        if (is_there && (shift->confirmed || !sure) && up == (shift->after > shift->before))
            return true;
    }
    return false;
}

/* The change that this one takes back; NULL: none. */
static const struct course_change *taken_back(const struct course *course,
                                              const struct course_change *change)
{
    for (size_t i = 0; change->takes_back != NULL && i < course->change_count; i++)
        if (strcmp(course->changes[i].at_profile, change->takes_back) == 0)
            return &course->changes[i];
    return NULL;
}

static bool change_fill(const struct looking *looking, const struct course_change *change,
                        struct report_change *out, struct err *err)
{
    struct report_making *making = looking->making;
    const struct comparable *runs = looking->runs;
    const struct course *course = looking->course;
    struct report_around around = {.runs = runs,
                                   .after = place_of(runs, change->after_profile),
                                   .until = place_of(runs, change->until_profile),
                                   .level_end = runs->count};
    for (size_t i = 0; i < course->change_count; i++) { /* the levels on both sides */
        const struct course_change *other = &course->changes[i];
        if (other == change || !course_change_counts(other))
            continue;
        if (other < change)
            around.level_from = place_of(runs, other->until_profile);
        else if (around.level_end == runs->count)
            around.level_end = place_of(runs, other->after_profile) + 1;
    }
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
        .went_away = change->went_away,
        .entry = keep(making, change->entry),
        .status = keep(making, change->status),
        .course = looking->series->course,
    };
    const struct course_change *taken = taken_back(course, change);
    if (taken != NULL) {
        bool begins = taken->status != NULL && strcmp(taken->status, "confirmed") == 0;
        out->takes_back = keep(making, taken->at_profile);
        out->takes_back_utc = keep(making, taken->at_utc);
        out->takes_back_entry = begins ? keep(making, taken->entry) : NULL;
    }
    bool explained =
        strcmp(out->tier, "confirmed") != 0 || report_ops_explain(making, &around, out, err);
    return explained && (out->until_utc != NULL || failed(making, err));
}

/* What is only suspected is told while it can still become more. One that takes back what was only
 * suspected, too, leaves nothing to tell. */
static bool is_pending(const struct looking *looking, const struct course_change *change)
{
    const struct course *course = looking->course;
    bool withdrawn = change->status != NULL && strcmp(change->status, "withdrawn") == 0;
    size_t runs = looking->runs->count - place_of(looking->runs, change->until_profile);
    const struct course_change *taken = taken_back(course, change);
    if (taken != NULL && strcmp(taken->tier, "confirmed") != 0)
        return false;
    return change == &course->changes[course->change_count - 1] && change->matters && !withdrawn &&
           !change->went_away && course->apart == NULL && runs <= SUSPECTED_RUNS_MAX;
}

static bool changes_take(const struct looking *looking, struct err *err)
{
    struct report_making *making = looking->making;
    struct seen_before before = {0};
    for (size_t i = 0; i < looking->course->change_count; i++) {
        const struct course_change *change = &looking->course->changes[i];
        bool counts = course_change_counts(change);
        if (!counts && !(strcmp(change->tier, "suspected") == 0 && is_pending(looking, change)))
            continue;
        if (before.places == NULL && !before_find(looking, &before, err))
            return false;
        if (was_seen(looking, &before, change))
            continue;
        struct report_change *out = !counts        ? REPORT_ADD(making, suspected, suspected_count)
                                    : change->loss ? REPORT_ADD(making, losses, loss_count)
                                    : change->takes_back != NULL
                                        ? REPORT_ADD(making, recoveries, recovery_count)
                                        : REPORT_ADD(making, improvements, improvement_count);
        if (out == NULL)
            return failed(making, err);
        if (!report_course_add(making, looking->series, err) ||
            !change_fill(looking, change, out, err))
            return false;
    }
    return true;
}

/* ---- drifts and noise ------------------------------------------------------------------------ */

/* Those that go on into the period. */
static bool drifts_take(const struct looking *looking, struct err *err)
{
    struct report_making *making = looking->making;
    for (size_t i = 0; i < looking->course->drift_count; i++) {
        const struct course_drift *drift = &looking->course->drifts[i];
        size_t from = place_of(looking->runs, drift->from_profile),
               until = place_of(looking->runs, drift->until_profile);
        int64_t run_count = (int64_t)(until - from) + 1;
        if (!drift->matters || !course_drift_is_sure(drift) ||
            !report_is_new(making, looking->runs->points[until]))
            continue;
        struct report_drift *out = REPORT_ADD(making, drifts, drift_count);
        if (out == NULL)
            return failed(making, err);
        if (!report_course_add(making, looking->series, err))
            return false;
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
            .course = looking->series->course,
        };
        if (drift->change_pct.set && run_count > 1)
            out->run_pct = some_f64(drift->change_pct.value / (double)(run_count - 1));
        if (out->until_utc == NULL)
            return failed(making, err);
    }
    return true;
}

static bool noise_take(const struct looking *looking, struct err *err)
{
    struct report_making *making = looking->making;
    const struct course *course = looking->course;
    if (course->apart != NULL || !course->noise_pct.set || course->run_count < NOISE_RUNS_MIN)
        return true;
    struct report_noise *out = REPORT_ADD(making, noisiest, noisiest_count);
    if (out == NULL)
        return failed(making, err);
    *out = (struct report_noise){
        .workload = keep(making, course->workload),
        .branch = making->request->branch,
        .series = keep(making, course->series),
        .measure = making->report->measure,
        .noise = course->noise,
        .noise_pct = course->noise_pct.value,
        .run_count = course->run_count,
    };
    return out->series != NULL || failed(making, err);
}

/* ---- what stopped and what began ------------------------------------------------------------- */

static int by_time(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* The median of the last gaps between runs; 0 when there are too few to say. */
static int64_t usual_gap_us(const struct report_series *series)
{
    int64_t gaps[GAPS_MAX];
    size_t count = 0;
    for (size_t i = series->count; i-- > 1 && count < GAPS_MAX;) {
        int64_t gap = series->points[i]->ran_us - series->points[i - 1]->ran_us;
        if (gap > 0)
            gaps[count++] = gap;
    }
    if (count + 1 < QUIET_RUNS_MIN)
        return 0;
    qsort(gaps, count, sizeof *gaps, by_time);
    return gaps[count / 2];
}

/* Only the report in whose period it became too long a silence tells it. */
static bool quiet_take(struct report_making *making, const struct report_series *series,
                       struct err *err)
{
    const struct trend_point *last = series->points[series->count - 1];
    int64_t usual = usual_gap_us(series);
    int64_t patience = (int64_t)(quiet_intervals * (double)usual);
    int64_t over_us = last->ran_us + (patience > day_us ? patience : day_us);
    if (usual == 0 || over_us >= making->request->until_us || over_us < making->request->since_us)
        return true;
    struct report_quiet *out = REPORT_ADD(making, quiet, quiet_count);
    if (out == NULL)
        return failed(making, err);
    *out = (struct report_quiet){
        .workload = keep(making, series->seen->trend->workload),
        .branch = making->request->branch,
        .series = keep(making, series->series),
        .last_profile = keep(making, last->profile_id),
        .last_utc = keep(making, last->ran_at_utc),
        .run_count = (int64_t)series->count,
        .usual_hours = (double)usual / hour_us,
        .silent_hours = (double)(making->request->until_us - last->ran_us) / hour_us,
    };
    return out->last_utc != NULL || failed(making, err);
}

static bool newcomer_take(struct report_making *making, const struct report_series *series,
                          struct err *err)
{
    const struct trend_point *first = series->points[0];
    if (!report_is_new(making, first) || series->seen->trend->point_count >= TRENDS_RUNS)
        return true;
    struct report_newcomer *out = REPORT_ADD(making, newcomers, newcomer_count);
    if (out == NULL)
        return failed(making, err);
    *out = (struct report_newcomer){
        .workload = keep(making, series->seen->trend->workload),
        .branch = making->request->branch,
        .series = keep(making, series->series),
        .first_profile = keep(making, first->profile_id),
        .first_utc = keep(making, first->ran_at_utc),
        .run_count = (int64_t)series->count,
    };
    return out->first_utc != NULL || failed(making, err);
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
    bool is_new = newer != older && report_is_new(making, newer->points[0]);
    return is_new ? newer : NULL;
}

static bool restart_take(struct report_making *making, const struct report_series *series,
                         size_t which, struct err *err)
{
    const struct trends_seen *seen = series->seen;
    const struct comparable *older = &seen->runs->items[which], *newer;
    if (older->apart == NULL || strcmp(seen->courses[which].series, series->series) != 0 ||
        (newer = successor_of(making, series, older)) == NULL)
        return true;
    struct report_restart *out = REPORT_ADD(making, restarts, restart_count);
    if (out == NULL)
        return failed(making, err);
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
    return out->at_utc != NULL || failed(making, err);
}

/* ---- a workload ------------------------------------------------------------------------------ */

static bool series_see(struct report_making *making, struct report_series *series, struct err *err)
{
    const struct trends_seen *seen = series->seen;
    struct trend_report *report = making->report;
    int64_t run_count = 0;
    for (size_t i = 0; i < series->count; i++)
        run_count += report_is_new(making, series->points[i]);
    report->series_count++;
    report->reporting_series_count.value += run_count > 0;
    report->run_count += run_count;
    for (size_t i = 0; i < seen->runs->count; i++) {
        const struct looking looking = {making, series, &seen->runs->items[i], &seen->courses[i]};
        if (strcmp(looking.course->series, series->series) == 0 &&
            (!changes_take(&looking, err) || !drifts_take(&looking, err) ||
             !noise_take(&looking, err)))
            return false;
        if (!restart_take(making, series, i, err))
            return false;
    }
    return quiet_take(making, series, err) && newcomer_take(making, series, err);
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
        if (series.points == NULL)
            return arena_failed(making->scratch, "a report", err);
        for (size_t k = i; k < seen->trend->point_count; k++)
            if (strcmp(seen->trend->points[k].series, name) == 0)
                series.points[series.count++] = &seen->trend->points[k];
        if (!series_see(making, &series, err))
            return false;
    }
    making->report->reporting_workload_count.value += making->report->run_count > runs_before;
    return true;
}
