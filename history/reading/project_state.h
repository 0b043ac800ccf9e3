/* Reads what a report says of a project's verdicts and alerts. */
#ifndef HISTORY_READING_PROJECT_STATE_H
#define HISTORY_READING_PROJECT_STATE_H

#include "history/db.h"
#include "schema/documents/trend_report.h"

struct report_query {
    const char *project;
    const char *workloads;      /* patterns; NULL = all */
    int64_t since_us, until_us; /* the period */
};

/* Fills the report's verdicts: those that were made in the period, by status. ERR_LIMIT. */
bool ledger_report_verdicts(struct db *db, const struct report_query *query, struct arena *arena,
                            struct trend_report *report, struct err *err);

/* Fills its alerts: those that stood at the period's end. ERR_LIMIT. */
bool ledger_report_alerts(struct db *db, const struct report_query *query, struct arena *arena,
                          struct trend_report *report, struct err *err);

#endif
