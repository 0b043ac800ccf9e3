/* Step times that say more of how they were taken than of the code: in another unit of time, or of
 * steps that the capture cut off. Internal to compare/. */
#ifndef COMPARE_RUNS_IMPLAUSIBLE_STEPS_H
#define COMPARE_RUNS_IMPLAUSIBLE_STEPS_H

#include "compare/runs/measures.h"

/* Behind the rule on step time, makes its verdict inconclusive where times differ a thousandfold,
 * or are a hundredth, and a pass where captures of one step ran a tenth fewer ops than steps of the
 * baseline do: of one step alone nobody can tell whether it is whole. */
void implausible_steps_judge(struct gate_state *judgement);

#endif
