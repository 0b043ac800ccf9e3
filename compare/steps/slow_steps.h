/* Steps that a median does not show: a stall or a compilation in some of them, and captures whose
 * steps differ so much that their median says nothing.
 *
 * The mean of all steps is judged by the model of runs, as step time is. It is a second chance to
 * fail and a rare natural stall moves it far, so it never fails alone: the mean has to stand
 * further above the faster steps of its own run than it did, by what matters and in two runs at
 * least, and the ranks of the runs have to say so too (rank_test.h). Internal to compare/. */
#ifndef COMPARE_STEPS_SLOW_STEPS_H
#define COMPARE_STEPS_SLOW_STEPS_H

#include "compare/runs/runs.h"

/* Writes mean_status, adds the reasons `steps_slow` and `steps_regressed_throughout` and raises the
 * verdict by them. The step rule has judged. */
void slow_steps_judge(struct gate_state *judgement, const struct seen_profiles *seen);

#endif
