/* How well the devices were used: what managers read first. Of workloads whose runs tell it. */
#include "compare/statistics/statistics.h"
#include "ops/flow/reports/making.h"
#include "schema/documents/measures.h"

#include <math.h>

enum { MFU_RUNS = 40, LEVEL_RUNS = 7 }; /* that are read, and of which a median is taken */

/* The median of the newest runs that are new, or that are not; NAN: there is none. */
static double level_of(const struct report_making *making, const struct trend *trend, bool is_new)
{
    double values[LEVEL_RUNS];
    size_t count = 0;
    for (size_t i = trend->point_count; i-- > 0 && count < LEVEL_RUNS;)
        if (report_is_new(making, &trend->points[i]) == is_new)
            values[count++] = trend->points[i].value;
    stats_sort(values, count);
    return count > 0 ? stats_quantile(values, count, .5) : NAN;
}

bool report_mfu_take(struct report_making *making, const struct trends_seen *seen, struct err *err)
{
    const struct report_request *request = making->request;
    struct trend trend;
    struct err why = {0};
    const struct trend_query query = {
        .project = request->project,
        .workload = seen->trend->workload,
        .branch = request->branch,
        .measure = measure_rows[MEASURE_mfu].name,
        .run_limit = MFU_RUNS,
        .until_us = some_i64(request->until_us),
        .as_of_us = some_i64(request->until_us),
        .corrected_us = some_i64(request->made_us),
    };
    if (!ledger_trend(making->db, &query, making->scratch, &trend, &why)) {
        *err = why;
        return why.kind == ERR_MISSING;
    }
    double now = level_of(making, &trend, true), before = level_of(making, &trend, false);
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
