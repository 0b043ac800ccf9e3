/* A change that is judged again with more runs: how its error rates are spent over the attempts.
 *
 * Each attempt pools all runs of the change, so later ones know more. But who may look until it
 * fits finds what he looks for: at k attempts of 1 % each, a change that costs nothing fails nearly
 * k times as often. The first attempt has the rates of the policy. All later ones together have
 * them once more: the second to fifth a fifth each, and attempt k behind them 1 / (k (k - 1)) of
 * them, which add up to the last fifth however many come. That is a union bound: no number of
 * attempts has to be planned, and nothing is assumed of how attempts depend on each other. Internal
 * to compare/.
 */
#ifndef COMPARE_ATTEMPTS_H
#define COMPARE_ATTEMPTS_H

#include "compare/judgement.h"

/* The policy of the n-th attempt, n >= 1: alpha_fail, alpha_warn and alpha_pass are smaller from
 * the second on. */
struct gate_policy attempts_policy(const struct gate_policy *policy, int64_t attempts);

/* Keeps on the candidate how often it was judged and which of its earlier verdicts failed. */
void attempts_keep(struct judgement *judgement);

/* Adds the reason that names the earlier attempts; nothing for the first. */
void attempts_reason(struct judgement *judgement);

#endif
