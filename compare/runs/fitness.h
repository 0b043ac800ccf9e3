/* Which profiles are fit to be compared: enough steady steps, no trend, one mode, no throttled
 * device. A run that is not has to be made again; comparing it would judge its accident. Internal
 * to compare/. */
#ifndef COMPARE_RUNS_FITNESS_H
#define COMPARE_RUNS_FITNESS_H

#include "compare/provenance/provenance.h"

/* The profiles all of whose steps were seen. */
struct seen_profiles {
    struct profile_sets sets;  /* the fit, and those that are unfit only because their steps differ
                                  among themselves: their median says nothing, all steps still do */
    struct profile_set uneven; /* these alone, of the candidate */
    bool are_judged_already;   /* every one is fit */
};

/* Takes unfit profiles out of the sets; a side of which none is fit keeps all of them and makes the
 * judgement unfit. Also fills the verdict's effective_steps and autocorrelation, of the candidate.
 */
void fitness_filter(struct gate_state *judgement, struct profile_sets *sets,
                    struct seen_profiles *ret_seen);

/* A verdict that fails does so by what needs no fit profile: it asks for none again. */
void rerun_unsay(struct gate_state *judgement);

/* Adds the reasons for what was taken out or could not be. */
void fitness_reasons(struct gate_state *judgement);

#endif
