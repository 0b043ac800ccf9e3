/* The candidate is what the ledger knows of its commit: runs of earlier attempts count too. */
#ifndef OPS_FLOW_JUDGE_GATE_POOL_H
#define OPS_FLOW_JUDGE_GATE_POOL_H

#include "history/verdicts/verdicts.h"
#include "ops/flow/judge/gate_loading.h"

/* The commit whose runs are the candidate: NULL, and those that were named are it, when no commit
 * was given (an option, a CI system, W&B, what was collected beside the job; a repository on disk
 * may have moved on since the run), the tree was dirty, the candidate's branch is the baseline's,
 * or what a CI system works on is not what was named. */
const char *gate_pool_commit(const struct gate_loading *loading);

/* What the ledger has of the commit on branches that are not the baseline's, the newest. */
bool gate_pool_profiles(struct gate_loading *loading, const char *commit,
                        struct profile_ids *ret_ids, struct err *err);

/* Adds the comparable profiles of the candidate's commit, whatever their branch if only it is not
 * the baseline's, to loading->candidates, which holds those that were named, and finds out how
 * often the change was judged: a branch and a merge queue judge one commit. Runs that took turns
 * with a baseline are not torn out of their pairs to stand beside others: they are left out, and
 * what they showed as pairs is an earlier verdict. *ret_named: how many of the candidates were
 * named. loading->candidate_why says how they were chosen. */
bool gate_pool(struct gate_loading *loading, size_t *ret_named, struct err *err);

/* How often the candidates were judged, and what those verdicts were; apart: profiles of the change
 * that are not among them. */
bool gate_pool_attempts(struct gate_loading *loading, const struct profile_ids *apart,
                        struct err *err);

/* The tree that ran was not what its commit says. */
bool gate_is_dirty(const struct summary *summary);

#endif
