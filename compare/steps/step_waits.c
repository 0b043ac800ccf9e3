/* Implements the rule on the time from step to step. */
#include "compare/steps/step_waits.h"
#include "compare/runs/runs.h"
#include "compare/steps/estimate_words.h"
#include "compare/steps/step_rule.h"

#include <math.h>
#include <stdio.h>

/* ---- compilation ----------------------------------------------------------------------------- */

/* Of the steps: from so many on their median tells of it, and so many more than the baseline's. */
static const double median_part = 0.4, more_part = 0.5;

static double compiled_part(const struct gate_runs *runs)
{
    double compiled = 0, steps = 0;
    for (size_t i = 0; i < runs->count; i++) {
        for (size_t j = 0; j < runs->items[i].profile_count; j++) {
            const struct step_table *own = &runs->items[i].profiles[j]->summary->steps;
            compiled += (double)steps_recompiled(own);
            steps += (double)own->count;
        }
    }
    return steps > 0 ? compiled / steps : 0;
}

static const char *wait_words(const struct gate_state *judgement)
{
    double before = compiled_part(&judgement->baseline);
    double after = compiled_part(&judgement->candidate);
    return after >= median_part && after - before >= more_part * after
               ? "the host compiles (recompilation), and keeps"
               : "input, host or dispatch keep";
}

/* ---- the rule -------------------------------------------------------------------------------- */

/* Less than this part of a longer period lies between the steps: the steps are what grew. */
static const double between_blame_share = 0.5;

/* From this part of the period on that a side waits between steps, the period is a matter of its
 * own: what the steps tell does not tell it. */
static const double own_matter_share = 0.1;

/* Steps that pass say nothing of a job that waits between them, where the time from step to step
 * differs too much to rule out a loss that matters. */
static void waits_bar_pass(struct gate_state *judgement, const struct step_outcome *period,
                           double share)
{
    char change[FORMAT_CHANGE_BYTES], interval[INTERVAL_WORDS_BYTES];
    char advice[ESTIMATE_WORDS_BYTES], what[ESTIMATE_WORDS_BYTES];
    const double percent = 100 * expm1(period->detectable), matters = 100 * expm1(period->margin);
    const int decimals = format_decimals_apart(percent, matters);
    if (judgement->verdict->status != VERDICT_PASS || !period->tested ||
        judgement->policy->measures[MEASURE_steady_step_period].action == MEASURE_INFO)
        return;
    if (period->tells)
        (void)snprintf(what, sizeof what,
                       "it is neither surely longer by the %.*f %% that matter nor surely not",
                       estimate_decimals(period), matters);
    else
        (void)snprintf(what, sizeof what,
                       "that differs so much that a loss under %.*f %% could not have been seen, "
                       "%.*f %% matter",
                       decimals, percent, decimals, matters);
    reason_add(judgement, "step_period_uncertain",
               "The time from one step to the next is %s; its own estimate is %s. Devices wait "
               "between steps for up to "
               "%.0f %% of it, and %s; %s.",
               format_change(period->before_us, period->after_us, change),
               interval_words(period, interval), 100 * share, what,
               step_advice(judgement, period, advice));
    status_decide(judgement, VERDICT_INCONCLUSIVE, "run_statistics");
}

/* A longer step that takes the place of waits costs nothing yet: said, and judged all the same. */
static void waits_hide_steps(struct gate_state *judgement, const struct step_outcome *period,
                             double share)
{
    char change[FORMAT_CHANGE_BYTES];
    if (judgement->step_status == VERDICT_FAIL || judgement->step_status == VERDICT_WARN)
        reason_add(judgement, "step_hidden_by_waits",
                   "The time from one step to the next is %s, not longer by the %.1f %% that "
                   "matter: devices wait between steps for up to %.0f %% of it, and the longer "
                   "step takes the place of waits for input, host or dispatch. It costs when they "
                   "wait less.",
                   format_change(period->before_us, period->after_us, change),
                   100 * expm1(period->margin), 100 * share);
}

/* What the policy lets a longer period do; one that is longer because its steps are does what the
 * rule on steps made of them. */
static enum verdict_status period_limit(struct gate_state *judgement,
                                        const struct step_outcome *period, bool *ret_waits)
{
    const struct step_figure figure = {MEASURE_steady_step_median, judgement->same_program};
    enum verdict_status status =
        step_action(judgement->policy, MEASURE_steady_step_period, period->status);
    *ret_waits = false;
    if (status != VERDICT_FAIL && status != VERDICT_WARN)
        return status;
    struct step_outcome steps = step_outcome_of(judgement, figure);
    /* The period grew, and not because the steps did. */
    double longer = period->after_us - period->before_us;
    double within = steps.after_us - steps.before_us;
    *ret_waits = steps.known && longer > 0 && longer - within >= between_blame_share * longer;
    return *ret_waits ? status : judgement->step_status;
}

void period_judge(struct gate_state *judgement)
{
    const struct step_figure figure = {MEASURE_steady_step_period, judgement->same_program};
    struct step_outcome outcome = step_outcome_of(judgement, figure);
    if (!outcome.known || judgement->baseline_unfit || judgement->candidate_unfit)
        return;
    bool waits;
    enum verdict_status by_runs = outcome.status;
    /* Of the side that waits longer; 0 where steps or periods are not known. */
    const struct gate_runs *sides[] = {&judgement->baseline, &judgement->candidate};
    double share = 0;
    for (size_t i = 0; i < 2; i++) {
        struct opt_f64 step = runs_median(judgement, sides[i], MEASURE_steady_step_median);
        struct opt_f64 period = runs_median(judgement, sides[i], MEASURE_steady_step_period);
        if (step.set && period.set && period.value > 0)
            share = fmax(share, 1 - step.value / period.value);
    }
    outcome.status = period_limit(judgement, &outcome, &waits);
    judgement->period_status = outcome.status;
    if (share >= own_matter_share && by_runs == VERDICT_INCONCLUSIVE)
        waits_bar_pass(judgement, &outcome, share);
    if (share >= own_matter_share && by_runs == VERDICT_PASS)
        waits_hide_steps(judgement, &outcome, share);
    if (!waits)
        return;
    bool fails = outcome.status == VERDICT_FAIL;
    char change[FORMAT_CHANGE_BYTES];
    reason_add(judgement, fails ? "step_period_regressed" : "step_period_suspected",
               "The time from one step to the next is %s%s: %s the device waiting between steps.",
               format_change(outcome.before_us, outcome.after_us, change),
               figure.device_held ? " with device time held equal" : "", wait_words(judgement));
    status_raise(judgement, outcome.status, outcome.limited ? "fixed_limits" : "run_statistics");
}
