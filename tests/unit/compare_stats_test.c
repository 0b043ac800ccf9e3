/* Tests of compare/statistics/stats: against closed forms and published examples, named at each. */
#include "compare/statistics/run_test.h"
#include "compare/statistics/stats.h"
#include "tests/support/assert_number.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Reference values: the finite sums of Abramowitz and Stegun 26.7.3 and 26.7.4, in 60 digits. */
static void tells_the_tail_of_t_to_twelve_digits(void **state)
{
    (void)state;
    static const struct {
        double t, df, upper;
    } cases[] = {
        {0.5, 1, 3.52416382349566736920e-01},
        {12.7062047361747, 1, 2.50000000000000083267e-02},
        {1, 2, 2.11324865405187106715e-01},
        {2.5, 3, 4.38533235040327734611e-02},
        {0.1, 5, 4.62115070577330200319e-01},
        {2.2281388519649385, 10, 2.50000000009043370219e-02},
        {4, 10, 1.25916631236834618106e-03},
        {10, 10, 7.94776587798205925955e-07},
        {2.5394831906222888, 19, 1.00000000000354596907e-02},
        {1.7, 20, 5.23155863982093169429e-02},
        {3, 31, 2.64437334449567611888e-03},
        {5, 60, 2.64401210533713878914e-06},
        {1.96, 100, 2.63894506831148303871e-02},
        {3.5, 200, 2.86770037491499373526e-04},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_close(stats_t_upper(cases[i].t, cases[i].df), cases[i].upper, 1e-12);
        assert_close(stats_t_upper(-cases[i].t, cases[i].df), 1 - cases[i].upper, 1e-12);
    }
    assert_number(stats_t_upper(0, 7), 0.5, 0);
    assert_number(stats_t_upper(INFINITY, 7), 0, 0);
    assert_number(stats_t_upper(-INFINITY, 7), 1, 0);
    assert_close(stats_t_upper(2, 1e7), 0.022750131948179, 1e-6); /* the normal's tail at 2 */
}

/* Reference values: bisection of the same sums. */
static void inverts_t_to_twelve_digits(void **state)
{
    (void)state;
    static const struct {
        double p, df, t;
    } cases[] = {
        {0.95, 1, 6.31375151467504291958e+00},    {0.99, 1, 3.18205159537739596942e+01},
        {0.8, 2, 1.06066017177982119257e+00},     {0.975, 4, 2.77644510519779430524e+00},
        {0.99, 9, 2.82143792502580881276e+00},    {0.99, 19, 2.53948319062396254964e+00},
        {0.95, 19, 1.72913281152136955043e+00},   {0.8, 19, 8.60950550268928749276e-01},
        {0.975, 22, 2.07387306790402625722e+00},  {0.99, 30, 2.45726154240059146971e+00},
        {0.999, 100, 3.17373949373878305735e+00},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_close(stats_t_quantile(cases[i].p, cases[i].df), cases[i].t, 1e-12);
        assert_close(stats_t_quantile(1 - cases[i].p, cases[i].df), -cases[i].t, 1e-12);
    }
    assert_number(stats_t_quantile(0.5, 3), 0, 0);
    for (double df = 0.7; df < 400; df *= 1.9) {
        for (double p = 0.5001; p < 0.9999; p += 0.0123)
            assert_close(stats_t_upper(stats_t_quantile(p, df), df), 1 - p, 1e-11);
    }
}

static void interpolates_quantiles_between_neighbours(void **state)
{
    (void)state;
    double values[] = {4, 1, 3, 2};
    stats_sort(values, 4);
    assert_number(values[0], 1, 0);
    assert_number(stats_quantile(values, 4, 0), 1, 0);
    assert_number(stats_quantile(values, 4, 0.5), 2.5, 0);
    assert_number(stats_quantile(values, 4, 0.9), 3.7, 1e-15);
    assert_number(stats_quantile(values, 4, 1), 4, 0);
    assert_number(stats_quantile(values, 3, 0.5), 2, 0);
    assert_number(stats_quantile(values, 1, 0.9), 1, 0);
}

/* The 15 p values of Benjamini and Hochberg, J. R. Statist. Soc. B 57 (1995), section 4.1: at .05
 * the first four are discoveries. */
static void controls_false_discoveries_as_published(void **state)
{
    (void)state;
    static const double p[] = {0.0201, 0.0001, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262,
                               0.5719, 0.6528, 0.7590, 1.0000, 0.0004, 0.0019, 0.0095};
    struct stats_discovery tests[COUNT(p)];
    for (size_t i = 0; i < COUNT(p); i++)
        tests[i] = (struct stats_discovery){.p = p[i], .index = i};
    stats_false_discovery(tests, COUNT(p));
    size_t found = 0;
    for (size_t i = 0; i < COUNT(p); i++) {
        assert_number(tests[i].p, p[tests[i].index], 0);
        assert_true(i == 0 || tests[i].q >= tests[i - 1].q);
        found += tests[i].q <= 0.05;
    }
    assert_int_equal(found, 4);
    assert_close(tests[3].q, 0.0095 * 15 / 4, 1e-15);
    assert_close(tests[2].q, 0.0019 * 15 / 3, 1e-15);
    assert_close(tests[14].q, 1, 0);
    stats_false_discovery(NULL, 0);
}

static void measures_serial_correlation(void **state)
{
    (void)state;
    static const double rising[] = {1, 2, 3, 4, 5}; /* (2 + 0 + 0 + 2) / 10 */
    static const double flat[] = {3, 3, 3, 3};
    static const double zigzag[] = {1, 2, 1, 2, 1, 2};
    assert_number(stats_autocorrelation(rising, 5), 0.4, 1e-15);
    assert_number(stats_autocorrelation(flat, 4), 0, 0);
    assert_true(stats_autocorrelation(zigzag, 6) < -0.8);
    assert_number(stats_autocorrelation(rising, 2), 0, 0);
    assert_close(stats_effective_count(50, 0.4), 50 * 0.6 / 1.4, 1e-15);
    assert_number(stats_effective_count(50, -0.5), 50, 0);
    assert_number(stats_effective_count(50, 0.999), 1, 0);
}

/* y = 2 i + (+-1): slope and residuals by hand, n = 8. */
static void fits_a_line_and_its_doubt(void **state)
{
    (void)state;
    double values[8];
    for (int i = 0; i < 8; i++)
        values[i] = 2 * i + (i % 2 == 0 ? 1 : -1);
    struct stats_trend trend = stats_trend(values, 8);
    double slope = 2 - 4.0 / 42; /* sum((i - 3.5) * (+-1)) = -4, sum((i - 3.5)^2) = 42 */
    assert_close(trend.total_change, 7 * slope, 1e-14);
    double residuals = 8 - 16.0 / 42; /* 8 ones minus what the slope took: (-4)^2 / 42 */
    assert_close(trend.t, slope / sqrt(residuals / 6 / 42), 1e-12);
    assert_number(stats_trend(values, 7).t, 0, 0);
}

/* Two runs a side and three past runs, by hand: SS = 2 + 2 + 2, df = 1 + 1 + 2. */
static void pools_the_variance_of_history_and_both_sides(void **state)
{
    (void)state;
    static const double past[] = {9, 10, 11}, a[] = {0, 2}, b[] = {4, 6};
    struct run_values history = {past, 3}, left = {a, 2}, right = {b, 2};
    struct run_test test;
    assert_true(run_test_make(&history, &left, &right, &test));
    assert_number(test.change, 4, 0);
    assert_number(test.df, 4, 0);
    assert_close(test.sd, sqrt(1.5), 1e-15);
    assert_close(test.error, sqrt(1.5), 1e-15);
    assert_close(test.p_slower, stats_t_upper(4 / sqrt(1.5), 4), 1e-15);
    assert_true(run_test_make(&history, &right, &left, &test));
}

static void needs_one_group_that_tells_a_variance(void **state)
{
    (void)state;
    static const double one[] = {1}, two[] = {1, 2};
    struct run_values none = {NULL, 0}, single = {one, 1}, pair = {two, 2};
    struct run_test test;
    assert_false(run_test_make(&none, &single, &single, &test));
    assert_false(run_test_make(&single, &single, &single, &test));
    assert_false(run_test_make(&pair, &none, &single, &test));
    assert_true(run_test_make(&pair, &single, &single, &test));
}

static void is_certain_when_runs_agree_to_the_last_bit(void **state)
{
    (void)state;
    static const double a[] = {1, 1, 1}, b[] = {2, 2};
    struct run_values none = {NULL, 0}, left = {a, 3}, right = {b, 2};
    struct run_test test;
    assert_true(run_test_make(&none, &left, &right, &test));
    assert_number(test.p_slower, 0, 0);
    assert_true(run_test_make(&none, &right, &left, &test));
    assert_number(test.p_slower, 1, 0);
    assert_true(run_test_make(&none, &left, &left, &test));
    assert_number(test.p_slower, 0.5, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_the_tail_of_t_to_twelve_digits),
        cmocka_unit_test(inverts_t_to_twelve_digits),
        cmocka_unit_test(interpolates_quantiles_between_neighbours),
        cmocka_unit_test(controls_false_discoveries_as_published),
        cmocka_unit_test(measures_serial_correlation),
        cmocka_unit_test(fits_a_line_and_its_doubt),
        cmocka_unit_test(pools_the_variance_of_history_and_both_sides),
        cmocka_unit_test(needs_one_group_that_tells_a_variance),
        cmocka_unit_test(is_certain_when_runs_agree_to_the_last_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
