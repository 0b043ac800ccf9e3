/* How well the devices were used: what managers read first. Of workloads whose runs tell it, beside
 * the measure that is followed. */
#include "ops/flow/reports/making.h"

#include <math.h>

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

void report_mfu_take(struct report_making *making, const struct trends_seen *seen)
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
