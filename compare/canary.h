/* The gate turned on a series' own past: how often it cries wolf, and what it would catch.
 *
 * The runs in ledger order are cut into windows of R baseline runs and the R that follow them,
 * moved by one run at a time; all other runs are the history. Once as they are (A/A: a fail is a
 * false alarm), then with the candidate's step times made longer by known changes (the share of
 * fails is the power). Nothing is drawn by chance.
 */
#ifndef COMPARE_CANARY_H
#define COMPARE_CANARY_H

#include "compare/gate.h"
#include "schema/canary.h"

struct canary_input {
    const char *project, *workload, *series, *branch;
    const struct gate_profile *profiles; /* oldest first, the profiles of a run together */
    size_t profile_count;
    int64_t runs_a_side;
    const struct gate_policy *policy;
};

/* Runs it. ERR_MISSING: fewer runs than two windows' worth (says how many are needed). ERR_LIMIT.
 */
bool canary_run(const struct canary_input *input, struct arena *arena,
                struct canary_report *ret_report, struct err *err);

#endif
