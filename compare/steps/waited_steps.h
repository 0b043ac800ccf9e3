/* The steps of a run that somebody waited for, by one rule for both sides: what a capture begins
 * with is warm-up only where past captures have it too. Internal to compare/. */
#ifndef COMPARE_STEPS_WAITED_STEPS_H
#define COMPARE_STEPS_WAITED_STEPS_H

#include "compare/runs/runs.h"

/* The quantile that tells what a run takes where nothing holds it up: the median of the faster half
 * of its steps. */
extern const double waited_faster_half;

/* The first row that counts: behind as many steps of warm-up as past captures leave out that begin
 * at the same step number (at an earlier one, where too few do), at most its own. Compilation at
 * the beginning, and what somebody fixed, is warm-up anyhow. With warmup_is_own all of its own. */
size_t waited_first(const struct gate_state *judgement, const struct step_table *steps);

/* Whether half of the candidate's runs begin with warm-up that past captures do not have. */
bool warmup_is_longer(const struct gate_state *all);

/* Sets steady_step_mean of all runs to the mean of the steps from waited_first on. */
void waited_means_take(struct gate_state *judgement);

/* The step time of candidate runs with uneven profiles becomes that of the fastest of these at its
 * best. */
void uneven_quicken(struct gate_state *judgement, const struct profile_set *uneven);

/* Reason `warmup_unlike_past`, a warning where the mean with them is longer: steps that half of the
 * candidate's runs leave out as warm-up, and past captures do not. */
void waited_warmup_judge(struct gate_state *judgement, const struct gate_state *all, double margin);

/* Says that nothing was between steps to judge: a capture of one step does not hold what devices
 * wait for behind it. */
void waits_unseen_reason(struct gate_state *judgement);

#endif
