/* How steps spread on both sides: how many of them took how long. For a picture; it decides
 * nothing. Internal to compare/. */
#ifndef COMPARE_STEPS_STEP_SPREAD_H
#define COMPARE_STEPS_STEP_SPREAD_H

#include "compare/judgement/judgement.h"

/* Fills the verdict's step times: bins of one width over the steady steps of all runs of both
 * sides, and one without an end for the few that are far longer than the rest. None where a side
 * tells no steps. */
void step_spread_fill(struct gate_state *judgement);

#endif
