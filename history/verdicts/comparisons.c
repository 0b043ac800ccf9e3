/* Writes comparisons: what is not known is NULL. */
#include "history/verdicts/comparisons.h"

#include "history/chain/chain.h"

#include <inttypes.h>
#include <stdio.h>

enum { METHOD_BYTES = 200 };

struct compared {
    const char *name, *unit, *status, *method;
    struct opt_f64 before, after, delta, limit;
};

static void row_write(struct copy *copy, int64_t verdict_id, const struct compared *compared,
                      const struct verdict_statistics *statistics)
{
    int32_t ordinal = (int32_t)copy->rows;
    copy_row(copy);
    copy_i64(copy, verdict_id);
    copy_i32(copy, ordinal);
    copy_text(copy, compared->name);
    copy_text(copy, compared->unit);
    copy_opt_f64(copy, compared->before);
    copy_opt_f64(copy, compared->after);
    copy_opt_f64(copy, compared->delta);
    copy_opt_f64(copy, compared->limit);
    copy_text(copy, compared->status);
    copy_text(copy, compared->method);
    copy_opt_f64(copy, statistics->estimate_pct);
    copy_opt_f64(copy, statistics->ci_low_pct);
    copy_opt_f64(copy, statistics->ci_high_pct);
    copy_opt_f64(copy, statistics->p);
    copy_opt_f64(copy, statistics->run_sd_pct);
    copy_opt_f64(copy, statistics->mde_pct);
}

static void step_write(struct copy *copy, int64_t verdict_id, const struct verdict *verdict)
{
    char method[METHOD_BYTES];
    struct opt_f64 before = verdict->baseline.step_median_us;
    struct opt_f64 after = verdict->candidate.step_median_us;
    (void)snprintf(method, sizeof method, "%.150s.v%" PRId64,
                   verdict->rule_id == NULL ? "none" : verdict->rule_id, verdict->rule_version);
    const struct compared step = {
        .name = "step_time",
        .unit = "us",
        .status = verdict_status_names[verdict->status],
        .method = method,
        .before = before,
        .after = after,
        .delta = {before.set && after.set, after.value - before.value},
    };
    row_write(copy, verdict_id, &step, &verdict->statistics);
}

static void measure_write(struct copy *copy, int64_t verdict_id,
                          const struct verdict_measure *measure)
{
    static const struct verdict_statistics none;
    const struct compared compared = {
        .name = measure->name,
        .unit = measure->unit,
        .status = measure->status == NULL ? "unknown" : measure->status,
        .method = "limit",
        .before = measure->before,
        .after = measure->after,
        .delta = measure->delta,
        .limit = measure->limit,
    };
    row_write(copy, verdict_id, &compared, &none);
}

bool comparisons_append(struct db *db, int64_t verdict_id, const struct verdict *verdict,
                        struct err *err)
{
    struct copy copy;
    struct section_digest ignored;
    scoped_pipeline pipeline = {0};
    if (!pipeline_begin(&pipeline, db, err) || !copy_begin_arrays(&copy, Q_comparisons_add, err))
        return false;
    step_write(&copy, verdict_id, verdict);
    for (size_t i = 0; i < verdict->measure_count; i++)
        measure_write(&copy, verdict_id, &verdict->measures[i]);
    return copy_end_arrays(&copy, &pipeline, &ignored, err) && pipeline_run(&pipeline, err);
}
