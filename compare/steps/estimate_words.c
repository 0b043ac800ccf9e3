/* Implements the words of the estimate, and what else would tell. */
#include "compare/steps/estimate_words.h"
#include "compare/steps/noise_words.h"
#include "schema/documents/verdict_reasons.h"

#include <math.h>
#include <stdio.h>

enum { WHAT_BYTES = 700 };

/* "" where the estimate is about what the medians show. */
static const char *apart_words(const struct gate_state *judgement,
                               const struct step_outcome *outcome)
{
    static const double likely = 0.5;
    double shown = log(outcome->after_us / outcome->before_us);
    if (fabs(outcome->estimate.change - shown) <= outcome->margin)
        return "";
    if (judgement->paired)
        return " (within pairs; the medians are of each side by itself)";
    if (judgement->verdict->statistics.drift_pct_per_run.set && judgement->drift_leads)
        return " (against where the drift leads; the medians are of past runs as they were)";
    if (run_model_noise_weight(&outcome->model, NOISE_HOSTS) > likely)
        return " (between runs of the same hosts; the medians are of all)";
    if (run_model_noise_weight(&outcome->model, NOISE_CORRELATED) > likely)
        return " (mostly against the newest past runs; the medians are of all)";
    return " (it weighs every run and how the past may go on; the medians do neither)";
}

int estimate_decimals(const struct step_outcome *outcome)
{
    const struct step_estimate *estimate = &outcome->estimate;
    const double ends[] = {fabs(stats_percent(estimate->change)), stats_percent(estimate->low),
                           stats_percent(estimate->high)};
    int decimals = 1;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        int apart = format_decimals_apart(ends[i], stats_percent(outcome->margin));
        decimals = apart > decimals ? apart : decimals;
    }
    return decimals;
}

const char *interval_words(const struct step_outcome *outcome, char *buffer)
{
    const struct step_estimate *estimate = &outcome->estimate;
    const int decimals = estimate_decimals(outcome);
    (void)snprintf(buffer, INTERVAL_WORDS_BYTES, "%+.*f %%, 95 %% interval %+.*f..%+.*f %%",
                   decimals, format_zero(stats_percent(estimate->change), decimals), decimals,
                   format_zero(stats_percent(estimate->low), decimals), decimals,
                   format_zero(stats_percent(estimate->high), decimals));
    return buffer;
}

const char *estimate_words(const struct gate_state *judgement, const struct step_outcome *outcome,
                           bool with_p, char *buffer)
{
    enum { PART_BYTES = 48 };
    char p[PART_BYTES] = "", pairs[PART_BYTES] = "", interval[INTERVAL_WORDS_BYTES];
    if (with_p)
        (void)snprintf(p, sizeof p, ", p = %.2g", outcome->estimate.p_slower);
    if (with_p && judgement->paired)
        (void)snprintf(pairs, sizeof pairs, " of %zu pair%s", judgement->baseline.count,
                       judgement->baseline.count == 1 ? "" : "s");
    (void)snprintf(buffer, ESTIMATE_WORDS_BYTES, "the rule estimates %s%s%s%s",
                   interval_words(outcome, interval), p, pairs, apart_words(judgement, outcome));
    return buffer;
}

/* ---- advice ---------------------------------------------------------------------------------- */

/* "3 more runs of the candidate, or num_steps >= 10," with what was captured before it; "" where no
 * number that may be asked for would tell. */
static const char *runs_phrase(const struct gate_state *judgement,
                               const struct step_outcome *outcome, char *buffer)
{
    enum { PART_BYTES = 2 * FORMAT_COUNTED_BYTES + 32 };
    char runs[PART_BYTES] = "", steps[PART_BYTES] = "", captured[PART_BYTES] = "";
    char number[FORMAT_COUNTED_BYTES], other[FORMAT_COUNTED_BYTES];
    const bool paired = judgement->input->paired;
    int64_t count = (int64_t)judgement->candidate.count, all = 0;
    for (size_t i = 0; i < judgement->candidate.count; i++)
        all += judgement->candidate.items[i].step_count;
    if (outcome->more_steps > 0)
        (void)snprintf(captured, sizeof captured, "captured %s of %s; ",
                       format_counted(all / count, "step", number),
                       format_counted(count, "run", other));
    if (outcome->more_runs > 0)
        (void)snprintf(
            runs, sizeof runs, "%s%s",
            format_counted(outcome->more_runs, paired ? "more pair" : "more run", number),
            paired                  ? ""
            : outcome->more_of_both ? " of each side"
                                    : " of the candidate");
    if (outcome->more_steps > 0)
        (void)snprintf(steps, sizeof steps, "%snum_steps >= %lld",
                       outcome->more_runs > 0 ? ", or " : "", (long long)outcome->more_steps);
    (void)snprintf(buffer, WHAT_BYTES, "%s%s%s", captured, runs, steps);
    return buffer;
}

/* Pairs or past runs that are missing to pass by: "5 more past runs are needed". */
static const char *missing_phrase(const struct gate_state *judgement,
                                  const struct step_outcome *outcome, char *buffer)
{
    double missing = fmax(judgement->policy->min_past_runs - (double)outcome->past_runs, 1);
    const char *what = judgement->input->paired ? "more pair" : "more past run";
    char number[FORMAT_COUNTED_BYTES];
    (void)snprintf(buffer, WHAT_BYTES, "%s %s needed",
                   format_counted((int64_t)missing, what, number), missing > 1 ? "are" : "is");
    return buffer;
}

const char *step_advice(const struct gate_state *judgement, const struct step_outcome *outcome,
                        char *buffer)
{
    char what[WHAT_BYTES];
    if (!outcome->tested || (outcome->tells && !outcome->enough))
        (void)snprintf(buffer, ESTIMATE_WORDS_BYTES, "%s",
                       missing_phrase(judgement, outcome, what));
    else if (outcome->tells)
        (void)snprintf(buffer, ESTIMATE_WORDS_BYTES, "a repeat would tell");
    else if (outcome->more_runs == 0 && outcome->more_steps == 0)
        (void)snprintf(buffer, ESTIMATE_WORDS_BYTES, "%s",
                       judgement->input->paired ? VERDICT_PAIRS_TELL_NOTHING
                                                : VERDICT_RUNS_TELL_NOTHING);
    else
        (void)snprintf(buffer, ESTIMATE_WORDS_BYTES,
                       "%s would show a loss of %.1f %% %.0f times of 100%s",
                       runs_phrase(judgement, outcome, what), stats_percent(outcome->margin),
                       100 * judgement->policy->power,
                       judgement->candidate.count > 1     ? ""
                       : is_wider_by_its_steps(judgement) ? " if it varies as its steps make likely"
                                                          : " if it varies as past runs do");
    return buffer;
}
