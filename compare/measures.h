/* Measures of a profile, and of both sides against the policy's limits. Internal to compare/. */
#ifndef COMPARE_MEASURES_H
#define COMPARE_MEASURES_H

#include "compare/judgement.h"

/* The measure of one profile, absent when the profile does not tell it. steps_are_ours: step times
 * come from `steps`, else from profile_summary.v1. */
struct opt_f64 measure_of(const struct summary *summary, enum gate_measure measure,
                          bool steps_are_ours);

/* Fills the verdict's measures: median over runs on each side, the allowed increase, the status;
 * adds a reason for each that is above its limit and raises the verdict. step_median's own
 * status is left to the step rule. */
void measures_judge(struct judgement *judgement);

/* Median over the runs that tell the measure; absent when none does. */
struct opt_f64 runs_median(const struct judgement *judgement, const struct gate_runs *runs,
                           enum gate_measure measure);

/* The allowed increase in the measure's unit; absent when the policy gives none. */
struct opt_f64 measure_limit(const struct gate_policy *policy, enum gate_measure measure,
                             double before);

#endif
