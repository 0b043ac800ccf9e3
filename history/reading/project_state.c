/* Implements the reading of a project's state. */
#include "history/reading/project_state.h"

#include "history/client/client.h"
#include "ops/runtime/clock.h"
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
    if (report->verdicts == NULL)
        return arena_failed(arena, "a report", err);
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
    if (report->alerts == NULL)
        return arena_failed(arena, "a report", err);
    for (int row = 0; row < PQntuples(rows); row++) {
        if (!text_fits_patterns(query->workloads, result_text(rows, row, C_report_alerts_workload)))
            continue;
        char moved[CLOCK_ISO_BYTES];
        struct report_alert *alert = &report->alerts[report->alert_count++];
        alert->moved_at_utc = arena_strdup(
            arena, clock_iso(result_wall_us(rows, row, C_report_alerts_moved_at), moved));
        if (alert->moved_at_utc == NULL ||
            !result_copy_text(rows, row, C_report_alerts_alert, arena, &alert->alert) ||
            !result_copy_text(rows, row, C_report_alerts_status, arena, &alert->status) ||
            !result_copy_text(rows, row, C_report_alerts_workload, arena, &alert->workload) ||
            !result_copy_text(rows, row, C_report_alerts_series, arena, &alert->series) ||
            !result_copy_text(rows, row, C_report_alerts_branch, arena, &alert->branch) ||
            !result_copy_text(rows, row, C_report_alerts_verdict, arena, &alert->verdict))
            return arena_failed(arena, "a report", err);
    }
    return true;
}
