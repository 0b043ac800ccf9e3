/* Runs of one candidate that are of two kinds, some slow and the others not: their mean is the step
 * time of none of them. Internal to compare/. */
#ifndef COMPARE_STEPS_MIXED_RUNS_H
#define COMPARE_STEPS_MIXED_RUNS_H

#include "compare/judgement/judgement.h"

/* By how much the median of the candidate's runs may at most be above their mean, a logarithm (of a
 * pair: of what it differs from its partner; means weighted as the model weighs runs): the two
 * apart, and what a median strays from its mean by chance where a past run varies by past_sd. 0 for
 * one or two runs. */
double mixed_runs_median(const struct run_series *series, double past_sd, struct arena *arena);

/* Adds the reason that names both kinds, where there are two. change: the estimate, a logarithm. */
void mixed_runs_reason(struct gate_state *judgement, double change);

#endif
