/* The runs of a judgement in the order of time, with what the model of runs has to know of each.
 * Internal to compare/. */
#ifndef COMPARE_RUNS_TIMELINE_H
#define COMPARE_RUNS_TIMELINE_H

#include "compare/judgement/judgement.h"

/* Fills judgement->timeline and step_noise from the three sides. */
void timeline_build(struct gate_state *judgement);

/* The number of the candidate's newest run, which says of which level it is; of none, that of a run
 * behind all. */
size_t timeline_candidate(const struct gate_state *judgement);

/* The logarithm of the run's step time; NAN when it has none. */
double placed_run_value(const struct placed_run *placed);

/* The timeline as the model of runs takes it. values[timeline_count]: logarithms; NAN leaves a run
 * out. */
void timeline_series(struct gate_state *judgement, const double *values,
                     struct run_series *ret_series);

/* What past runs of the timeline differ by: half the mean square of what one differs from the one
 * before it, which neither a level nor a drift makes much larger. */
double timeline_past_variance(const struct gate_state *judgement);

/* The variance of a run with that many steps, in those of a typical past run. */
double timeline_variance(const struct gate_state *judgement, double step_count);

/* The run is no baseline any more, and is named; it stays in the timeline. */
void timeline_set_aside(struct gate_state *judgement, const struct placed_run *placed,
                        const char *reason, const char *text);

/* Takes the runs gone[timeline_count] out of the timeline. */
void timeline_drop(struct gate_state *judgement, const bool *gone);

#endif
