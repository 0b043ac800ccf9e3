/* Tests of numbers for people. */
#include "ops/present/words/format.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void writes_durations_in_the_unit_that_suits(void **state)
{
    (void)state;
    static const struct {
        double us;
        int digits;
        const char *text;
    } cases[] = {
        {412300.125, 4, "412.3 ms"}, {18900, 3, "18.9 ms"},   {0.125, 3, "125 ns"},
        {0, 4, "0.000 µs"},          {999.96, 4, "1.000 ms"}, {999.94, 4, "999.9 µs"},
        {1.5e6, 3, "1.50 s"},        {7.2e9, 4, "7200.0 s"},  {-412300, 4, "-412.3 ms"},
        {83.213, 4, "83.21 µs"},     {1e-9, 3, "0.00 ns"},    {1e18, 3, "1e+12 s"},
    };
    char buffer[FORMAT_BYTES];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(format_duration(cases[i].us, cases[i].digits, buffer), cases[i].text);
    assert_string_equal(format_duration_delta(18900, 3, buffer), "+18.9 ms");
    assert_string_equal(format_duration_delta(-18900, 3, buffer), "-18.9 ms");
    assert_string_equal(format_duration_delta(0, 3, buffer), "+0.00 µs");
}

static void keeps_one_unit_and_one_number_of_decimals_in_a_column(void **state)
{
    (void)state;
    char buffer[FORMAT_BYTES];
    struct duration_scale scale = duration_scale_for(412300, 5);
    assert_string_equal(format_scaled(scale, some_f64(412300.125), false, buffer), "412.30 ms");
    assert_string_equal(format_scaled(scale, some_f64(83), false, buffer), "0.08 ms");
    assert_string_equal(format_scaled(scale, some_f64(-2), true, buffer), "+0.00 ms");
    assert_string_equal(format_scaled(scale, some_f64(-7), true, buffer), "-0.01 ms");
    assert_string_equal(format_scaled(scale, (struct opt_f64){false, 3}, true, buffer), "-");
    assert_string_equal(format_scaled(duration_scale_for(-90.4, 4), some_f64(-90.4), true, buffer),
                        "-90.40 µs");
}

static void writes_percentages_that_never_hide_a_change(void **state)
{
    (void)state;
    char buffer[FORMAT_BYTES];
    assert_string_equal(format_percent_delta(4.756, buffer), "+4.8 %");
    assert_string_equal(format_percent_delta(-0.02, buffer), "-0.02 %");
    assert_string_equal(format_percent_delta(-0.001, buffer), "+0.00 %");
    assert_string_equal(format_percent_delta(0, buffer), "+0.00 %");
    assert_string_equal(format_share(0.97125, buffer), "97.1 %");
    assert_string_equal(format_share(2.101, buffer), "210.1 %");
    assert_string_equal(format_share_delta(0.009, buffer), "+0.9 pp");
    assert_string_equal(format_share_delta(-0.0001, buffer), "+0.0 pp");
}

/* "+2.0 % ... beyond the 2.0 % that matter" would say nothing. */
static void tells_apart_what_would_read_alike(void **state)
{
    (void)state;
    static const struct {
        double a, b;
        int decimals;
    } cases[] = {{2.5, 2, 1}, {2.03, 2, 2}, {2.003, 2, 3}, {1.96, 2, 2}, {2, 2, 1}, {-2, 2, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(format_decimals_apart(cases[i].a, cases[i].b), cases[i].decimals);
    assert_false(signbit(format_zero(-0.04, 1)));
    assert_true(format_zero(-0.06, 1) == -0.06);
    assert_true(format_zero(-0.04, 2) == -0.04);
}

static void groups_the_digits_of_counts(void **state)
{
    (void)state;
    char buffer[FORMAT_BYTES];
    assert_string_equal(format_count(0, buffer), "0");
    assert_string_equal(format_count(999, buffer), "999");
    assert_string_equal(format_count(26723, buffer), "26,723");
    assert_string_equal(format_count(-1234567, buffer), "-1,234,567");
    assert_string_equal(format_count(-123, buffer), "-123");
    assert_string_equal(format_count(INT64_MIN, buffer), "-9,223,372,036,854,775,808");
}

static void writes_sizes_in_binary_units(void **state)
{
    (void)state;
    char buffer[FORMAT_BYTES];
    assert_string_equal(format_size(812, buffer), "812 B");
    assert_string_equal(format_size(1536, buffer), "1.5 KiB");
    assert_string_equal(format_size(5LL << 30, buffer), "5.0 GiB");
    assert_string_equal(format_size(INT64_MAX, buffer), "8192.0 PiB");
}

static void has_no_percentage_of_nothing(void **state)
{
    (void)state;
    assert_false(change_percent(some_f64(0), some_f64(1)).set);
    assert_false(change_percent(some_f64(-1), some_f64(1)).set);
    assert_false(change_percent((struct opt_f64){false, 1}, some_f64(1)).set);
    assert_false(change_percent(some_f64(1), (struct opt_f64){false, 1}).set);
    assert_true(change_percent(some_f64(4), some_f64(5)).value == 25);
}

static void counts_a_noun(void **state)
{
    (void)state;
    char text[FORMAT_COUNTED_BYTES];
    assert_string_equal(format_counted(1, "entry", text), "1 entry");
    assert_string_equal(format_counted(2, "entry", text), "2 entries");
    assert_string_equal(format_counted(0, "day", text), "0 days");
    assert_string_equal(format_counted(3, "process", text), "3 processes");
    assert_string_equal(format_counted(1, "past run", text), "1 past run");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_a_noun),
        cmocka_unit_test(writes_durations_in_the_unit_that_suits),
        cmocka_unit_test(keeps_one_unit_and_one_number_of_decimals_in_a_column),
        cmocka_unit_test(writes_percentages_that_never_hide_a_change),
        cmocka_unit_test(tells_apart_what_would_read_alike),
        cmocka_unit_test(groups_the_digits_of_counts),
        cmocka_unit_test(writes_sizes_in_binary_units),
        cmocka_unit_test(has_no_percentage_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
