/* What devices wait for between steps. Internal to compare/. */
#ifndef COMPARE_STEPS_STEP_WAITS_H
#define COMPARE_STEPS_STEP_WAITS_H

#include "compare/judgement/judgement.h"

/* What keeps them waiting, with its verb: compilation where the host compiles in many of the
 * candidate's steps, and not in the baseline's; else input, host or dispatch. */
const char *steps_wait_words(const struct gate_state *judgement);

#endif
