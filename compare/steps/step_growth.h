/* Steps that take longer and longer while a capture goes on. Internal to compare/. */
#ifndef COMPARE_STEPS_STEP_GROWTH_H
#define COMPARE_STEPS_STEP_GROWTH_H

#include "compare/judgement/judgement.h"

/* "steps take longer and longer, 40.1 ms -> 51.3 ms (+27.9 %) from the first third of a capture to
 * its last": where each capture of the candidate says so, by the margin (a logarithm) at least.
 * false: they do not. */
bool step_growth_text(struct gate_state *judgement, double margin, char *buffer, size_t size);

/* Sets verdict->cause, where nothing is said to be the cause yet, captures of the candidate grow
 * and past ones do not, and the longer step is longer for that reason for the most part. */
void step_growth_cause(struct gate_state *judgement);

#endif
