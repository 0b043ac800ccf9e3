/* The level of a branch in which a candidate stands: the profiles that may be its past.
 *
 * One that was captured before the level of today began is none of its runs, however late it is
 * judged. The newest candidate decides: runs of a commit's first attempt stay behind when the
 * branch moves on, and its next one is of the level of today.
 *
 * No commit is its own past: who runs the gate again would be compared with what failed. But where
 * the level holds that commit alone (runs of a pinned commit night by night, a level that a person
 * began with it) there is nothing else that it could be compared with, and nothing that it failed
 * against: then its other runs are the past, and the verdict is on machine and environment. */
#ifndef OPS_FLOW_JUDGE_BRANCH_LEVEL_H
#define OPS_FLOW_JUDGE_BRANCH_LEVEL_H

#include "history/alert/alert.h"
#include "ops/flow/judge/gate_loading.h"

/* Runs of loading->own_commit: never, or when no other commit has any. */
enum level_own { LEVEL_HAS_NO_OWN, LEVEL_HAS_OWN_ALONE };

struct branch_level {
    struct level_bounds bounds;
    struct place_list places; /* nearest first, without what is judged */
    bool has_behind;          /* there are some that are newer than the candidate */
    size_t own_count;         /* profiles of the branch that were left out: of the own commit */
    bool is_own;              /* the places are of the own commit */
    struct namesake_list namesakes; /* runs that were left out for their names */
};

/* The level of the candidates' series on job->baseline_branch: that in which the profile before_id
 * stands, from there, or (before_id 0) that in which the newest candidate does, from there too. */
bool branch_level_find(const struct gate_loading *loading, int64_t before_id, enum level_own own,
                       struct branch_level *ret_level, struct err *err);

#endif
