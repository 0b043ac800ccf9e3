/* The gate turned on the past of the series that a report names: what `stepledger canary` says of
 * them, of the newest profile of each run. Of all series it would take longer than the report. */
#include "compare/policy/policy.h"
#include "history/reading/reading.h"
#include "ops/flow/judge/judge.h"
#include "ops/flow/reports/making.h"
#include "ops/runtime/text.h"
#include "schema/documents/measures.h"

#include <string.h>

static const double effects_pct[] = {0, 3};

static bool is_there(const struct trend_report *report, const char *workload, const char *series)
{
    for (size_t i = 0; i < report->canary_count; i++)
        if (strcmp(report->canaries[i].workload, workload) == 0 &&
            strcmp(report->canaries[i].series, series) == 0)
            return true;
    return false;
}

/* Those that a gate would take for its baseline: behind what began it anew. */
static bool past_read(const struct report_making *making, const char *workload, const char *series,
                      struct profile_numbers *ret_ids, struct err *err)
{
    struct trend trend;
    const struct report_request *request = making->request;
    const struct trend_query query = {.project = request->project,
                                      .workload = workload,
                                      .branch = request->branch,
                                      .series = series,
                                      .measure = measure_rows[MEASURE_steady_step_median].name,
                                      .run_limit = CANARY_LAST_RUNS,
                                      .until_us = some_i64(request->until_us),
                                      .as_of_us = some_i64(request->until_us),
                                      .corrected_us = some_i64(making->seen_us)};
    if (!ledger_trend(making->db, &query, making->scratch, &trend, err))
        return false;
    const struct trend_point *newest = &trend.points[trend.point_count - 1];
    int64_t *ids = arena_array(making->scratch, int64_t, trend.point_count);
    size_t count = 0;
    for (size_t i = 0; i < trend.point_count; i++) {
        const struct trend_point *point = &trend.points[i];
        if (!point->archived && text_same(point->rebaseline, newest->rebaseline) &&
            text_same(point->change_point, newest->change_point))
            ids[count++] = trends_number(point->profile_id);
    }
    *ret_ids = (struct profile_numbers){ids, count};
    return true;
}

/* Each profile is of a run of its own, as it was then: which runs a later word made one counts for
 * nothing. */
static void runs_part(const struct report_making *making, struct canary_input *input)
{
    struct gate_profile *profiles =
        arena_array(making->scratch, struct gate_profile, input->profile_count);
    for (size_t i = 0; i < input->profile_count; i++) {
        profiles[i] = input->profiles[i];
        profiles[i].run = NULL;
    }
    input->profiles = profiles;
}

static bool canary_add(struct report_making *making, const char *workload, const char *series,
                       struct err *err)
{
    struct gate_policy policy;
    struct canary_report told;
    struct profile_numbers ids;
    struct err why = {0};
    struct canary_input input = {.project = making->request->project,
                                 .workload = workload,
                                 .series = series,
                                 .branch = making->request->branch,
                                 .runs_a_side = CANARY_RUNS_A_SIDE,
                                 .policy = &policy,
                                 .disjoint = true,
                                 .effects_pct = effects_pct,
                                 .effect_count = sizeof effects_pct / sizeof effects_pct[0]};
    if (is_there(making->report, workload, series))
        return true;
    const struct policy_scope scope = {making->request->project, workload, false};
    gate_policy_default(&policy);
    if (making->policy != NULL &&
        !gate_policy_read(making->policy, &scope, making->scratch, &policy, err))
        return false;
    bool loaded = past_read(making, workload, series, &ids, &why) &&
                  canary_past_load(making->db, ids, making->scratch, &input, &why);
    if (loaded)
        runs_part(making, &input);
    if (!loaded || !canary_run(&input, making->scratch, &told, &why)) {
        *err = why;
        return why.kind == ERR_MISSING; /* too few runs, or none that tells its step time */
    }
    struct report_canary *out = REPORT_ADD(making, canaries, canary_count);
    const struct canary_row *still = &told.rows[0], *moved = &told.rows[1];
    *out = (struct report_canary){.workload = workload,
                                  .series = series,
                                  .run_count = told.run_count,
                                  .window_count = told.window_count,
                                  .false_fail = still->fail,
                                  .false_fail_low = still->fail_low,
                                  .false_fail_high = still->fail_high,
                                  .effect_pct = moved->effect_pct,
                                  .caught = moved->fail};
    return true;
}

bool report_canaries_find(struct report_making *making, struct err *err)
{
    const struct trend_report *report = making->report;
    size_t wanted = (size_t)making->request->canary_count;
    struct report_named named = {0};
    for (size_t i = 0;
         report->canary_count < wanted && (named = report_named_at(report, i)).workload != NULL;
         i++) {
        struct arena_mark mark = arena_mark(making->scratch);
        if (!canary_add(making, named.workload, named.series, err) ||
            !arena_ok(making->scratch, "a report", err))
            return false;
        arena_rewind(making->scratch, mark);
    }
    return true;
}
