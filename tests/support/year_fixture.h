/* A year of a workload's daily runs in a ledger: what was planted, and nothing else, is to be found
 * again. Whatever fails here fails the test. */
#ifndef TESTS_SUPPORT_YEAR_FIXTURE_H
#define TESTS_SUPPORT_YEAR_FIXTURE_H

#include "history/db.h"
#include "ops/runtime/arena.h"
#include "schema/documents/trend_report.h"

#include <stdbool.h>
#include <stdint.h>

/* From this day on the op takes so many µs more. */
struct year_change {
    int day;
    const char *op; /* "fusion.1", "fusion.2" or "copy.3" */
    double us;
};

struct year_plan {
    const char *project, *workload;
    int days;
    double sd; /* of a run, of its step time */
    const struct year_change *changes;
    int change_count;
    int drift_from, drift_until; /* days between which the op copy.3 grows */
    double drift_us;             /* by so much */
    int batch_from;              /* from this day on another batch; 0 = never */
    int captured_before;         /* so many days before they were recorded; 0 = nobody says */
    const int *taken_in;         /* [days], which day was recorded as the nth; NULL = in order */
    int devices_from;            /* from this day on two devices; 0 = never */
    int rows_from;               /* from this day on ops work on 17 rows, not 16; 0 = no op tells */
    bool knows_flops;            /* ops tell their operations too */
    double beside_us;            /* ops run beside each other by so much */
    double mfu;                  /* of steps of 10 ms; 0 = nobody knows */
    bool one_commit;             /* each day ran the first day's code */
    int topic_from;              /* from this day on runs are of the branch topic; 0 = of main */
    uint64_t seed;
};

/* The commit of a day: forty digits. */
void year_commit(int day, char out[41]);

/* 2025-01-01, the first day of plans and windows. */
#define YEAR_FIRST_US INT64_C(1735689600000000)
#define YEAR_DAY_US INT64_C(86400000000)

/* A run a day, one profile each, recorded day by day from 2025-01-01 on: three ops and a step of
 * about 10 ms. */
void year_append(struct db *db, struct arena *arena, const struct year_plan *plan);

/* Days of a report, from 2025-01-01 on. */
struct year_window {
    const char *project;
    int from, until; /* until is not among them */
    int made;        /* what was said before this day counts */
};

/* The report of the step time on main. */
struct trend_report year_report(struct db *db, struct arena *arena,
                                const struct year_window *window);

#endif
