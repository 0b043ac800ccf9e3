/* Reads the course of a tracked measure out of the ledger. */
#ifndef HISTORY_READING_TREND_H
#define HISTORY_READING_TREND_H

#include "history/db.h"
#include "schema/documents/trend.h"

/* Profiles that are left out, and why: what an earlier reading found need not be found again. */
struct trend_left_out {
    int64_t *ids;
    struct string_list whys; /* "p7 is not what was recorded ..." */
};

struct trend_query {
    const char *project, *workload;
    const char *branch; /* NULL = all */
    const char *series; /* "s3"; NULL = all */
    const char *measure;
    const char *beside; /* another one, which points tell beside it; NULL: none */
    int64_t run_limit;
    struct opt_i64 since_us, until_us; /* captured then or later, and before; not set: any time */
    struct opt_i64 as_of_us;           /* what was said of them before; not set: all of it */
    struct opt_i64 corrected_us;       /* corrections of before; not set: all */
    struct trend_left_out *known;      /* grows by what is found, in the arena; NULL: nothing is */
    /* Facts of which ledger_profile_kinds is asked next, of all points: the server begins with it.
     * NULL: it is not. */
    const struct string_list *kinds_of;
};

/* The last runs with the measure, oldest first, of profiles that are what was recorded; texts of
 * the query are kept by pointer. ERR_USAGE:
 * an unknown measure (with a suggestion), or no series; ERR_MISSING: no run has it. */
bool ledger_trend(struct db *db, const struct trend_query *query, struct arena *arena,
                  struct trend *ret_trend, struct err *err);

/* Lets the server begin with what a call of ledger_trend to come asks for first, and does not wait:
 * only a call of the same query gains by it. Texts of the query need not outlive the call. */
bool ledger_trend_ahead(struct db *db, const struct trend_query *query, struct arena *arena,
                        struct err *err);

/* Whether every statement is planned once for all values, as whoever reads one trend behind the
 * other wants it, or only those of which that is the plan anyway. */
void ledger_plans_keep(struct db *db, bool keep);

#endif
