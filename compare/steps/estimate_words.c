/* Implements the words of the estimate. */
#include "compare/steps/estimate_words.h"

#include <math.h>
#include <stdio.h>

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

const char *estimate_words(const struct gate_state *judgement, const struct step_outcome *outcome,
                           bool with_p, char *buffer)
{
    enum { PART_BYTES = 48 };
    const struct verdict_statistics *s = &judgement->verdict->statistics;
    char p[PART_BYTES] = "", pairs[PART_BYTES] = "";
    if (with_p)
        (void)snprintf(p, sizeof p, ", p = %.2g", s->p.value);
    if (with_p && judgement->paired)
        (void)snprintf(pairs, sizeof pairs, " of %zu pair%s", judgement->baseline.count,
                       judgement->baseline.count == 1 ? "" : "s");
    (void)snprintf(buffer, ESTIMATE_WORDS_BYTES,
                   "the rule estimates %+.1f %%, 95 %% interval %+.1f..%+.1f %%%s%s%s",
                   s->estimate_pct.value, s->ci_low_pct.value, s->ci_high_pct.value, p, pairs,
                   apart_words(judgement, outcome));
    return buffer;
}
