/* Summaries built by hand for tests of whatever reads them: no file is parsed.
 *
 * A plan says what the profile shall show; the summary that comes out is consistent (spans,
 * medians, ops and idle time add up), so that a balance over it closes.
 */
#ifndef TESTS_SUPPORT_SUMMARY_FIXTURE_H
#define TESTS_SUPPORT_SUMMARY_FIXTURE_H

#include "ops/runtime/arena.h"
#include "schema/documents/summary.h"

/* An op of every step on every device; one called fusion.something is a fusion. */
struct planned_op {
    const char *signature, *name, *op_path;
    double us; /* per step and device */
};

struct summary_plan {
    const char *trace_sha256, *device_type, *topology;
    const char *fingerprint; /* of the one program; NULL: the file does not hold it */
    int64_t device_count, host_count;
    int64_t first_step, steps, warmup; /* steps in all, of which the first `warmup` are warm-up */
    double step_us;                    /* of every device but the slow one */
    double slow_factor;                /* of the last device; 1: as the others */
    double wait_us;                    /* between steps; 0: periods are not known */
    double step_sd, rho;               /* relative noise of steps, its correlation */
    double drift;                      /* relative change from the first steady step to the last */
    uint64_t seed;
    const struct planned_op *ops;
    size_t op_count;
    const struct fact *facts; /* sorted by name */
    size_t fact_count;
    bool without_ours; /* an older document: profile_summary.v1 alone */
};

/* 4 devices of "TPU v5e" on one host, 20 steps of 10 ms from number 100 on, no noise, no ops. */
void summary_plan_default(struct summary_plan *plan);

/* The summary of the plan, everything in the arena; fails the test when memory runs out. */
const struct summary *summary_make(struct arena *arena, const struct summary_plan *plan);

/* A standard normal number of a sequence that *state names; the same seed gives the same ones. */
double fixture_normal(uint64_t *state);

#endif
