/* Reports in the ledger, appended once, never changed. The id that people see is "rp<number>". */
#ifndef HISTORY_REPORTS_REPORTS_H
#define HISTORY_REPORTS_REPORTS_H

#include "history/db.h"
#include "ops/runtime/arena.h"
#include "schema/documents/optional.h"
#include "schema/documents/origin.h"
#include "schema/documents/trend_report.h"

struct report_entry {
    const struct trend_report *report;
    const char *document; /* trend_report_to_json's text */
    struct origin origin; /* no time: it is recorded now */
};

/* Appends it in the caller's transaction. *ret_id 0: there is one of that name and end, nothing was
 * appended. */
bool ledger_append_report_within(struct db *db, const struct report_entry *entry, int64_t *ret_id,
                                 struct err *err);

/* The report as it was recorded, its id beside it, in the arena. ERR_MISSING; ERR_INPUT: it is not
 * what was recorded. */
bool ledger_load_report(struct db *db, int64_t id, struct arena *arena,
                        struct trend_report *ret_report, struct err *err);

/* When the period of the last one of that name ended; not set: there is none. */
bool ledger_report_last(struct db *db, const char *project, const char *name,
                        struct opt_i64 *ret_until_us, struct err *err);

/* Which report of its name, that told of the same measure, branch and workloads, ended last within
 * the report's period: sets told_by and told_until_utc, in the arena; NULL: none. */
bool ledger_report_before(struct db *db, struct trend_report *report, struct arena *arena,
                          struct err *err);

/* A drift as its readers are told of it. */
struct report_drift_query {
    const struct trend_report *report; /* its name, end, measure, branch and workloads */
    const char *series, *from_utc, *until_utc;
    bool rises;
};

/* What the last report of its kind, of a name, that told of the drift said of it, in the arena:
 * where it was told as news. *ret_found false: none told of it. */
bool ledger_report_drift_told(struct db *db, const struct report_drift_query *query,
                              struct arena *arena, struct report_drift_told *ret_told,
                              bool *ret_found, struct err *err);

/* A change that a report told, of a series of which runs were corrected or changes were withdrawn
 * since. */
struct report_told {
    const char *report, *workload, *series;
    const char *at_profile, *at_commit, *at_utc; /* the commit: NULL = not known */
    double before, after;
    int64_t run_count;  /* of the series, that do not stand any more as they did */
    const char *action; /* "retracted", "amended", "restored", "corrected" of more than one; NULL =
                           of none */
    const char *reason; /* for all of them; NULL = they differ */
};

struct report_told_list {
    struct report_told *items;
    size_t count;
};

/* From one moment on and before another; microseconds since 1970. */
struct report_span {
    int64_t from_us, until_us;
};

/* What reports of the report's kind and name (without one: recorded ones without one) told, and no
 * later one took back, of series of which runs were corrected or changes were withdrawn in that
 * time; in the arena. */
bool ledger_report_told(struct db *db, const struct trend_report *report, struct report_span span,
                        struct arena *arena, struct report_told_list *ret_list, struct err *err);

struct report_row {
    int64_t id;
    const char *document;
    struct origin origin; /* when and by whom it was recorded first */
};

struct report_page {
    struct report_row *items;
    size_t count;
};

/* Those behind an id, in the arena; call again with the last id until a page is empty. */
bool ledger_reports_after(struct db *db, int64_t after_id, struct arena *arena,
                          struct report_page *ret_page, struct err *err);

/* How often the project has exactly this document. */
bool ledger_report_count(struct db *db, const char *project, const char *document,
                         int64_t *ret_count, struct err *err);

#endif
