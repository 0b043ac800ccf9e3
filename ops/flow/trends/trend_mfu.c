/* Levels of a measure by the newest runs, and MFU on both sides of the newest change. */
#include "ops/flow/trends/trend_mfu.h"

#include "compare/statistics/statistics.h"
#include "ops/flow/trends/trends.h"

#include <math.h>
#include <string.h>

double trends_newest_level(const struct trend *trend,
                           bool (*is_of)(const void *context, const struct trend_point *point),
                           const void *context)
{
    double values[COURSE_LEVEL_RUNS];
    size_t count = 0;
    for (size_t i = trend->point_count; i-- > 0 && count < COURSE_LEVEL_RUNS;)
        if (is_of(context, &trend->points[i]))
            values[count++] = trend->points[i].value;
    stats_sort(values, count);
    return count > 0 ? stats_quantile(values, count, .5) : NAN;
}

/* Runs of a series on one side of a change, from one to another. */
struct side {
    const char *series;
    struct run_order from, until;
};

static bool is_of_side(const void *context, const struct trend_point *point)
{
    const struct side *side = context;
    return strcmp(point->series, side->series) == 0 &&
           run_order_compare(point->order, side->from) >= 0 &&
           run_order_compare(point->order, side->until) <= 0;
}

/* Where the run of a profile of the trend stands. */
static struct run_order order_of(const struct trend *trend, const char *profile)
{
    size_t place = trend_point_find(trend, profile);
    return trend->points[place < trend->point_count ? place : trend->point_count - 1].order;
}

void trend_mfu_fill(const struct trend *used, struct trend *trend)
{
    static const struct run_order first = {INT64_MIN, 0}, last = {INT64_MAX, 0};
    struct side now = {trend->points[trend->point_count - 1].series, first, last};
    struct side before = {now.series, first, first};
    if (trend->has_newest && strcmp(trend->newest.series, now.series) == 0) {
        now.from = order_of(trend, trend->newest.until_profile);
        before.until = order_of(trend, trend->newest.after_profile);
    }
    double level = trends_newest_level(used, is_of_side, &now);
    double earlier = trends_newest_level(used, is_of_side, &before);
    trend->has_mfu = !isnan(level);
    trend->mfu = (struct report_mfu){
        .workload = trend->workload,
        .branch = trend->branch,
        .now = level,
        .before = isnan(earlier) ? (struct opt_f64){0} : some_f64(earlier),
    };
}
