/* The gate turned on a series' own past: how often it cries wolf, and what it would catch.
 *
 * Each window is what the gate would have been asked then: R runs in ledger order against all
 * comparable runs before them (at most baseline_limit), moved by one run at a time, from where the
 * past is long enough to judge by statistics. Where a change of level that is sure (the gate takes
 * its levels from the same trend) lies between the run before a candidate and its last run,
 * something did change: that is no window. Once as they are (A/A: a fail is a
 * false alarm), then with the candidate's step times made longer by known changes (the share of
 * fails is the power). Nothing is drawn by chance.
 */
#ifndef COMPARE_GATE_CANARY_H
#define COMPARE_GATE_CANARY_H

#include "compare/judgement/judgement.h"
#include "schema/documents/canary.h"

struct canary_input {
    const char *project, *workload, *series, *branch;
    const struct gate_profile *profiles; /* oldest first, the profiles of a run together */
    size_t profile_count;
    int64_t runs_a_side;    /* of the candidate */
    int64_t baseline_limit; /* the newest runs before it */
    const struct gate_policy *policy;
    const double *effects_pct; /* that are put in; NULL: nothing, 1, 2, 3, 5 and 10 */
    size_t effect_count;
    bool disjoint; /* leaves windows out that share a run with the one before */
};

/* Runs it. ERR_MISSING: fewer runs than the policy's min_past_runs and two windows (says how
 * many are needed), or no window on one level. ERR_LIMIT.
 */
bool canary_run(const struct canary_input *input, struct arena *arena,
                struct canary_report *ret_report, struct err *err);

#endif
