/* The candidate is what the ledger knows of its commit: runs of earlier attempts count too. */
#ifndef OPS_CLI_GATE_POOL_H
#define OPS_CLI_GATE_POOL_H

#include "ops/cli/gate_sides.h"

/* Adds the comparable profiles of the candidate's commit, whatever their branch if only it is not
 * the baseline's, to loading->candidates, which holds those that were named, and finds out how
 * often the change was judged: a branch and a merge queue judge one commit. Nothing happens when
 * no commit was given (an option, a CI system, W&B, what was collected beside the job; a repository
 * on disk may have moved on since the run), the tree was dirty, the candidate's branch is the
 * baseline's, or runs are paired. Runs that took turns with a baseline are not torn out of their
 * pairs to stand beside others: they are left out, and what they showed as pairs is an earlier
 * verdict. *ret_named: how many of the candidates were named. *ret_why: how they were chosen. */
bool gate_pool(struct gate_loading *loading, size_t *ret_named, const char **ret_why,
               struct err *err);

#endif
