/* The one test of the gate: two groups of runs, with the variance of past runs behind them.
 *
 * s^2 = (SS_history + SS_a + SS_b) / df, df = (H - 1) + (A - 1) + (B - 1), each sum of squares
 * about its own mean; d = mean(b) - mean(a); SE = s * sqrt(1/A + 1/B); t = d / SE. Values are
 * logarithms, so d is a relative change. Formula: spec/trackers.md 2c. Internal to compare/.
 */
#ifndef COMPARE_RUN_TEST_H
#define COMPARE_RUN_TEST_H

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

/* The same of pairs: a and b have equal counts n, and the i-th of each ran one after the other, so
 * that what changed slowly hit both. With d_i = b_i - a_i: d = mean(d_i), the variance of a pair's
 * difference is (SS_d + 2 * SS_history) / df, df = (n - 1) + (H - 1), SE = sqrt(variance / n), s is
 * that of one run as above. */
bool run_test_make_paired(const struct run_values *history, const struct run_values *a,
                          const struct run_values *b, struct run_test *ret_test);

#endif
