/* What a gate says of a series' own past, where nothing changed, and where a change is put in:
 * canary.v1. */
#ifndef SCHEMA_DOCUMENTS_CANARY_H
#define SCHEMA_DOCUMENTS_CANARY_H

#include "ops/runtime/err.h"
#include "schema/documents/optional.h"
#include "schema/documents/record.h"
#include "schema/documents/verdict.h"

#include <jansson.h>

/* Shares of all windows by verdict, with this change of step time put into the candidate. */
struct canary_row {
    double effect_pct; /* 0: nothing changed, a fail is a false alarm */
    double fail, warn, pass, inconclusive, incomparable;
    double fail_low, fail_high; /* 95 % interval of fail, of windows that share no run */
};

struct canary_report {
    const char *schema_version; /* "canary.v1" */
    const char *project, *workload, *series;
    const char *branch, *policy_sha256;
    int64_t run_count;        /* of the series, that took part */
    int64_t apart_count;      /* that did not, as a gate compares none of them with the newest */
    int64_t runs_a_side;      /* of each window */
    int64_t window_count;     /* candidates, moved by one run; the baseline is all runs before */
    int64_t disjoint_count;   /* candidates that share no run: what the intervals count */
    int64_t crossing_count;   /* candidates that are none: their level is not that before them */
    int64_t level_count;      /* changes of level that are sure and matter */
    struct opt_f64 drift_pct; /* of the step time from the first run to the last; absent: none that
                                 stands out */
    struct canary_row *rows;
    size_t row_count;
};

/* The table of its members, which the JSON schema is checked against. */
extern const struct record canary_record;

/* The JSON form; new reference. */
json_t *canary_to_json(const struct canary_report *report);

#endif
