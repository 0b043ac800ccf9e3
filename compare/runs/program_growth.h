/* Which of a program's buffers grew. Internal to compare/. */
#ifndef COMPARE_RUNS_PROGRAM_GROWTH_H
#define COMPARE_RUNS_PROGRAM_GROWTH_H

#include "compare/judgement/judgement.h"

/* What grew most among the largest buffers of the program from the newest past run that tells them
 * to the newest of the candidate: a sentence behind a blank, or "". */
const char *program_growth(struct gate_state *judgement);

#endif
