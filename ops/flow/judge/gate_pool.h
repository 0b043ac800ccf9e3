/* The candidate is what the ledger knows of its commit: runs of earlier attempts count too. */
#ifndef OPS_FLOW_JUDGE_GATE_POOL_H
#define OPS_FLOW_JUDGE_GATE_POOL_H

#include "ops/flow/judge/gate_loading.h"

/* Finds the commit whose runs are the candidate, loading->commit: the one that was given (an
 * option, a CI system, W&B, what was collected beside the job; a repository on disk may have moved
 * on since the run), or without such, and where a CI system works on what was not named, the one
 * that the ledger knows all candidates by. It stays NULL, and those that were named are the
 * candidate, when there is none, they are of several (candidate_why says so), a tree was dirty, or
 * the branch is the baseline's and the commit did not fail before, or is the only one in its level
 * (branch_level.h). loading->own_commit is the commit also on that branch. */
bool gate_pool_commit(struct gate_loading *loading, struct err *err);

/* The one commit that the ledger knows all of them by; NULL: there is none. *ret_several: they have
 * more than one. */
const char *gate_held_commit(const struct profile_page *page, bool *ret_several);

/* "all comparable runs of commit ...", and who says that it is theirs. */
const char *gate_pool_why(struct gate_loading *loading, const char *what);

/* What the ledger has of the commit on branches that are not the baseline's, or on all of them when
 * it has landed; the newest 10,000, newest first. */
bool gate_pool_profiles(struct gate_loading *loading, struct profile_ids *ret_ids, struct err *err);

/* The next `max` of these ids from *at on, newest first, whose documents are worth loading; 100 at
 * most. Of up to 100 ids it is all of them; of more, those that can be compared by what is kept
 * beside their documents. *at: behind the last that was looked at. In the arena. */
bool gate_pool_fitting(struct gate_loading *loading, const struct profile_ids *ids, size_t max,
                       size_t *at, struct profile_ids *ret_fitting, struct err *err);

/* Those from `at` on are left out, and told with what cannot be read. */
void gate_pool_beyond(struct gate_loading *loading, const struct profile_ids *ids, size_t at);

/* Adds the comparable profiles of the candidate's commit, whatever their branch if only it is not
 * the baseline's, to loading->candidates, which holds those that were named. Runs that took turns
 * with a baseline are not torn out of their pairs to stand beside others: they are left out, and
 * what they showed as pairs is an earlier verdict. *ret_named: how many of the candidates were
 * named. loading->candidate_why says how they were chosen. */
bool gate_pool(struct gate_loading *loading, size_t *ret_named, struct err *err);

/* Finds out how often the commit was judged, and what those verdicts were: a branch and a merge
 * queue judge one commit. Both sides are loaded. */
bool gate_pool_attempts(struct gate_loading *loading, struct err *err);

/* The tree that ran was not what its commit says. */
bool gate_is_dirty(const struct summary *summary);

#endif
