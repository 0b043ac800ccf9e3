/* The pooled t test that ops are judged by: two groups of runs, with the variance of past runs
 * behind them. Step time has a model of its own (run_model.h).
 *
 * s^2 = (SS_history + SS_a + SS_b) / df, df = (H - 1) + (A - 1) + (B - 1), each sum of squares
 * about its own mean; d = mean(b) - mean(a); SE = s * sqrt(1/A + 1/B); t = d / SE. Values are
 * logarithms, so d is a relative change. Internal to compare/.
 */
#ifndef COMPARE_STATISTICS_RUN_TEST_H
#define COMPARE_STATISTICS_RUN_TEST_H

#include <stdbool.h>
#include <stddef.h>

struct run_values {
    const double *values; /* logarithms */
    size_t count;
};

struct run_test {
    double change; /* d */
    double error;  /* SE */
    double df;
    double sd;       /* s, of one run */
    double p_slower; /* one-sided: P(T > t) */
};

/* false: no group can tell a variance (df < 1), or a side is empty. history may be empty. */
bool run_test_make(const struct run_values *history, const struct run_values *a,
                   const struct run_values *b, struct run_test *ret_test);

#endif
