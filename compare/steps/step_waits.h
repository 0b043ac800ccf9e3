/* What lies between steps is in no step: input, host and dispatch that keep the device waiting.
 * Internal to compare/. */
#ifndef COMPARE_STEPS_STEP_WAITS_H
#define COMPARE_STEPS_STEP_WAITS_H

#include "compare/judgement/judgement.h"

/* The rule on step time, applied to the time from step to step: it speaks where the steps
 * themselves say less, takes a pass away that a job which waits between its steps does not show,
 * and tells where waits hide a longer step. Of equal programs it looks past device time, as the
 * rule on steps does. Writes period_status, adds the reasons `step_period_*`,
 * `step_hidden_by_waits`. The step rule has judged. */
void period_judge(struct gate_state *judgement);

#endif
