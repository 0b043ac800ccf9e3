/* What moved in a project in a period, as trends and the gate see it: the making of
 * schema/documents/trend_report.h. */
#ifndef OPS_FLOW_REPORTS_REPORTS_H
#define OPS_FLOW_REPORTS_REPORTS_H

#include "history/db.h"
#include "ops/flow/reports/report_issue.h"
#include "ops/flow/reports/report_sections.h"
#include "schema/documents/trend_report.h"

struct report_request {
    const char *name; /* of its section of the configuration; NULL = made by hand */
    const char *project;
    const char *workloads; /* patterns, comma-separated; NULL = all */
    const char *branch;    /* NULL = all */
    const char *measure;   /* of schema/documents/measures.h */
    const char *policy;    /* file that says which runs can be compared; NULL or "" = the default */
    const char *repository;     /* that knows the commits: the folder of a clone, or an address of
                                   a forge; NULL = none */
    const struct conf *conf;    /* says how that forge is asked */
    int64_t since_us, until_us; /* the period; the report is as of its end */
    int64_t made_us;
    int canary_count;                /* series on whose past the gate is turned; 0 = none */
    const struct trend_report *kept; /* made before, of the same period: commits are as it has them;
                                        NULL = the repository is asked */
};

/* When the period ("day", "week", "month": of the calendar, UTC) begins that ends then. */
int64_t report_period_begin(int64_t until_us, const char *period);

/* Texts of the request are kept by pointer, all else lies in the arena. What was recorded at the
 * period's end or later counts for nothing, nor do corrections of runs that were recorded after
 * made_us, so the same request gives the same bytes again. ERR_USAGE: an unknown measure;
 * ERR_MISSING: the ledger has no such project. */
bool report_make(struct db *db, const struct report_request *request, struct arena *arena,
                 struct trend_report *ret_report, struct err *err);

/* Makes a report that is kept again: of its period, from the ledger as it stood when it was made.
 * ERR_INPUT: it says no period. */
bool report_make_again(struct db *db, const struct trend_report *kept, struct arena *arena,
                       struct trend_report *ret_report, struct err *err);

/* Appends the report as it is, in the caller's transaction, and sets its id. *ret_new false: there
 * is one of that name and end. */
bool report_record_within(struct db *db, struct trend_report *report, struct arena *arena,
                          bool *ret_new, struct err *err);

#endif
