/* Reads what a report says of a project: whether it is there, its verdicts and alerts. */
#ifndef HISTORY_READING_PROJECT_STATE_H
#define HISTORY_READING_PROJECT_STATE_H

#include "history/db.h"
#include "schema/documents/trend_report.h"

/* Whether the ledger has a project of that name: without a look at what is in it. */
bool ledger_project_is_there(struct db *db, const char *name, bool *ret_there, struct err *err);

/* When its first profile was recorded, here or in the ledger that it came from; not set: it has
 * none. */
bool ledger_project_first(struct db *db, const char *name, struct opt_i64 *ret_recorded_us,
                          struct err *err);

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
