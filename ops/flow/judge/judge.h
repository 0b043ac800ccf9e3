/* Judging through the ledger. */
#ifndef OPS_FLOW_JUDGE_JUDGE_H
#define OPS_FLOW_JUDGE_JUDGE_H

#include "ops/flow/judge/canary_past.h"
#include "ops/flow/judge/gate_job.h"
#include "ops/flow/judge/gate_loading.h"
#include "ops/flow/judge/gate_outcome.h"
#include "ops/flow/judge/judge_candidate.h"

#endif
