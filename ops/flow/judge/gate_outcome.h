/* One judgement through the ledger: policy, sides, verdict, record; and the same again later. */
#ifndef OPS_FLOW_JUDGE_GATE_OUTCOME_H
#define OPS_FLOW_JUDGE_GATE_OUTCOME_H

#include "history/alert/alert.h"
#include "ops/flow/judge/gate_job.h"
#include "schema/documents/verdict.h"

/* What became of a job. Everything lives in the flow's arena. */
struct gate_outcome {
    const struct gate_job *job;
    int64_t id;           /* v<id>; 0 when it failed */
    const char *document; /* as it was recorded */
    struct verdict verdict;
    struct acceptance acceptance; /* of this change, by a person */
    const char *retracted;        /* what it rests on and was retracted later (replays); NULL */
    struct err failure;           /* kind ERR_NONE: it was judged */
};

/* Judges and records; a failure ends up in the outcome. */
void gate_judge_job(const struct flow *flow, const struct gate_job *job,
                    struct gate_outcome *ret_outcome);

/* A verdict made again. */
struct gate_replay {
    struct gate_outcome outcome; /* what came out now */
    bool is_same;                /* the recorded bytes came out */
    int64_t recorded_rule;       /* version of the rule then; -1: the record does not tell */
};

/* Makes a recorded verdict again from its request, its policy and the profiles. ERR_MISSING: no
 * such verdict, or it was recorded without its request. */
bool gate_replay(const struct flow *flow, int64_t verdict_id, struct gate_replay *ret_replay,
                 struct err *err);

#endif
