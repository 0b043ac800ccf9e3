/* How far the mean of the steps of each run stands above its faster ones: what slow steps do, and a
 * median does not show. Internal to compare/. */
#ifndef COMPARE_STEPS_EXCESSES_H
#define COMPARE_STEPS_EXCESSES_H

#include "compare/runs/runs.h"

/* The steps of a profile ascending, in us; none where it has no rows of ours. */
struct waits {
    double *us;
    size_t count;
};

/* In the arena. */
struct waits waits_read(struct gate_state *judgement, const struct summary *summary);

/* How far the means stand above the faster steps, of all runs. */
struct excesses {
    double *past, *now; /* of past runs of all baselines, and behind them the candidate's */
    size_t past_count, now_count;
    double usual;       /* median of the baseline's */
    const char **grown; /* candidate runs where it grew by what matters */
    size_t grown_count, past_grown_count;
    size_t lopsided_count; /* of them, where slow steps grew farther than fast ones */
    size_t compiled; /* how often the host compiled in the candidate's slow steps; 0: it did in few
                        of them, or in past runs too */
    bool warmup_alone; /* nothing would fail without warm-up that past captures do not have */
};

/* margin: the smallest change that matters, a logarithm. false: nothing to compare. */
bool excesses_find(struct gate_state *judgement, double margin, struct excesses *ret);

#endif
