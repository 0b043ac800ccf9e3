/* Profiles become runs: the unit of every statistic. Internal to compare/. */
#ifndef COMPARE_RUNS_RUNS_H
#define COMPARE_RUNS_RUNS_H

#include "compare/runs/evidence.h"
#include "compare/runs/fitness.h"
#include "compare/runs/measures.h"
#include "compare/runs/implausible_steps.h"
#include "compare/runs/newest.h"
#include "compare/runs/notices.h"
#include "compare/runs/past.h"
#include "compare/runs/timeline.h"
#include "compare/runs/pairs.h"
#include "compare/provenance/provenance.h"

/* Chooses the baseline runs that are whole into judgement->recent, where some have steady spans of
 * devices these alone. */
void runs_recent(struct gate_state *judgement);

/* Groups the sets into judgement->baseline, candidate and history, and computes each run's figures.
 * Step times come from `steps` when all profiles that have any steps have them there. */
void runs_build(struct gate_state *judgement, const struct profile_sets *sets);

/* Describes a side in the verdict: ids, labels, counts, medians. What was set aside stays. */
void side_describe(struct gate_state *judgement, const struct gate_side *side,
                   const struct gate_runs *runs, struct verdict_side *ret_side);

/* Chooses judgement->op_sides. Ops and what is made of them are counted per steady span of a
 * device: a run without one, or whose steps are others than its ops were counted in, would look as
 * if all of it were gone, and takes no part. */
void runs_with_ops(struct gate_state *judgement);

/* Whether the profile is of one of the runs. */
bool runs_hold(const struct gate_runs *runs, const struct gate_profile *profile);

/* Their first profiles name the same hosts; none and none are the same. */
bool run_hosts_equal(const struct gate_run *a, const struct gate_run *b);

/* Mean over the runs; absent when a run lacks it or there is no run. */
struct opt_f64 runs_mean(const struct gate_runs *runs, enum run_mean which);

#endif
