/* The rule that decides: step time by statistics on runs, or by a fixed limit where there are too
 * few of them. Pure numbers; the sentences are in step_reasons.c. Internal to compare/. */
#ifndef COMPARE_STEP_RULE_H
#define COMPARE_STEP_RULE_H

#include "compare/judgement.h"
#include "compare/run_test.h"

/* Which step time of a run is looked at: steady_step_median or steady_step_period. */
struct step_figure {
    enum measure measure;
    bool device_held; /* with busy time replaced by the baseline's: idle, host and input are left */
};

/* What the rule says of one figure, with the numbers behind it. */
struct step_outcome {
    bool known;       /* every run of both sides has the figure */
    bool statistical; /* else by the fixed limit */
    enum verdict_status status;
    double before_us, after_us; /* medians over runs */
    size_t past_runs;           /* baseline and history */
    bool tested;                /* test, margin and detectable are filled (also of few runs) */
    struct run_test test;
    double margin;     /* smallest change that matters, as a logarithm */
    double detectable; /* smallest change that would probably have failed, as a logarithm */
    int64_t more_runs; /* that would bring detectable under margin; 0: none would */
    bool more_of_both; /* of each side, else of the candidate */
};

/* The decision of spec/trackers.md 2c.3 by a test and the margin. */
enum verdict_status step_decide(const struct gate_policy *policy, const struct run_test *test,
                                double margin);

/* (t(1 - alpha_fail) + t(power)) * SE. */
double step_detectable(const struct gate_policy *policy, const struct run_test *test);

/* Applies the rule to both sides. Sets out_of_memory beyond the budget. */
struct step_outcome step_outcome_of(struct judgement *judgement, struct step_figure figure);

/* Decides: writes status, rule_id, statistics, step_status, period_status and the first reasons. */
void step_judge(struct judgement *judgement);

#endif
