/* Implements the smallest effect that is claimed, beyond what the model of runs would fail. */
#include "compare/runs/runs.h"
#include "compare/statistics/statistics.h"
#include "compare/steps/step_rule.h"

#include <math.h>

/* What makes a loss that other runs of the candidate show fail less often than the model of these
 * says. Where its steps surely differ more than past ones its runs do: a few that happen to agree
 * tell less than the next few ask for; `wider` is what is sure, and the middle is more. Where past
 * runs have long tails the candidate's have. What a fail asks for stays as it is; by how much was
 * measured (compare/README.md). */
static const double wider_claim = 1.05, wider_whole = 1.5;
static const double tails_from = 3.5, tails_claim = 1.15;

double step_claimed(const struct gate_state *judgement, const struct run_series *series,
                    double detectable)
{
    if (judgement->paired)
        return detectable;
    const struct gate_policy *policy = judgement->policy;
    double runs = (double)judgement->candidate.count, past = (double)judgement->timeline_count;
    double wider = judgement->step_noise.candidate_wider;
    double df = runs > 1 ? runs - 1 : run_lone_df;
    double told = fmin(log(fmax(wider, 1)) / log(wider_whole), 1);
    double asked =
        stats_t_quantile(1 - policy->alpha_fail, df) + stats_t_quantile(policy->power, df);
    double claimed =
        fmax(detectable, (told * wider_claim * wider * sqrt(timeline_past_variance(judgement)) *
                          asked * sqrt(1 / runs + 1 / past)));
    /* The kurtosis of past runs; 0 of few. */
    enum { RUNS_LEAST = 20 };
    double mean = 0, squares = 0, fourths = 0, count = 0;
    for (size_t i = 0; i < series->count; i++) {
        if (series->points[i].role != RUN_CANDIDATE)
            mean += (series->points[i].value - mean) / ++count;
    }
    for (size_t i = 0; i < series->count; i++) {
        double square = pow(series->points[i].value - mean, 2);
        if (series->points[i].role == RUN_CANDIDATE)
            continue;
        squares += square;
        fourths += square * square;
    }
    return (count < RUNS_LEAST || squares <= 0 ? 0 : count * fourths / (squares * squares)) >
                   tails_from
               ? tails_claim * claimed
               : claimed;
}
