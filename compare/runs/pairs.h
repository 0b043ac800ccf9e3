/* Runs of both sides that ran in turns. Internal to compare/. */
#ifndef COMPARE_RUNS_PAIRS_H
#define COMPARE_RUNS_PAIRS_H

#include "compare/judgement/judgement.h"

/* Orders the runs of both sides so that the i-th of one belongs to the i-th of the other, as the
 * input's order of profiles says, and drops those whose partner was left out. Without any whole
 * pair the sides stay as they are and are no pairs. */
void pairs_align(struct gate_state *judgement);

#endif
