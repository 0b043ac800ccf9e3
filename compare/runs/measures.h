/* Measures of both sides against the policy's limits. Internal to compare/. */
#ifndef COMPARE_RUNS_MEASURES_H
#define COMPARE_RUNS_MEASURES_H

#include "compare/judgement/judgement.h"

/* Fills the verdict's measures: median over runs on each side, the allowed change, the status;
 * adds a reason for each that is beyond its limit and raises the verdict. The step time's own
 * status is left to the step rule. */
void measures_judge(struct gate_state *judgement);

/* The rule for a candidate of device memory profiles alone, before measures_judge: what is in use
 * is judged by the policy's limit, and nothing else is. */
void memory_judge(struct gate_state *judgement);

/* Median over the runs that tell the measure; absent when none does. */
struct opt_f64 runs_median(struct gate_state *judgement, const struct gate_runs *runs,
                           enum measure measure);

/* The allowed change for the worse, in the measure's unit and with its sign; absent when the policy
 * gives none. */
struct opt_f64 measure_limit(const struct gate_policy *policy, enum measure measure, double before);

#endif
