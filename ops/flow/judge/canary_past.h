/* The past that the canary turns the gate on. */
#ifndef OPS_FLOW_JUDGE_CANARY_PAST_H
#define OPS_FLOW_JUDGE_CANARY_PAST_H

#include "compare/gate/gate.h"
#include "history/db.h"
#include "history/reading/reading.h"

/* What canary_run takes, unless something else is asked for; the baseline as gate has it. */
enum { CANARY_RUNS_A_SIDE = 3, CANARY_LAST_RUNS = 60, CANARY_BASELINE_RUNS = 200 };

/* Fills profiles and baseline_limit of the input: those of the ids, oldest first, with their
 * measures. The gate's rule on step time needs figures alone, of which there may be thousands of
 * runs. ERR_LIMIT; ERR_INPUT: one is not what was recorded. */
bool canary_past_load(struct db *db, struct profile_numbers ids, struct arena *arena,
                      struct canary_input *input, struct err *err);

#endif
