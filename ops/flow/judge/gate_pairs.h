/* Runs in turns of earlier attempts count too: turns that are repeated until they pass would be a
 * way past the gate. */
#ifndef OPS_FLOW_JUDGE_GATE_PAIRS_H
#define OPS_FLOW_JUDGE_GATE_PAIRS_H

#include "ops/flow/judge/gate_loading.h"

/* The sides of a gate in pairs: as many runs were named of each (ERR_USAGE otherwise), and the
 * pairs that `interleave` took in of the candidate's commit, and that earlier verdicts on it
 * judged, are added to both, where they can be compared with what was named, ran against the same
 * commit of the baseline and share no run with other pairs. *baseline holds what was named.
 * Candidates of pairs that could not be added stand in loading->apart; comparable runs of the
 * commit that nobody ever judged, alone or in pairs, and that take no part, in
 * loading->sides.left_out: who may choose pairs must not pass by the choice. Nothing is added
 * without a commit (gate_pool_commit). */
bool gate_pairs_pool(struct gate_loading *loading, struct profile_page *baseline, struct err *err);

#endif
