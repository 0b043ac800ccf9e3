/* What was submitted with --judge, judged as `gate` would. */
#ifndef OPS_FLOW_JUDGE_JUDGE_CANDIDATE_H
#define OPS_FLOW_JUDGE_JUDGE_CANDIDATE_H

#include "history/lease/lease.h"
#include "ops/flow/flow.h"

/* Whether judge_policy can be read: a policy that is away for a moment is no lack of a baseline.
 * ERR_UNAVAILABLE. */
bool judge_policy_check(const struct conf *conf, struct err *err);

/* Judges, and records the verdict and the end of the judgement in one transaction. ERR_MISSING:
 * there is nothing to compare it with. */
bool judge_candidate(const struct flow *flow, const struct judgement *judgement,
                     int64_t *ret_verdict_id, struct err *err);

#endif
