/* Which past runs are a baseline.
 *
 * All comparable past runs tell how runs vary. A run that is far from its neighbours is an accident
 * and tells nothing; runs before a change of level tell the spread and no longer the level. Both
 * are set aside by name. The newest run or two that moved may be either, which only runs behind
 * them would tell: they are set aside too, and what they alone would make of the candidate is
 * asked (newest.h). Internal to compare/. */
#ifndef COMPARE_RUNS_PAST_H
#define COMPARE_RUNS_PAST_H

#include "compare/judgement/judgement.h"

/* Takes what is set aside out of the timeline and the baseline, into
 * verdict->baseline.set_aside, and fills the verdict's drift and change of level. The timeline is
 * built. */
void past_sift(struct gate_state *judgement);

/* Adds the reasons for what was set aside and for how the past goes on. alone: what the newest runs
 * alone make of the candidate. */
void past_reasons(struct gate_state *judgement, enum newest_alone alone);

#endif
