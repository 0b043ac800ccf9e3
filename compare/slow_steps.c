/* Implements the look at slow steps: means over the time from the start of a step to the start of
 * the next, behind the warm-up that a capture begins with. What was left out later on, by a policy
 * or in a summary of before, is a step that the user waited for. */
#include "compare/slow_steps.h"
#include "compare/measures.h"

/* How much longer than the median of its profile a slow step is, and how many are no accident. */
static const double slow_factor = 1.2;
enum { SLOW_MIN = 2 };

struct period_sum {
    double us;
    int64_t count, slow;
};

static void summary_add(const struct summary *summary, double median_us, struct period_sum *sum)
{
    const struct step_table *steps = &summary->steps;
    size_t i = 0;
    while (i < steps->count && steps->rows[i].warmup)
        i++;
    for (; i < steps->count; i++) {
        const struct step_row *row = &steps->rows[i];
        double us = (double)row->period_ps / 1e6;
        if (!row->has_period || row->period_ps <= 0)
            continue;
        sum->us += us;
        sum->count++;
        sum->slow += us > slow_factor * median_us;
    }
}

/* Of all steps of a side; none when a run does not tell its periods. */
static struct period_sum side_sum(const struct gate_runs *runs)
{
    struct period_sum sum = {0};
    for (size_t i = 0; i < runs->count; i++) {
        struct opt_f64 median = runs->items[i].measures[MEASURE_steady_step_period];
        if (!median.set)
            return (struct period_sum){0};
        for (size_t j = 0; j < runs->items[i].profile_count; j++)
            summary_add(runs->items[i].profiles[j]->summary, median.value, &sum);
    }
    return sum;
}

void slow_steps_reason(struct judgement *judgement)
{
    struct opt_f64 before = runs_median(judgement, &judgement->recent, MEASURE_steady_step_period);
    struct opt_f64 after =
        runs_median(judgement, &judgement->candidate, MEASURE_steady_step_period);
    struct period_sum past = side_sum(&judgement->recent);
    struct period_sum now = side_sum(&judgement->candidate);
    if (!judgement->steps_are_ours || !before.set || !after.set || past.count == 0 ||
        now.slow < SLOW_MIN)
        return;
    double past_mean = past.us / (double)past.count, mean = now.us / (double)now.count;
    double limit = 1 + judgement->policy->min_effect_pct / 100;
    double grown = mean / past_mean;
    if (grown <= limit || grown <= limit * after.value / before.value)
        return;
    char pair[FORMAT_CHANGE_BYTES];
    reason_add(judgement, "steps_slow",
               "Mean time from step to step %s: %lld of %lld steps are slow, %lld of %lld of the "
               "baseline, which medians do not show.",
               format_change(past_mean, mean, pair), (long long)now.slow, (long long)now.count,
               (long long)past.slow, (long long)past.count);
}
