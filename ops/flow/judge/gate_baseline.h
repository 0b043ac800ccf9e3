/* The choice of a baseline: what is named, the runs of the merge base, or all runs of a branch that
 * can be compared with the candidate; never across a re-baseline or a confirmed change point of the
 * step time. Of many runs only those next to the candidate are loaded whole, the others as briefs:
 * a baseline of hundreds of runs costs kilobytes each. */
#ifndef OPS_FLOW_JUDGE_GATE_BASELINE_H
#define OPS_FLOW_JUDGE_GATE_BASELINE_H

#include "ops/flow/judge/gate_loading.h"

/* Fills loading->sides.baseline and history; the candidates are loaded, and when they took turns
 * those of earlier attempts join them (gate_pairs.h). Runs that cannot be
 * compared are passed over and the search goes on further back; when there are only such, they are
 * the baseline, so that the verdict can say what is in the way. `why` says all of this.
 * ERR_MISSING: there is none. */
bool gate_baseline_load(struct gate_loading *loading, struct err *err);

#endif
