/* What a verdict tells of ops, parts of the step, measures and what lies behind them. Times are
 * microseconds; ops are per step and device. */
#ifndef SCHEMA_DOCUMENTS_VERDICT_PARTS_H
#define SCHEMA_DOCUMENTS_VERDICT_PARTS_H

#include "schema/documents/optional.h"

/* Only so many of so many runs of a side have something, and its time is their mean; not set: all
 * of them have it, or none. */
struct verdict_part {
    struct opt_i64 runs, of;
};

struct verdict_op {
    const char *signature, *name, *category, *op_path;
    const char *change; /* slower, faster, added, removed, unchanged, shifted */
    double before_us, after_us, delta_us;
    struct opt_f64 delta_pct;                    /* of before; absent when before is 0 */
    double share_of_step;                        /* delta / baseline step time */
    struct opt_f64 p, q;                         /* statistics, when they could be made */
    struct verdict_part before_runs, after_runs; /* that run it */
};

/* A part of the step that is more than one op: µs per step and device, means over runs. */
struct verdict_group {
    const char *kind; /* phase, category, collective, gap, region, host, device */
    const char *name;
    double before_us, after_us, delta_us;
    struct verdict_part before_runs, after_runs; /* that have it */
};

/* Steady steps of all runs of a side that took so long: from_us is in it, until_us is not. */
struct verdict_step_bin {
    double from_us;
    struct opt_f64 until_us; /* not set: that long and longer */
    int64_t baseline, candidate;
};

struct verdict_measure {
    const char *name, *unit;
    struct opt_f64 before, after, delta;
    struct opt_f64 limit;
    const char *status; /* ok, warn, fail, unknown */
};

struct verdict_statistics { /* absent members: not enough runs */
    struct opt_f64 estimate_pct, ci_low_pct, ci_high_pct, p, df, run_sd_pct, mde_pct;
    struct opt_f64 pass_upper_pct; /* of a pass whose interval reaches beyond what matters: the
                                      one-sided bound, below what matters, that it rests on */
    struct opt_i64 more_runs_needed;
    struct opt_i64 more_steps_needed; /* in each capture of the candidate, instead of more runs */
    struct opt_f64 drift_pct_per_run; /* of the past, where it drifts */
    struct opt_f64 level_change_pct;  /* the past's last one before the candidate */
    struct opt_f64 level_end_pct;     /* and the first behind it, where it is older than that */
    struct opt_f64 effective_steps, autocorrelation;
};

struct verdict_balance { /* op deltas + idle delta + residual = step delta; µs per step, means over
                            steady spans */
    bool known;
    double step_delta_us, ops_delta_us, idle_delta_us, residual_us;
};

/* What made the step longer (or shorter): the largest cause that the gate could find. Its words are
 * schema/documents/cause_words.h's. Kinds: host, device, moving (another one in each run), growth
 * (within each capture), all_ops, op, ops, idle, unexplained; NULL when none was looked for, or the
 * step hardly changed. */
struct verdict_cause {
    const char *kind;
    const char *name; /* of the host, the device, several of them ("a, b"), or the op named first;
                         of `all_ops` the host that no past run ran on, if so */
    int64_t count;    /* hosts, devices or ops that it is about; of `moving` runs */
    int64_t of_count; /* of so many */
    double delta_us;  /* per step, of all that it is about; of `ops` and `op`: of these ops */
    struct opt_f64 change_pct;     /* of itself; of `growth` from first third to last */
    struct opt_f64 share_of_delta; /* delta / what the median step gained: 0.9 explains 90 % */
    struct opt_f64 first_share;    /* the same of the op named first alone */
    const char *precision; /* "f32 in place of bf16": of the ops that explain most of it; NULL */
};

#endif
