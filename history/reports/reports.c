/* Implements the appending and reading of reports. */
#include "history/reports/reports.h"

#include "history/chain/chain.h"
#include "history/client/client.h"
#include "history/profiles/profiles.h"
#include "ops/runtime/json.h"

#include <inttypes.h>
#include <string.h>

enum { PAGE = 1 }; /* a document is megabytes */

static const struct row_kind reports = {ROWS(Q_report_page, struct report_row, "a report", id,
                                             document, origin.recorded_at_utc, origin.by),
                                        .limit = PAGE};

static const struct row_kind drift_told = {ROWS(Q_report_drift_told, struct report_drift_told,
                                                "what was told of a drift", report, until_utc,
                                                before, after)};

static const struct row_kind told = {
    ROWS(Q_report_told, struct report_told, "what was told of corrected runs", report, workload,
         series, at_profile, at_commit, at_utc, before, after, run_count, action, reason)};

bool ledger_append_report_within(struct db *db, const struct report_entry *entry, int64_t *ret_id,
                                 struct err *err)
{
    int64_t project_id;
    scoped_result *added = NULL;
    *ret_id = 0;
    const struct trend_report *report = entry->report;
    if (!project_find_or_add(db, report->project, &project_id, err) ||
        !query_run(
            db, Q_report_add,
            ARGS(project_id, report->name, report->since_utc, report->until_utc, entry->document),
            &added, err))
        return false;
    if (PQntuples(added) == 0)
        return true;
    *ret_id = result_i64(added, 0, C_report_add_id);
    return added_due(db, ENTRY_REPORT, added, &entry->origin, NULL, err);
}

bool ledger_load_report(struct db *db, int64_t id, struct arena *arena,
                        struct trend_report *ret_report, struct err *err)
{
    scoped_result *found = NULL;
    const char *name = arena_printf(arena, "%s%" PRId64, entry_kinds[ENTRY_REPORT].prefix, id);
    if (!query_run(db, Q_report_load, ARGS(id), &found, err))
        return false;
    if (PQntuples(found) == 0)
        return err_set(err, ERR_MISSING, "the ledger holds no report %s (`list reports`)", name);
    const char *document = result_text(found, 0, C_report_load_document);
    scoped_json *root = json_parse(document, strlen(document), name, err);
    if (root == NULL || !recorded_check_whole(db, ENTRY_REPORT, id, err) ||
        !trend_report_from_json(root, name, arena, ret_report, err))
        return false;
    ret_report->report = name;
    return true;
}

bool ledger_report_last(struct db *db, const char *project, const char *name,
                        struct opt_i64 *ret_until_us, struct err *err)
{
    scoped_result *found = NULL;
    if (!query_run(db, Q_report_last, ARGS(project, name), &found, err))
        return false;
    *ret_until_us = (struct opt_i64){0};
    if (PQntuples(found) > 0)
        *ret_until_us = some_i64(result_wall_us(found, 0, C_report_last_until_at));
    return true;
}

bool ledger_report_before(struct db *db, struct trend_report *report, struct arena *arena,
                          struct err *err)
{
    scoped_result *found = NULL;
    if (!query_run(db, Q_report_before,
                   ARGS(report->project, report->name, report->since_utc, report->until_utc,
                        report->measure, report->branch, report->workloads),
                   &found, err))
        return false;
    report->told_by = report->told_until_utc = NULL;
    if (PQntuples(found) == 0)
        return true;
    report->told_by =
        result_name(found, 0, C_report_before_id, entry_kinds[ENTRY_REPORT].prefix, arena);
    report->told_until_utc = result_copy_time(found, 0, C_report_before_until_at, arena);
    return true;
}

bool ledger_report_drift_told(struct db *db, const struct report_drift_query *query,
                              struct arena *arena, struct report_drift_told *ret_told,
                              bool *ret_found, struct err *err)
{
    const struct trend_report *report = query->report;
    return row_find(db, &drift_told,
                    ARGS(report->project, report->name, report->until_utc, report->measure,
                         report->branch, report->workloads, query->series, query->from_utc,
                         query->until_utc, query->rises),
                    arena, (struct row_found){ret_told, ret_found}, err);
}

bool ledger_report_told(struct db *db, const struct trend_report *report, struct report_span span,
                        struct arena *arena, struct report_told_list *ret_list, struct err *err)
{
    return rows_read(db, &told,
                     ARGS(report->project, report->name, report->until_utc, report->measure,
                          report->branch, report->workloads, span.from_us, span.until_us,
                          report->made_at_utc),
                     arena, ret_list, err);
}

bool ledger_reports_after(struct db *db, int64_t after_id, struct arena *arena,
                          struct report_page *ret_page, struct err *err)
{
    return rows_after(db, &reports, after_id, arena, ret_page, err);
}

bool ledger_report_count(struct db *db, const char *project, const char *document,
                         int64_t *ret_count, struct err *err)
{
    return query_number(db, Q_report_count, ARGS(project, document), ret_count, err);
}
