/* Runs in turns of earlier attempts count too: turns that are repeated until they pass would be a
 * way past the gate. */
#ifndef OPS_FLOW_JUDGE_GATE_PAIRS_H
#define OPS_FLOW_JUDGE_GATE_PAIRS_H

#include "ops/flow/judge/gate_loading.h"

/* The sides of a gate in pairs: as many runs were named of each (ERR_USAGE otherwise), and the
 * pairs that earlier verdicts on the candidate's commit judged are added to both, where they can be
 * compared with what was named, ran against the same commit of the baseline and share no run with
 * other pairs. *baseline holds what was named. Finds out how often the change was judged in pairs;
 * an earlier verdict on pairs that could not be added says so. Nothing is added without a commit
 * (gate_pool_commit). */
bool gate_pairs_pool(struct gate_loading *loading, struct profile_page *baseline, struct err *err);

#endif
