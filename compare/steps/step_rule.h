/* The rule that decides: step time by the model of runs. Where runs are too few to tell, a limit of
 * the policy may still fail; nothing passes by it. Pure numbers; the sentences are in
 * step_reasons.c. Internal to compare/. */
#ifndef COMPARE_STEPS_STEP_RULE_H
#define COMPARE_STEPS_STEP_RULE_H

#include "compare/judgement/judgement.h"

/* Which step time of a run is looked at: steady_step_median, _period or _mean. */
struct step_figure {
    enum measure measure;
    bool device_held; /* with busy time replaced by the baseline's: idle, host and input are left */
};

/* What the model of runs says of the candidate; changes are logarithms. */
struct step_estimate {
    double change;    /* averaged */
    double shown;     /* half of the candidate's runs show this much or more, or chance hides it */
    double low, high; /* 95 %: p_slower is below .025 exactly where low is above 0 */
    double upper;     /* not larger than this, but for alpha_pass */
    double p_slower;  /* run_model_p */
    double df;        /* of the likeliest explanation */
    double sd;        /* of one run */
};

/* What the rule says of one figure, with the numbers behind it. */
struct step_outcome {
    bool known;   /* every candidate run and some baseline run has the figure */
    bool tested;  /* estimate, margin and detectable are filled; else nothing tells the noise */
    bool enough;  /* past runs to pass by: fewer may only fail */
    bool limited; /* the policy's fixed limit decided, where the test did not */
    enum newest_alone newest;
    bool newest_open; /* and that leaves it open what the past would decide */
    enum verdict_status status;
    double before_us, after_us; /* medians over runs */
    size_t past_runs;           /* that tell the noise */
    struct run_model model;
    struct step_estimate estimate;
    double margin;      /* smallest change that matters, as a logarithm */
    double detectable;  /* smallest change that fails with probability `power`, as a logarithm */
    bool tells;         /* a change of margin from none: what more_runs and more_steps are for */
    int64_t more_runs;  /* that would; 0: none would */
    bool more_of_both;  /* of each side, else of the candidate */
    int64_t more_steps; /* in each candidate run, that would; 0: none would */
};

/* The decision by an estimate and the margin: fail and warn by p and size; pass when a change of
 * margin is ruled out; else inconclusive. What half of the candidate's runs do not show is told by
 * a few of them, and fails nothing. */
enum verdict_status step_decide(const struct gate_policy *policy,
                                const struct step_estimate *estimate, double margin);

/* The change that would fail with probability `power`: so much above what p and margin ask for that
 * chance takes it below with probability 1 - power. */
double step_detectable(const struct gate_policy *policy, const struct run_model *model,
                       double margin, struct arena *arena);

/* The smallest change that is said to fail: `detectable`, or more where other runs of the candidate
 * would show it less often than the model of these says (step_claim.c). */
double step_claimed(const struct gate_state *judgement, const struct run_series *series,
                    double detectable);

/* What the policy's action for the measure makes of the rule's status: a fail or a warning at most
 * warns, or passes where the measure is for information. */
enum verdict_status step_action(const struct gate_policy *policy, enum measure measure,
                                enum verdict_status status);

/* Applies the rule to both sides. */
struct step_outcome step_outcome_of(struct gate_state *judgement, struct step_figure figure);

/* Decides: writes status, rule_id, statistics, step_status, period_status and the first reasons. */
void step_judge(struct gate_state *judgement);

#endif
