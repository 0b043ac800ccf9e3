/* The two sides of a gate, from a job to ledger entries. */
#ifndef OPS_FLOW_JUDGE_GATE_SIDES_H
#define OPS_FLOW_JUDGE_GATE_SIDES_H

#include "ops/flow/judge/gate_loading.h"

/* Ingests the candidate's paths and loads both sides from the ledger into loading->sides; flow,
 * arena, job and rules are set. ERR_MISSING: no baseline at all, or an entry that was asked for
 * does not exist; ERR_INPUT: a candidate that cannot be read. */
bool gate_sides_load(struct gate_loading *loading, struct err *err);

#endif
