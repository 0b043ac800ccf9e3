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
static enum verdict_status fixed_decide(const struct gate_policy *policy, enum measure measure,
                                        double before_us, double after_us)
{
    struct opt_f64 limit = measure_limit(policy, measure, before_us);
    double delta = after_us - before_us;
    if (!limit.set || delta <= limit.value || delta < policy->min_effect_us)
        return VERDICT_PASS;
    switch (policy->measures[measure].action) {
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

/* What is taken off a run's step to hold its device time at the baseline's. */
struct holding {
    bool wanted, known;
    double busy_us; /* mean of the baseline */
    double weight;  /* of a microsecond that the mean device is busy longer */
};

/* What busy time has to make of longer spans, at least, for the slow device to be slow by work. */
static const double busy_blame_share = 0.5;

/* A device that is slow alone makes the step longer by all that it takes longer, the mean device by
 * a part of that. The weight is how many times more the step grew than the mean device's, at most
 * the number of devices; 1 where waiting made the spans longer, or the weight would only make the
 * noise of busy time louder. */
static double lone_weight(struct judgement *judgement)
{
    const struct gate_runs *sides[] = {&judgement->baseline, &judgement->candidate};
    struct opt_f64 steps[2], spans[2], busy[2];
    for (int i = 0; i < 2; i++) {
        steps[i] = runs_median(judgement, sides[i], MEASURE_steady_step_median);
        spans[i] = runs_mean(sides[i], RUN_SPAN_MEAN);
        busy[i] = runs_mean(sides[i], RUN_BUSY_MEAN);
        if (!steps[i].set || !spans[i].set || !busy[i].set)
            return 1;
    }
    double step = steps[1].value - steps[0].value, span = spans[1].value - spans[0].value;
    double most = (double)judgement->candidate.items[0].profiles[0]->summary->device_count;
    if (step <= 0 || span <= 0 || most <= 1 ||
        busy[1].value - busy[0].value < busy_blame_share * span)
        return 1;
    return fmin(fmax(step / span, 1), most);
}

static struct holding holding_of(struct judgement *judgement, struct step_figure figure)
{
    if (!figure.device_held)
        return (struct holding){.known = true};
    struct opt_f64 busy = runs_mean(&judgement->baseline, RUN_BUSY_MEAN);
    return (struct holding){true, busy.set, busy.value, lone_weight(judgement)};
}

static struct figure_list figures_read(struct judgement *judgement, const struct gate_runs *runs,
                                       enum measure measure, const struct holding *holding)
{
    struct figure_list list = {arena_array(judgement->arena, double, runs->count), 0, true};
    judgement->out_of_memory |= list.values == NULL;
    for (size_t i = 0; list.values != NULL && i < runs->count; i++) {
        struct opt_f64 step = runs->items[i].measures[measure];
        struct opt_f64 busy = runs->items[i].means[RUN_BUSY_MEAN];
        double longer = holding->wanted ? busy.value - holding->busy_us : 0;
        double value = step.value - holding->weight * longer;
        if (step.set && (busy.set || !holding->wanted) && value > 0)
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

/* The period is a second chance to fail the same change: its p counts twice (Bonferroni). */
static enum verdict_status statistics_decide(const struct gate_policy *policy, enum measure measure,
                                             const struct step_outcome *outcome)
{
    struct run_test test = outcome->test;
    if (measure == MEASURE_steady_step_period)
        test.p_slower = fmin(2 * test.p_slower, 1);
    return step_decide(policy, &test, outcome->margin);
}

struct step_outcome step_outcome_of(struct judgement *judgement, struct step_figure figure)
{
    const struct gate_policy *policy = judgement->policy;
    struct holding holding = holding_of(judgement, figure);
    struct step_outcome outcome = {0};
    struct figure_list lists[3] = {
        figures_read(judgement, &judgement->baseline, figure.measure, &holding),
        figures_read(judgement, &judgement->candidate, figure.measure, &holding),
        figures_read(judgement, &judgement->history, figure.measure, &holding),
    };
    if (!lists[0].whole || !lists[1].whole || !holding.known)
        return outcome;
    outcome.known = true;
    outcome.before_us = median_of(judgement, &lists[0]);
    outcome.after_us = median_of(judgement, &lists[1]);
    outcome.past_runs = lists[0].count + lists[2].count;
    test_fill(judgement, lists, &outcome);
    outcome.statistical = outcome.tested && (double)outcome.past_runs >= policy->min_past_runs;
    outcome.status = outcome.statistical ? statistics_decide(policy, figure.measure, &outcome)
                                         : fixed_decide(policy, figure.measure, outcome.before_us,
                                                        outcome.after_us);
    return outcome;
}
