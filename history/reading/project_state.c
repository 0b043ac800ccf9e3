/* Implements the reading of a project's state. */
#include "history/reading/project_state.h"

#include "history/client/client.h"
#include "ops/runtime/text.h"
#include "schema/documents/verdict.h"

#include <string.h>

bool ledger_project_is_there(struct db *db, const char *name, bool *ret_there, struct err *err)
{
    scoped_result *found = NULL;
    if (!query_run(db, Q_project_find, ARGS(name), &found, err))
        return false;
    *ret_there = PQntuples(found) > 0;
    return true;
}

bool ledger_project_first(struct db *db, const char *name, struct opt_i64 *ret_recorded_us,
                          struct err *err)
{
    scoped_result *found = NULL;
    if (!query_run(db, Q_project_first, ARGS(name), &found, err))
        return false;
    *ret_recorded_us = PQntuples(found) == 0
                           ? (struct opt_i64){0}
                           : some_i64(result_wall_us(found, 0, C_project_first_recorded_at));
    return true;
}

bool ledger_report_verdicts(struct db *db, const struct report_query *query, struct arena *arena,
                            struct trend_report *report, struct err *err)
{
    scoped_result *rows = NULL;
    report->verdicts = arena_array(arena, struct report_count, VERDICT_STATUS_COUNT);
    if (!query_run(db, Q_report_verdicts, ARGS(query->project, query->since_us, query->until_us),
                   &rows, err))
        return false;
    for (int status = 0; status < VERDICT_STATUS_COUNT; status++) {
        struct report_count *count = &report->verdicts[report->verdict_count++];
        *count = (struct report_count){verdict_status_names[status], 0};
        for (int row = 0; row < PQntuples(rows); row++)
            if (strcmp(result_text(rows, row, C_report_verdicts_status), count->status) == 0 &&
                text_fits_patterns(query->workloads,
                                   result_text(rows, row, C_report_verdicts_workload)))
                count->count += result_i64(rows, row, C_report_verdicts_verdicts);
    }
    return true;
}

bool ledger_report_alerts(struct db *db, const struct report_query *query, struct arena *arena,
                          struct trend_report *report, struct err *err)
{
    scoped_result *rows = NULL;
    if (!query_run(db, Q_report_alerts, ARGS(query->project, query->until_us), &rows, err))
        return false;
    report->alerts = arena_array(arena, struct report_alert, (size_t)PQntuples(rows));
    for (int row = 0; row < PQntuples(rows); row++) {
        if (!text_fits_patterns(query->workloads, result_text(rows, row, C_report_alerts_workload)))
            continue;
        report->alerts[report->alert_count++] = (struct report_alert){
            .moved_at_utc = result_copy_time(rows, row, C_report_alerts_moved_at, arena),
            .alert = result_copy_text(rows, row, C_report_alerts_alert, arena),
            .status = result_copy_text(rows, row, C_report_alerts_status, arena),
            .workload = result_copy_text(rows, row, C_report_alerts_workload, arena),
            .series = result_copy_text(rows, row, C_report_alerts_series, arena),
            .branch = result_copy_text(rows, row, C_report_alerts_branch, arena),
            .verdict = result_copy_text(rows, row, C_report_alerts_verdict, arena),
        };
        if (!arena_ok(arena, "a report", err))
            return false;
    }
    return true;
}
