/* A change that is judged again with more runs: how its error rates are spent over the attempts.
 *
 * Each attempt pools all runs of the change, so later ones know more. But who may look until it
 * fits finds what he looks for: at k attempts of 1 % each, a change that costs nothing fails more
 * often. The first attempt has the rates of the policy, the second to fifth three quarters of them,
 * attempt k behind them 15 / (k (k - 1)) of them; pairs two thirds of that. Pooled attempts share
 * most of their runs, and a fail needs an estimate that more runs make rarer: simulated (`make
 * accuracy T=attempts`, run sd 1 %) any of five fails a change that costs nothing in 1.8 and 0 of
 * 100 at 1 and 3 runs each, and one of +3 % has failed after them in 94 to 99. Half of the rates
 * would be 1.6 and 0, and take .9 of those 94 away; a union bound (a fifth) more than four.
 * Internal to compare/.
 */
#ifndef COMPARE_GATE_ATTEMPTS_H
#define COMPARE_GATE_ATTEMPTS_H

#include "compare/judgement/judgement.h"

/* The policy of the n-th attempt, n >= 1: alpha_fail, alpha_warn and alpha_pass are smaller from
 * the second on. */
struct gate_policy attempts_policy(const struct gate_policy *policy, int64_t attempts, bool paired);

/* Keeps on the candidate how often it was judged and which of its earlier verdicts failed. */
void attempts_keep(struct gate_state *judgement);

/* "v7 (fail of pairs)": what other runs of the change that took turns with a baseline showed, a
 * fail before a pass; NULL: nothing. Of runs in turns only a fail of pairs that are not theirs. */
const char *attempts_pairs(const struct gate_input *input, enum verdict_status *ret_status);

/* "v7 (fail of these pairs)": the first fail that had seen all that is judged now; NULL: none.
 * Nobody refutes it by judging that again. */
const char *attempts_seen(const struct gate_input *input);

/* "v7 (fail against branch main)": the first fail against another baseline, which nothing that is
 * compared with this one lifts, and of it "branch main)"; NULL: none. */
const char *attempts_elsewhere(const struct gate_input *input, const char **ret_baseline);

/* Is one of the earlier verdicts a fail that may stand, until it is refuted? */
bool attempts_may_stand(const struct gate_input *input);

/* Of pairs: the first earlier fail of runs of the change that took no turns, against the same
 * baseline, "v7 (fail without turns)"; NULL: there is none. */
const char *attempts_outweighed(const struct gate_input *input);

/* Adds the reason that names the earlier attempts; nothing for the first. */
void attempts_reason(struct gate_state *judgement);

#endif
