/* Implements the step rule. */
#include "compare/step_rule.h"
#include "compare/measures.h"
#include "compare/runs.h"
#include "compare/stats.h"

#include <math.h>
#include <string.h>

/* ---- decisions ------------------------------------------------------------------------------- */

double step_detectable(const struct gate_policy *policy, const struct run_test *test)
{
    return (stats_t_quantile(1 - policy->alpha_fail, test->df) +
            stats_t_quantile(policy->power, test->df)) *
           test->error;
}

enum verdict_status step_decide(const struct gate_policy *policy, const struct run_test *test,
                                double margin)
{
    if (test->p_slower < policy->alpha_fail && test->change >= margin)
        return VERDICT_FAIL;
    if (test->p_slower < policy->alpha_warn && test->change >= margin / 2)
        return VERDICT_WARN;
    double upper = test->change + stats_t_quantile(1 - policy->alpha_pass, test->df) * test->error;
    return upper < margin ? VERDICT_PASS : VERDICT_INCONCLUSIVE;
}

/* The larger of the policy's percentage and its absolute floor, as a logarithm. */
static double margin_of(const struct gate_policy *policy, double before_us)
{
    return fmax(log1p(policy->min_effect_pct / 100), log1p(policy->min_effect_us / before_us));
}

/* Further runs that would bring the detectable change under the margin: of the candidate when that
 * can do it, else of both sides. New runs also add degrees of freedom; leaving those out errs by
 * less than one run. */
static void more_runs_find(const struct judgement *judgement, struct step_outcome *outcome)
{
    double a = (double)judgement->baseline.count, b = (double)judgement->candidate.count;
    int64_t most = (int64_t)judgement->policy->max_more_runs;
    struct run_test grown = outcome->test;
    for (int both = judgement->paired ? 1 : 0; both <= 1; both++) {
        for (int64_t more = 1; more <= most; more++) {
            double added = (double)more;
            grown.error = outcome->test.sd * sqrt(1 / (a + both * added) + 1 / (b + added));
            if (step_detectable(judgement->policy, &grown) >= outcome->margin)
                continue;
            outcome->more_runs = more;
            outcome->more_of_both = both == 1;
            return;
        }
    }
}

/* The reference's rule on two medians, with the policy's limit and the absolute floor. */
static enum verdict_status fixed_decide(const struct gate_policy *policy, double before_us,
                                        double after_us)
{
    struct opt_f64 limit = measure_limit(policy, MEASURE_steady_step_median, before_us);
    double delta = after_us - before_us;
    if (!limit.set || delta <= limit.value || delta < policy->min_effect_us)
        return VERDICT_PASS;
    switch (policy->measures[MEASURE_steady_step_median].action) {
    case MEASURE_FAIL:
        return VERDICT_FAIL;
    case MEASURE_WARN:
        return VERDICT_WARN;
    default:
        return VERDICT_PASS;
    }
}

/* ---- the figures of the runs ----------------------------------------------------------------- */

struct figure_list {
    double *values;
    size_t count;
    bool whole; /* every run has it, and it is positive */
};

/* held_us: mean busy time of the baseline; only STEP_DEVICE_HELD uses it. */
static struct figure_list figures_read(struct judgement *judgement, const struct gate_runs *runs,
                                       enum step_figure figure, double held_us)
{
    struct figure_list list = {arena_array(judgement->arena, double, runs->count), 0, true};
    judgement->out_of_memory |= list.values == NULL;
    for (size_t i = 0; list.values != NULL && i < runs->count; i++) {
        struct opt_f64 step = runs->items[i].measures[MEASURE_steady_step_median];
        struct opt_f64 busy = runs->items[i].means[RUN_BUSY_MEAN];
        bool held = figure == STEP_DEVICE_HELD;
        double value = held ? step.value - busy.value + held_us : step.value;
        if (step.set && (busy.set || !held) && value > 0)
            list.values[list.count++] = value;
        else
            list.whole = false;
    }
    list.whole &= list.values != NULL;
    return list;
}

static struct run_values logs_of(struct figure_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        list->values[i] = log(list->values[i]);
    return (struct run_values){list->values, list->count};
}

/* The list keeps its order: pairs stand at the same place of two lists. */
static double median_of(struct judgement *judgement, const struct figure_list *list)
{
    double *sorted = arena_array(judgement->arena, double, list->count);
    judgement->out_of_memory |= sorted == NULL;
    if (sorted == NULL || list->count == 0)
        return 0;
    memcpy(sorted, list->values, list->count * sizeof *sorted);
    stats_sort(sorted, list->count);
    return stats_quantile(sorted, list->count, 0.5);
}

static void test_fill(struct judgement *judgement, struct figure_list lists[3],
                      struct step_outcome *outcome)
{
    struct run_values before = logs_of(&lists[0]), after = logs_of(&lists[1]);
    struct run_values history = logs_of(&lists[2]);
    outcome->tested = judgement->paired
                          ? run_test_make_paired(&history, &before, &after, &outcome->test)
                          : run_test_make(&history, &before, &after, &outcome->test);
    if (!outcome->tested)
        return;
    double before_us = exp(stats_mean(before.values, before.count));
    outcome->margin = margin_of(judgement->policy, before_us);
    outcome->detectable = step_detectable(judgement->policy, &outcome->test);
    if (outcome->detectable >= outcome->margin)
        more_runs_find(judgement, outcome);
}

struct step_outcome step_outcome_of(struct judgement *judgement, enum step_figure figure)
{
    const struct gate_policy *policy = judgement->policy;
    struct opt_f64 held = runs_mean(&judgement->baseline, RUN_BUSY_MEAN);
    struct step_outcome outcome = {0};
    struct figure_list lists[3] = {
        figures_read(judgement, &judgement->baseline, figure, held.value),
        figures_read(judgement, &judgement->candidate, figure, held.value),
        figures_read(judgement, &judgement->history, figure, held.value),
    };
    if (!lists[0].whole || !lists[1].whole || (figure == STEP_DEVICE_HELD && !held.set))
        return outcome;
    outcome.known = true;
    outcome.before_us = median_of(judgement, &lists[0]);
    outcome.after_us = median_of(judgement, &lists[1]);
    outcome.past_runs = lists[0].count + lists[2].count;
    test_fill(judgement, lists, &outcome);
    outcome.statistical = outcome.tested && (double)outcome.past_runs >= policy->min_past_runs;
    outcome.status = outcome.statistical
                         ? step_decide(policy, &outcome.test, outcome.margin)
                         : fixed_decide(policy, outcome.before_us, outcome.after_us);
    return outcome;
}
