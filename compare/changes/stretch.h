/* Whether one change of level stands in a stretch of runs, and where: the question of the gate.
 *
 * The model of runs (statistics/run_model.h) weighs against each other that the runs have one
 * level, drift, or changed their level behind one of them, each with noise that goes on from run to
 * run, or not. It is asked of past runs alone: a candidate has no say in what they did. What trends
 * and `changepoints` say of the newest level is this answer too, so that they and the gate agree.
 * Stays in compare/.
 */
#ifndef COMPARE_CHANGES_STRETCH_H
#define COMPARE_CHANGES_STRETCH_H

#include "compare/statistics/statistics.h"
#include "ops/runtime/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* A change more likely than the first is held by 4 of 1,000 pasts whose runs vary by themselves and
 * 6 of 100 whose runs follow each other (.6), more likely than the second by none and 9 of 1,000
 * (1,000 draws of 10 to 99 runs). */
#define STRETCH_LIKELY 0.80 /* to be named, and told as possible */
#define STRETCH_SURE 0.95   /* to be told */
/* A drift is named where it is likelier than not, as it is in a gate's estimate then. Of 14 runs
 * that drift by .4 % each (run sd 1 %) 75 of 100 are, 24 by what is likely alone; of those that do
 * neither 1. */
#define STRETCH_LIKELIER 0.50

struct stretch_answer {
    double jump_weight, drift_weight; /* of 1 */
    size_t place;                     /* the first run behind the likeliest jump */
    size_t first, last;               /* it lies from first to last, 95 % */
    double jump, slope;               /* its size; what a drift adds a run; in the runs' unit */
};

/* Of past[count], oldest first, roles and all. With fewer than six, or where nothing can be told,
 * all weights are 0. */
void stretch_ask(const struct run_point *past, size_t count, struct arena *arena,
                 struct stretch_answer *ret_answer);

#endif
