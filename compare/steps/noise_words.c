/* What the rule on step time allows for, in words. */
#include "compare/steps/noise_words.h"
#include "compare/steps/mixed_runs.h"

/* Less is not worth a word. */
bool is_wider_by_its_steps(const struct gate_state *judgement)
{
    static const double worth_a_word = 1.05;
    return !judgement->paired && judgement->step_noise.candidate_wider >= worth_a_word;
}

/* Above this weight a kind of noise is said to be there. */
static const double likely = 0.5;

void noise_reasons(struct gate_state *judgement, const struct step_outcome *outcome)
{
    const struct run_model *model = &outcome->model;
    if (!outcome->tested)
        return;
    bool wider = is_wider_by_its_steps(judgement), one = judgement->candidate.count == 1;
    double times = judgement->step_noise.candidate_wider;
    if (one && !judgement->paired && wider)
        reason_add(judgement, "spread_assumed",
                   "One run of the candidate, and its steps differ more than past ones, %.1f times "
                   "as much at least: its spread is assumed to be that of past runs, or wider.",
                   times);
    else if (one && !judgement->paired)
        reason_add(judgement, "spread_assumed",
                   "One run of the candidate: its spread is assumed to be that of past runs.");
    else if (run_model_noise_weight(model, NOISE_NOISIER) > likely && wider)
        reason_add(judgement, "candidate_noisier",
                   "The candidate's runs differ more than past runs did, or are held to, because "
                   "their steps differ %.1f times as much at least; this is allowed for.",
                   times);
    else if (run_model_noise_weight(model, NOISE_NOISIER) > likely)
        reason_add(judgement, "candidate_noisier",
                   "The candidate's runs differ more than past runs did; this is allowed for.");
    mixed_runs_reason(judgement, outcome->estimate.change);
    if (run_model_noise_weight(model, NOISE_CORRELATED) > likely)
        reason_add(judgement, "runs_correlated",
                   "Runs resemble those before them; they are counted for less.");
    if (run_model_noise_weight(model, NOISE_HOSTS) > likely)
        reason_add(judgement, "hosts_matter",
                   "Runs of the same hosts resemble each other; they are counted for less.");
}
