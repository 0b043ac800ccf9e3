/* Step times that say more of how they were taken than of the code: in another unit of time, of
 * steps that the capture cut off, or of several steps as one. Internal to compare/. */
#ifndef COMPARE_RUNS_IMPLAUSIBLE_STEPS_H
#define COMPARE_RUNS_IMPLAUSIBLE_STEPS_H

#include "compare/runs/measures.h"

/* Behind the rule on step time, makes its verdict inconclusive where times differ a thousandfold,
 * or are a hundredth; where a side's steps are numbered further apart than the other's and run more
 * ops; and a pass where captures of one or two steps, at their edges, ran a tenth fewer ops than
 * steps of the baseline do, or nothing on a device: nobody can tell whether they are whole. */
void implausible_steps_judge(struct gate_state *judgement);

#endif
