/* A report of trends as an artifact: its name, and what it says in numbers. */
#include "alerts/wandb/wandb_publication.h"
#include "ops/runtime/json.h"
#include "schema/documents/trend_report.h"

const char wandb_report_type[] = "trend_report";
const char wandb_report_job[] = "trend-report-publish";

const char *wandb_report_name(const struct trend_report *report, struct arena *arena)
{
    const char *name = arena_printf(arena, "trend-report-%s-%s", report->project,
                                    report->name != NULL ? report->name : "by-hand");
    return wandb_name_fit(name, arena);
}

/* The counts beside members of its own. */
static json_t *counted(json_t *object, const struct trend_report *report)
{
    const struct {
        const char *name;
        size_t count;
    } counts[] = {
        {"report_losses", report->loss_count},
        {"report_improvements", report->improvement_count},
        {"report_recoveries", report->recovery_count},
        {"report_suspected", report->suspected_count},
        {"report_drifts", report->drift_count},
        {"report_stopped", report->quiet_count},
        {"report_open_alerts", report->alert_count},
        {"report_runs", (size_t)report->run_count},
    };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        (void)json_object_set_new(object, counts[i].name,
                                  json_integer((json_int_t)counts[i].count));
    return object;
}

json_t *wandb_report_metadata(const struct trend_report *report)
{
    const char *headline = report->headlines.count > 0 ? report->headlines.items[0] : NULL;
    json_t *object =
        json_pack("{s:s, s:o, s:o, s:o, s:o, s:s, s:s, s:s, s:o, s:b}", "schema_version",
                  report->schema_version, "report", json_text(report->report), "report_name",
                  json_text(report->name), "ledger_project", json_text(report->project), "branch",
                  json_text(report->branch), "measure", report->measure, "since_utc",
                  report->since_utc, "until_utc", report->until_utc, "headline",
                  json_text(headline), "nothing_new", (int)report->nothing_new);
    return counted(object, report);
}

json_t *wandb_report_metrics(const struct trend_report *report)
{
    return counted(json_object(), report);
}
