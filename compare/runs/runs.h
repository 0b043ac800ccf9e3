/* Profiles become runs: the unit of every statistic. Internal to compare/. */
#ifndef COMPARE_RUNS_RUNS_H
#define COMPARE_RUNS_RUNS_H

#include "compare/runs/evidence.h"
#include "compare/runs/fitness.h"
#include "compare/runs/measures.h"
#include "compare/runs/implausible_steps.h"
#include "compare/runs/notices.h"
#include "compare/runs/past.h"
#include "compare/runs/timeline.h"
#include "compare/runs/pairs.h"
#include "compare/provenance/provenance.h"

/* Chooses the baseline runs that are whole into judgement->recent, where some have steady spans of
 * devices these alone. false: out of memory. */
bool runs_recent(struct gate_state *judgement);

/* Groups the sets into judgement->baseline, candidate and history, and computes each run's figures.
 * Step times come from `steps` when all profiles that have any steps have them there. false: out of
 * memory. */
bool runs_build(struct gate_state *judgement, const struct profile_sets *sets);

/* Describes a side in the verdict: ids, labels, counts, medians. What was set aside stays. */
void side_describe(struct gate_state *judgement, const struct gate_side *side,
                   const struct gate_runs *runs, struct verdict_side *ret_side);

/* Every run of both sides has steady spans of devices. Ops and what is made of them are counted per
 * span: a run without one would look as if all of it were gone. */
bool runs_have_spans(const struct gate_state *judgement);

/* Their first profiles name the same hosts; none and none are the same. */
bool run_hosts_equal(const struct gate_run *a, const struct gate_run *b);

/* Mean over the runs; absent when a run lacks it or there is no run. */
struct opt_f64 runs_mean(const struct gate_runs *runs, enum run_mean which);

#endif
