/* The job of a candidate: the baseline and the policy are those of the configuration. */
#include "ops/flow/judge/judge_candidate.h"

#include "history/lease/lease.h"
#include "ops/flow/judge/gate_outcome.h"

#include <unistd.h>

static const char *policy_of(const struct conf *conf)
{
    const char *path = conf_text(conf, CONF_judge_policy);
    return path[0] == '\0' ? NULL : path;
}

bool judge_policy_check(const struct conf *conf, struct err *err)
{
    const char *path = policy_of(conf);
    if (path == NULL || access(path, R_OK) == 0)
        return true;
    (void)err_set_errno(err, ERR_UNAVAILABLE, "cannot read judge_policy = %s", path);
    err->kind = ERR_UNAVAILABLE;
    return false;
}

bool judge_candidate(const struct flow *flow, const struct judgement *judgement,
                     int64_t *ret_verdict_id, struct err *err)
{
    const struct judgement_subject *subject = &judgement->subject;
    const char *candidates[] = {subject->candidate};
    struct gate_outcome outcome;
    const struct gate_job job = {
        .project = subject->project,
        .workload = subject->workload,
        .branch = subject->branch,
        .commit = subject->commit,
        .baseline_branch = conf_text(flow->conf, CONF_judge_baseline_branch),
        .policy = policy_of(flow->conf),
        .last = conf_int(flow->conf, CONF_judge_last),
        .candidates = {candidates, 1},
        .judgement = judgement,
    };
    if (!judge_policy_check(flow->conf, err))
        return false;
    gate_judge_job(flow, &job, &outcome);
    *ret_verdict_id = outcome.id;
    if (outcome.id == 0)
        *err = outcome.failure;
    return outcome.id != 0;
}
