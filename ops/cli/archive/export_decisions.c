/* Writes decisions: they name profiles and verdicts as the lines before them do. */
#include "ops/cli/archive/export_decisions.h"

#include "history/alert/alert.h"
#include "history/reports/reports.h"
#include "ops/runtime/json.h"

static bool decision_write(struct export *export, json_t *line, const struct origin *origin,
                           struct err *err)
{
    export->manifest.end.decisions++;
    return export_recorded(export, line, origin, err);
}

static bool acceptance_write(struct export *export, const struct acceptance_row *row,
                             struct err *err)
{
    return decision_write(export,
                          json_pack("{ss, so, so, so}", "type", "acceptance", "verdict",
                                    export_name('v', row->entry.verdict_id), "change_key",
                                    json_text(row->entry.change_key), "reason",
                                    json_text(row->entry.reason)),
                          &row->entry.origin, err);
}
EXPORT_PAGES(acceptances_write, acceptance_page, acceptances_after, acceptance_write)

static bool rebaseline_write(struct export *export, const struct rebaseline_row *entry,
                             struct err *err)
{
    return decision_write(export,
                          json_pack("{ss, so, so}", "type", "rebaseline", "after",
                                    export_name('p', entry->after_profile_id), "reason",
                                    json_text(entry->reason)),
                          &entry->origin, err);
}
EXPORT_PAGES(rebaselines_write, rebaseline_page, rebaselines_after, rebaseline_write)

static bool change_point_write(struct export *export, const struct change_point_entry *point,
                               struct err *err)
{
    return decision_write(
        export,
        json_pack("{ss, so, so, ss, so, so, so, so}", "type", "change_point", "profile",
                  export_name('p', point->at_profile_id), "measure", json_text(point->measure),
                  "status", change_point_status_names[point->status], "before",
                  json_number(point->before), "after", json_number(point->after), "method",
                  json_text(point->method), "evidence", json_text(point->evidence)),
        &point->origin, err);
}
EXPORT_PAGES(change_points_write, change_point_page, change_points_after, change_point_write)

static bool report_write(struct export *export, const struct report_row *report, struct err *err)
{
    return decision_write(
        export, json_pack("{ss, so}", "type", "report", "document", json_text(report->document)),
        &report->origin, err);
}
EXPORT_PAGES(reports_write, report_page, ledger_reports_after, report_write)

bool export_decisions(struct export *export, struct err *err)
{
    return acceptances_write(export, err) && rebaselines_write(export, err) &&
           change_points_write(export, err) && reports_write(export, err);
}
