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
    return making->request->name != NULL ? point->recorded_us : point->order.ran_us;
}

bool report_is_of_period(const struct report_making *making, const struct trend_point *point)
{
    return told_time(making, point) >= making->request->since_us;
}

bool report_is_new(const struct report_making *making, const struct trend_point *point)
{
    return told_time(making, point) >= making->new_us;
}

bool report_all_new(const struct report_making *making, const struct trend_point *const *points,
                    size_t count)
{
    size_t i = 0;
    while (i < count && report_is_new(making, points[i]))
        i++;
    return i == count;
}

static int by_length(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* The median of the last gaps between the first runs; 0 when there are too few to say. */
static int64_t usual_gap_us(const struct report_series *series, size_t runs)
{
    int64_t gaps[GAPS_MAX];
    size_t count = 0;
    for (size_t i = runs; i-- > 1 && count < GAPS_MAX;) {
        int64_t gap = series->points[i]->order.ran_us - series->points[i - 1]->order.ran_us;
        if (gap > 0)
            gaps[count++] = gap;
    }
    if (count + 1 < QUIET_RUNS_MIN)
        return 0;
    qsort(gaps, count, sizeof *gaps, by_length);
    return gaps[count / 2];
}

/* How long a silence is none yet. */
static int64_t patience_us(int64_t usual_us)
{
    int64_t patience = (int64_t)(quiet_intervals * (double)usual_us);
    return patience > day_us ? patience : day_us;
}

/* The first run of the period behind those that were there, where it came behind too long a
 * silence; what comes late and ran within it ends it earlier. */
static void return_take(struct report_making *making, const struct report_series *series)
{
    size_t at = series->count;
    while (at > 0 && report_is_new(making, series->points[at - 1]))
        at--;
    if (at == 0 || at == series->count)
        return;
    const struct trend_point *last = series->points[at - 1], *first = series->points[at];
    int64_t usual = usual_gap_us(series, at), silent = first->order.ran_us - last->order.ran_us;
    if (usual == 0 || silent < patience_us(usual))
        return;
    struct report_return *out = REPORT_ADD(making, returns, return_count);
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
}

/* Only the report in whose period it became too long a silence tells it. */
static bool quiet_take(struct report_making *making, const struct report_series *series,
                       struct err *err)
{
    const struct trend_point *last = series->points[series->count - 1];
    int64_t usual = usual_gap_us(series, series->count);
    int64_t over_us = last->order.ran_us + patience_us(usual);
    if (usual == 0 || over_us >= making->request->until_us || over_us < making->new_us)
        return true;
    struct report_quiet *out = REPORT_ADD(making, quiet, quiet_count);
    *out = (struct report_quiet){
        .workload = keep(making, series->seen->trend->workload),
        .branch = making->request->branch,
        .series = keep(making, series->series),
        .last_profile = keep(making, last->profile_id),
        .last_utc = keep(making, last->ran_at_utc),
        .run_count = (int64_t)series->count,
        .usual_hours = (double)usual / hour_us,
        .silent_hours = (double)(making->request->until_us - last->order.ran_us) / hour_us,
    };
    return report_size_find(making, series, true, &out->other_size, err);
}

static bool newcomer_take(struct report_making *making, const struct report_series *series,
                          struct err *err)
{
    const struct trend_point *first = series->points[0];
    if (!report_all_new(making, series->points, series->count) ||
        series->seen->trend->point_count >= TRENDS_RUNS)
        return true;
    struct report_newcomer *out = REPORT_ADD(making, newcomers, newcomer_count);
    *out = (struct report_newcomer){
        .workload = keep(making, series->seen->trend->workload),
        .branch = making->request->branch,
        .series = keep(making, series->series),
        .first_profile = keep(making, first->profile_id),
        .first_utc = keep(making, first->ran_at_utc),
        .run_count = (int64_t)series->count,
    };
    return report_size_find(making, series, false, &out->other_size, err);
}

bool report_presence_take(struct report_making *making, const struct report_series *series,
                          struct err *err)
{
    return_take(making, series);
    return quiet_take(making, series, err) && newcomer_take(making, series, err);
}
