/* The step rule in words: which outcome becomes the verdict, and the sentences that say why. */
#include "compare/runs/runs.h"
#include "compare/steps/estimate_words.h"
#include "compare/steps/noise_words.h"
#include "compare/provenance/provenance.h"
#include "compare/steps/slow_devices.h"
#include "compare/steps/step_rule.h"
#include "compare/steps/step_waits.h"

#include "schema/documents/verdict_reasons.h"

#include <math.h>
#include <stdio.h>

enum { PHRASE_BYTES = ESTIMATE_WORDS_BYTES, WHAT_BYTES = 200 };

/* "412.3 ms -> 431.9 ms (+4.8 %)": the medians and their own change. What the rule makes of the
 * runs is another figure, which estimate_words names as such. */
static const char *change_phrase(const struct step_outcome *outcome, char *buffer)
{
    return format_change(outcome->before_us, outcome->after_us, buffer);
}

static bool is_open(enum verdict_status status)
{
    return status == VERDICT_INCONCLUSIVE || status == VERDICT_WARN;
}

static void statistics_fill(struct gate_state *judgement, const struct step_outcome *outcome)
{
    struct verdict_statistics *out = &judgement->verdict->statistics;
    const struct step_estimate *estimate = &outcome->estimate;
    if (!outcome->tested)
        return;
    out->estimate_pct = some_f64(stats_percent(estimate->change));
    out->ci_low_pct = some_f64(stats_percent(estimate->low));
    out->ci_high_pct = some_f64(stats_percent(estimate->high));
    if (outcome->status == VERDICT_PASS && estimate->high >= outcome->margin)
        out->pass_upper_pct = some_f64(stats_percent(estimate->upper));
    out->p = some_f64(estimate->p_slower);
    out->df = some_f64(estimate->df);
    out->run_sd_pct = some_f64(stats_percent(estimate->sd));
    out->mde_pct = some_f64(stats_percent(outcome->detectable));
    if (!is_open(outcome->status))
        return; /* who has an answer needs no more */
    if (outcome->more_runs > 0)
        out->more_runs_needed = some_i64(outcome->more_runs);
    if (outcome->more_steps > 0)
        out->more_steps_needed = some_i64(outcome->more_steps);
}

/* ---- by statistics --------------------------------------------------------------------------- */

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

/* Too few runs to pass by, though the interval ends before what matters. */
static bool is_below_margin(const struct gate_state *judgement, const struct step_outcome *outcome)
{
    return !outcome->enough &&
           judgement->verdict->statistics.ci_high_pct.value < stats_percent(outcome->margin);
}

/* What the past would decide, main's newest runs would not. */
static void newest_uncertain(struct gate_state *judgement, const struct step_outcome *outcome,
                             const char *change, const char *estimate)
{
    bool one = judgement->newest_count == 1, slower = judgement->newest_apart > 0;
    bool fails = outcome->newest == NEWEST_WOULD_FAIL;
    reason_add(judgement, "step_median_uncertain",
               "Step time %s; %s: %s by the past, but %s %s already %+.1f %% against the runs "
               "before %s, and against %s alone the candidate would %s. Either %s %s, or the "
               "machine was: run the baseline branch again.",
               change, estimate, fails ? "not surely slower" : "surely slower",
               judgement->newest_name, one ? "is" : "are", stats_percent(judgement->newest_apart),
               one ? "it" : "them", one ? "it" : "them", fails ? "fail" : "not surely fail",
               one ? "that commit is" : "the baseline became", slower ? "slower" : "faster");
}

/* Why nothing is decided, and what would decide it. */
static void uncertain_reason(struct gate_state *judgement, const struct step_outcome *outcome)
{
    char change[PHRASE_BYTES], estimate[PHRASE_BYTES], advice[PHRASE_BYTES];
    size_t runs = judgement->candidate.count;
    change_phrase(outcome, change);
    step_advice(judgement, outcome, advice);
    if (!outcome->tested) {
        reason_add(judgement, "step_median_uncertain",
                   "Step time %s: %zu run%s and %zu %s%s do not tell a change from how runs vary; "
                   "%s.",
                   change, runs, plural((int64_t)runs), outcome->past_runs,
                   judgement->input->paired ? "pair" : "past run",
                   plural((int64_t)outcome->past_runs), advice);
        return;
    }
    estimate_words(judgement, outcome, true, estimate);
    const int decimals = estimate_decimals(outcome);
    const int seen_decimals =
        format_decimals_apart(stats_percent(outcome->detectable), stats_percent(outcome->margin));
    if (outcome->newest_open)
        newest_uncertain(judgement, outcome, change, estimate);
    else if (outcome->tells && is_below_margin(judgement, outcome))
        reason_add(judgement, "step_median_uncertain",
                   "Step time %s; %s: less than the %.*f %% that matter, but %zu %s%s too few to "
                   "know how runs vary; %s.",
                   change, estimate, decimals, stats_percent(outcome->margin), outcome->past_runs,
                   judgement->input->paired ? "pair" : "past run",
                   outcome->past_runs == 1 ? " is" : "s are", advice);
    else if (outcome->tells)
        reason_add(judgement, "step_median_uncertain",
                   "Step time %s; %s: neither surely slower by the %.*f %% that matter "
                   "nor surely not; %s.",
                   change, estimate, decimals, stats_percent(outcome->margin), advice);
    else if (outcome->detectable > log(2))
        reason_add(
            judgement, "step_median_uncertain",
            "Step time %s; %s: with %zu %s%s that differ so much even a doubled step would not "
            "surely fail; %s.",
            change, estimate, runs, judgement->input->paired ? "pair" : "candidate run",
            plural((int64_t)runs), advice);
    else
        reason_add(judgement, "step_median_uncertain",
                   "Step time %s; %s: a loss under %.*f %% could not have been seen, "
                   "%.*f %% matter; %s.",
                   change, estimate, seen_decimals, stats_percent(outcome->detectable),
                   seen_decimals, stats_percent(outcome->margin), advice);
}

/* Where the policy makes less of a longer step than the rule does; "" where it does not. */
static const char *action_phrase(const struct gate_state *judgement,
                                 const struct step_outcome *outcome)
{
    enum verdict_status status =
        step_action(judgement->policy, MEASURE_steady_step_median, outcome->status);
    return status == outcome->status ? ""
           : status == VERDICT_WARN  ? "; by the policy it only warns"
                                     : "; by the policy it is for information only";
}

/* As sure of a gain as a fail has to be of a loss, and as large. */
static bool is_improved(const struct gate_state *judgement, const struct step_outcome *outcome)
{
    return 1 - run_model_below(&outcome->model, 0) < judgement->policy->alpha_fail &&
           -outcome->estimate.change >= outcome->margin;
}

/* A fail but for the runs in the middle. */
static bool is_told_by_few(const struct gate_state *judgement, const struct step_outcome *outcome)
{
    return outcome->estimate.p_slower < judgement->policy->alpha_fail &&
           outcome->estimate.change >= outcome->margin;
}

static void statistics_reason(struct gate_state *judgement, const struct step_outcome *outcome)
{
    char change[PHRASE_BYTES], estimate[PHRASE_BYTES], one_sided[PHRASE_BYTES];
    change_phrase(outcome, change);
    estimate_words(judgement, outcome, true, estimate);
    const int decimals = estimate_decimals(outcome);
    switch (outcome->status) {
    case VERDICT_FAIL:
        reason_add(judgement, "step_median_regressed",
                   "Step time %s; %s: surely slower, and the estimate is beyond the %.*f %% that "
                   "matter%s.",
                   change, estimate, decimals, stats_percent(outcome->margin),
                   action_phrase(judgement, outcome));
        return;
    case VERDICT_WARN:
        reason_add(judgement, "step_median_suspected", "Step time %s; %s: %s%s.", change, estimate,
                   is_told_by_few(judgement, outcome)
                       ? "slower by what matters in the mean, but half of the runs or more do not "
                         "show it, and that fails nothing"
                       : "probably slower, but too little or too uncertain to fail",
                   action_phrase(judgement, outcome));
        return;
    case VERDICT_PASS:
        if (is_improved(judgement, outcome)) {
            reason_add(judgement, "step_median_improved",
                       "Step time %s; %s: surely faster, and the estimate is beyond the %.*f %% "
                       "that matter.",
                       change, estimate_words(judgement, outcome, false, estimate), decimals,
                       stats_percent(outcome->margin));
            return;
        }
        /* What a pass rests on, where the interval reaches beyond what matters; "" where it does
         * not. */
        struct opt_f64 upper = judgement->verdict->statistics.pass_upper_pct;
        one_sided[0] = '\0';
        if (upper.set)
            (void)snprintf(one_sided, PHRASE_BYTES,
                           "; the interval is two-sided, a pass one-sided: at most %+.*f %%, with "
                           "%.3g %% confidence",
                           format_decimals_apart(upper.value, stats_percent(outcome->margin)),
                           upper.value, 100 * (1 - judgement->policy->alpha_pass));
        reason_add(judgement, "step_median_equivalent",
                   "Step time %s; %s: not slower by the %.*f %% that matter%s.", change, estimate,
                   decimals, stats_percent(outcome->margin), one_sided);
        return;
    default:
        uncertain_reason(judgement, outcome);
    }
}

/* ---- of few runs -------------------------------------------------------------------------------
 */

static void fixed_reason(struct gate_state *judgement, const struct step_outcome *outcome)
{
    struct opt_f64 limit =
        measure_limit(judgement->policy, MEASURE_steady_step_median, outcome->before_us);
    char change[PHRASE_BYTES], allowed[FORMAT_BYTES];
    reason_add(judgement, "step_median_regressed", "Step time %s, beyond the fixed limit (%s).",
               change_phrase(outcome, change), duration_text(limit.value, allowed));
}

/* ---- what else decides ----------------------------------------------------------------------- */

static void decide(struct gate_state *judgement, enum verdict_status status, const char *rule_id)
{
    judgement->verdict->status = judgement->step_status = status;
    judgement->verdict->rule_id = rule_id;
}

/* No profile of the side has steps, and none would get any by running again as it was. */
static bool are_unmarked(const struct gate_side *side)
{
    size_t count = 0;
    while (count < side->profile_count && summary_is_unmarked(side->profiles[count].summary))
        count++;
    return count == side->profile_count;
}

static void no_steps(struct gate_state *judgement)
{
    bool baseline = judgement->verdict->baseline.step_median_us.set;
    bool candidate = judgement->verdict->candidate.step_median_us.set;
    decide(judgement, VERDICT_INCONCLUSIVE, "data");
    if (!candidate && are_unmarked(&judgement->input->candidate)) {
        reason_add(
            judgement, "no_steps",
            "No steps were found in the candidate, for nothing marks them: " STEP_MARKS_ADVICE
            ", and profile again.");
        return;
    }
    reason_add(judgement, "no_steps",
               "No steady steps were found in %s: profile again, with %.0f or more marked steps "
               "behind the warm-up.",
               !baseline && !candidate ? "baseline and candidate"
               : !baseline             ? "the baseline"
               : !candidate            ? "the candidate"
                                       : "some runs",
               judgement->policy->min_steps);
}

/* Equal programs: what the device takes longer is environment; the rest still counts. */
static void same_program_judge(struct gate_state *judgement, const struct step_outcome *measured)
{
    struct step_outcome held =
        step_outcome_of(judgement, (struct step_figure){MEASURE_steady_step_median, true});
    bool beside = held.known && held.status == VERDICT_FAIL;
    if (measured->status == VERDICT_FAIL && !beside)
        decide(judgement, VERDICT_WARN, "same_program");
    if (!held.known) {
        reason_add(judgement, "same_program",
                   "Both sides ran the same compiled program (A/A); device time is not known apart "
                   "from the step, so a difference counts as environment.");
        return;
    }
    char change[PHRASE_BYTES];
    reason_add(judgement, "same_program",
               "Both sides ran the same compiled program (A/A): with device time held equal the "
               "step is %s%s.",
               change_phrase(&held, change),
               beside ? ", which idle, host or input time must answer for" : "");
}

/* The device's own time explains less than this part of a longer step: it did not slow down. */
static const double device_blame_share = 0.2;

static void device_reason(struct gate_state *judgement, const struct step_outcome *outcome)
{
    struct opt_f64 before = runs_mean(&judgement->op_sides.before, RUN_BUSY_MEAN);
    struct opt_f64 after = runs_mean(&judgement->op_sides.after, RUN_BUSY_MEAN);
    struct opt_f64 slowest = devices_busy_gain(judgement);
    double step = outcome->after_us - outcome->before_us;
    bool longer = 100 * step > judgement->policy->min_effect_pct * outcome->before_us;
    if (!before.set || !after.set || !longer ||
        after.value - before.value > device_blame_share * step ||
        (slowest.set && slowest.value > device_blame_share * step))
        return;
    char change[FORMAT_CHANGE_BYTES];
    double gain = fmax(after.value - before.value, slowest.set ? slowest.value : 0);
    (void)format_change(before.value, after.value, change);
    if (100 * gain <= judgement->policy->min_effect_pct * before.value)
        reason_add(
            judgement, "device_not_slower",
            "No device is busy longer: they are busy for %s of a step in the mean; idle, host "
            "or input time made the step longer.",
            change);
    else
        reason_add(judgement, "device_not_slower",
                   "What devices do explains at most %.0f %% of the longer step (they are busy for "
                   "%s of it in the mean); idle, host or input time made the rest.",
                   100 * gain / step, change);
}

void step_judge(struct gate_state *judgement)
{
    struct step_outcome outcome =
        step_outcome_of(judgement, (struct step_figure){MEASURE_steady_step_median, false});
    judgement->period_status = VERDICT_INCONCLUSIVE;
    if (!outcome.known) {
        no_steps(judgement);
        return;
    }
    statistics_fill(judgement, &outcome);
    if (judgement->baseline_unfit || judgement->candidate_unfit) {
        /* Nothing is said against a change on the word of profiles that have to be taken again. */
        char change[PHRASE_BYTES];
        const char *why = judgement->rerun_text;
        decide(judgement, VERDICT_INCONCLUSIVE, "data");
        reason_add(judgement, "rerun_needed",
                   "%s What medians show of the step time, %s, says nothing.",
                   why == NULL ? "" : why, change_phrase(&outcome, change));
    } else {
        enum verdict_status status =
            step_action(judgement->policy, MEASURE_steady_step_median, outcome.status);
        decide(judgement, status, outcome.limited ? "fixed_limits" : "run_statistics");
        if (outcome.limited)
            fixed_reason(judgement, &outcome);
        else
            statistics_reason(judgement, &outcome);
        outcome.status = status;
        /* Who fails needs no more; what would tell one that is open stands in its own sentence. */
        if (!outcome.enough) {
            const char *what = judgement->input->paired ? "pair" : "past run";
            reason_add(judgement, "few_runs",
                       "%zu %s%s to learn from how runs vary: nothing passes with fewer than %.0f.",
                       outcome.past_runs, what, plural((int64_t)outcome.past_runs),
                       judgement->policy->min_past_runs);
        }
        noise_reasons(judgement, &outcome);
        past_reasons(judgement, outcome.newest);
    }
    judgement->same_program = same_program(judgement);
    if (judgement->same_program)
        same_program_judge(judgement, &outcome);
    device_reason(judgement, &outcome);
    period_judge(judgement);
}
