/* How well the devices were used: what managers read first. Of workloads whose runs tell it. */
#include "ops/flow/reports/making.h"
#include "schema/documents/measures.h"

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

bool report_mfu_take(struct report_making *making, const struct trends_seen *seen, struct err *err)
{
    const struct report_request *request = making->request;
    struct trend trend;
    const struct trend_query query = {
        .project = request->project,
        .workload = seen->trend->workload,
        .branch = request->branch,
        .measure = measure_rows[MEASURE_mfu].name,
        .run_limit = MFU_RUNS,
        .until_us = some_i64(request->until_us),
        .as_of_us = some_i64(request->until_us),
        .corrected_us = some_i64(making->seen_us),
    };
    if (!ledger_trend(making->db, &query, making->scratch, &trend, err))
        return err->kind == ERR_MISSING;
    double now = trends_newest_level(&trend, is_of_period, making),
           before = trends_newest_level(&trend, is_earlier, making);
    if (isnan(now))
        return true;
    struct report_mfu *out = REPORT_ADD(making, mfu, mfu_count);
    if (out == NULL)
        return arena_failed(making->arena, "a report", err);
    *out = (struct report_mfu){.workload = keep(making, seen->trend->workload),
                               .branch = request->branch,
                               .now = now,
                               .before = isnan(before) ? (struct opt_f64){0} : some_f64(before)};
    return out->workload != NULL || arena_failed(making->arena, "a report", err);
}
