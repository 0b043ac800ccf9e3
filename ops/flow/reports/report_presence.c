/* Which series stopped reporting, report again, or began to; and what is of the period. */
#include "ops/flow/reports/making.h"

#include <stdlib.h>

enum { QUIET_RUNS_MIN = 4, GAPS_MAX = 50 };

/* Silent for longer than this many usual intervals, and for a day: it stopped. */
static const double quiet_intervals = 4;
static const int64_t day_us = INT64_C(86400000000);
static const double hour_us = 3600e6;

static int64_t told_time(const struct report_making *making, const struct trend_point *point)
{
    return making->request->name != NULL ? point->recorded_us : point->ran_us;
}

bool report_is_of_period(const struct report_making *making, const struct trend_point *point)
{
    return told_time(making, point) >= making->request->since_us;
}

bool report_is_new(const struct report_making *making, const struct trend_point *point)
{
    return told_time(making, point) >= making->new_us;
}

static int by_time(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* The median of the last gaps between the first runs, which need not have been recorded in the
 * order in which they ran; 0 when there are too few to say. */
static bool usual_gap_find(struct report_making *making, const struct report_series *series,
                           size_t runs, int64_t *ret_gap_us, struct err *err)
{
    int64_t gaps[GAPS_MAX], *times = arena_array(making->scratch, int64_t, runs);
    size_t count = 0;
    *ret_gap_us = 0;
    if (times == NULL)
        return arena_failed(making->scratch, "a report", err);
    for (size_t i = 0; i < runs; i++)
        times[i] = series->points[i]->ran_us;
    qsort(times, runs, sizeof *times, by_time);
    for (size_t i = runs; i-- > 1 && count < GAPS_MAX;)
        if (times[i] > times[i - 1])
            gaps[count++] = times[i] - times[i - 1];
    if (count + 1 < QUIET_RUNS_MIN)
        return true;
    qsort(gaps, count, sizeof *gaps, by_time);
    *ret_gap_us = gaps[count / 2];
    return true;
}

/* The one of the first runs that ran last, whenever it was recorded. */
static const struct trend_point *last_run(const struct report_series *series, size_t runs)
{
    const struct trend_point *last = series->points[0];
    for (size_t i = 1; i < runs; i++)
        last = series->points[i]->ran_us >= last->ran_us ? series->points[i] : last;
    return last;
}

/* How long a silence is none yet. */
static int64_t patience_us(int64_t usual_us)
{
    int64_t patience = (int64_t)(quiet_intervals * (double)usual_us);
    return patience > day_us ? patience : day_us;
}

/* The first run of the period, where it came behind too long a silence. */
static bool return_take(struct report_making *making, const struct report_series *series,
                        struct err *err)
{
    size_t at = 0;
    while (at < series->count && !report_is_new(making, series->points[at]))
        at++;
    if (at == 0 || at == series->count)
        return true;
    const struct trend_point *last = last_run(series, at), *first = series->points[at];
    int64_t usual, silent = first->ran_us - last->ran_us;
    if (!usual_gap_find(making, series, at, &usual, err))
        return false;
    if (usual == 0 || silent < patience_us(usual))
        return true;
    struct report_return *out = REPORT_ADD(making, returns, return_count);
    if (out == NULL)
        return arena_failed(making->arena, "a report", err);
    *out = (struct report_return){
        .workload = keep(making, series->seen->trend->workload),
        .branch = making->request->branch,
        .series = keep(making, series->series),
        .last_profile = keep(making, last->profile_id),
        .last_utc = keep(making, last->ran_at_utc),
        .first_profile = keep(making, first->profile_id),
        .first_utc = keep(making, first->ran_at_utc),
        .silent_hours = (double)silent / hour_us,
    };
    return out->first_utc != NULL || arena_failed(making->arena, "a report", err);
}

/* Only the report in whose period it became too long a silence tells it. */
static bool quiet_take(struct report_making *making, const struct report_series *series,
                       struct err *err)
{
    const struct trend_point *last = last_run(series, series->count);
    int64_t usual;
    if (!usual_gap_find(making, series, series->count, &usual, err))
        return false;
    int64_t over_us = last->ran_us + patience_us(usual);
    if (usual == 0 || over_us >= making->request->until_us || over_us < making->new_us)
        return true;
    struct report_quiet *out = REPORT_ADD(making, quiet, quiet_count);
    if (out == NULL)
        return arena_failed(making->arena, "a report", err);
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
    return out->last_utc != NULL ? report_size_find(making, series, true, &out->other_size, err)
                                 : arena_failed(making->arena, "a report", err);
}

static bool newcomer_take(struct report_making *making, const struct report_series *series,
                          struct err *err)
{
    const struct trend_point *first = series->points[0];
    if (!report_is_new(making, first) || series->seen->trend->point_count >= TRENDS_RUNS)
        return true;
    struct report_newcomer *out = REPORT_ADD(making, newcomers, newcomer_count);
    if (out == NULL)
        return arena_failed(making->arena, "a report", err);
    *out = (struct report_newcomer){
        .workload = keep(making, series->seen->trend->workload),
        .branch = making->request->branch,
        .series = keep(making, series->series),
        .first_profile = keep(making, first->profile_id),
        .first_utc = keep(making, first->ran_at_utc),
        .run_count = (int64_t)series->count,
    };
    return out->first_utc != NULL ? report_size_find(making, series, false, &out->other_size, err)
                                  : arena_failed(making->arena, "a report", err);
}

/* As trends count them: runs that ran before the newest of those that stand ahead of them. */
bool report_disorder_take(struct report_making *making, const struct report_series *series,
                          struct err *err)
{
    int64_t newest_us = INT64_MIN, late = 0;
    bool is_of_period = false;
    for (size_t i = 0; i < series->count; i++) {
        bool is_late = series->points[i]->ran_us < newest_us;
        late += is_late;
        is_of_period |= is_late && report_is_new(making, series->points[i]);
        newest_us = is_late ? newest_us : series->points[i]->ran_us;
    }
    if (!is_of_period && (late == 0 || !series->course.set))
        return true;
    struct report_disorder *out = REPORT_ADD(making, disorders, disorder_count);
    if (out == NULL)
        return arena_failed(making->arena, "a report", err);
    *out = (struct report_disorder){
        .workload = keep(making, series->seen->trend->workload),
        .branch = making->request->branch,
        .series = keep(making, series->series),
        .run_count = late,
        .of_count = (int64_t)series->count,
        .told = series->course.set,
        .next = "take captures in oldest first; for the levels of those that are there, ingest "
                "them in that order into a project of their own",
    };
    return out->series != NULL || arena_failed(making->arena, "a report", err);
}

bool report_presence_take(struct report_making *making, const struct report_series *series,
                          struct err *err)
{
    return quiet_take(making, series, err) && return_take(making, series, err) &&
           newcomer_take(making, series, err);
}
