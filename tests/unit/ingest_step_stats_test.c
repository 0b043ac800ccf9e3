/* Tests of ingest/step_table/step_stats with figures worked out by hand (profile_summary.v1 §7). */
#include "ingest/step_table/step_stats.h"
#include "tests/support/assert_number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { STEPS_MOST = 80 };

/* Steps first, first + 1, … with these durations. */
static size_t steps_make(struct step_value *steps, int64_t first, const double *durations,
                         size_t count)
{
    for (size_t i = 0; i < count; i++)
        steps[i] = (struct step_value){first + (int64_t)i, durations[i]};
    return count;
}

static size_t classes_of(const struct step_value *steps, size_t count, struct arena *arena,
                         struct step_class **ret_classes)
{
    size_t class_count;
    step_classes_build(steps, count, arena, ret_classes, &class_count);
    return class_count;
}

static void quantiles_interpolate_between_neighbours(void **state)
{
    (void)state;
    static const double one[] = {7}, two[] = {10, 20}, five[] = {10, 20, 30, 40, 100};
    assert_number(quantile(one, 1, 0.9), 7, 0);
    assert_number(quantile(two, 2, 0.5), 15, 0);      /* place 0.5 */
    assert_number(quantile(two, 2, 0.9), 19, 1e-12);  /* place 0.9: 10*0.1 + 20*0.9 */
    assert_number(quantile(five, 5, 0.5), 30, 0);     /* place 2 */
    assert_number(quantile(five, 5, 0.9), 76, 1e-12); /* place 3.6: 40*0.4 + 100*0.6 */
}

static void statistics_of_no_steps_are_absent(void **state)
{
    (void)state;
    struct duration_stats stats = duration_stats_of(NULL, 0, NULL);
    assert_int_equal(stats.count, 0);
    assert_false(stats.mean.set || stats.median.set || stats.p90.set || stats.min.set ||
                 stats.max.set);
    scoped_arena arena;
    struct step_class *classes;
    arena_init(&arena, 1 << 20);
    assert_int_equal(classes_of(NULL, 0, &arena, &classes), 0);
}

static void statistics_do_not_need_order(void **state)
{
    (void)state;
    static const double durations[] = {40, 10, 100, 30, 20};
    struct step_value steps[5];
    double scratch[5];
    struct duration_stats stats =
        duration_stats_of(steps, steps_make(steps, 1, durations, 5), scratch);
    assert_number(stats.mean.value, 40, 0);
    assert_number(stats.median.value, 30, 0);
    assert_number(stats.p90.value, 76, 1e-12);
    assert_number(stats.min.value, 10, 0);
    assert_number(stats.max.value, 100, 0);
}

static void epoch_durations_keep_their_quarter_microseconds(void **state)
{
    (void)state;
    /* 1.7e15 µs since 1970: neighbouring doubles are 0.25 apart, and differences exact. */
    const double base = 1.7e15;
    struct step_value steps[3];
    double scratch[3];
    for (size_t i = 0; i < 3; i++)
        steps[i] = (struct step_value){(int64_t)i, (base + 100.25 * (double)(i + 1)) - base};
    struct duration_stats stats = duration_stats_of(steps, 3, scratch);
    assert_number(stats.median.value, 200.5, 0);
    assert_number(stats.max.value, 300.75, 0);
}

static void five_steps_are_typical_whatever_they_are(void **state)
{
    (void)state;
    static const double durations[] = {10, 100, 10, 100, 10};
    struct step_value steps[5];
    scoped_arena arena;
    struct step_class *classes;
    arena_init(&arena, 1 << 20);
    size_t count = classes_of(steps, steps_make(steps, 3, durations, 5), &arena, &classes);
    assert_int_equal(count, 1);
    assert_string_equal(classes[0].name, "typical");
    assert_number(classes[0].fraction_of_steady, 1, 0);
    assert_number(classes[0].stats.median.value, 10, 0);
    assert_int_equal(classes[0].representative_step.value, 3); /* 10 lies on the median: 3, 5, 7 */
    assert_false(classes[0].periodicity.set);
}

static void two_groups_are_light_and_heavy(void **state)
{
    (void)state;
    /* Heavy at 2, 5, 8, 11: every third. Logs 2.30… and 3.40…: the centres settle at once. */
    static const double durations[] = {10, 11, 30, 10, 12, 31, 9, 10, 30, 10, 11, 33};
    struct step_value steps[12];
    scoped_arena arena;
    struct step_class *classes;
    arena_init(&arena, 1 << 20);
    size_t count = classes_of(steps, steps_make(steps, 0, durations, 12), &arena, &classes);
    assert_int_equal(count, 2);
    assert_string_equal(classes[0].name, "light");
    assert_int_equal(classes[0].count, 8);
    assert_number(classes[0].fraction_of_steady, 8.0 / 12, 0);
    assert_number(classes[0].stats.median.value, 10, 0); /* 9 10 10 10 10 11 11 12 */
    assert_int_equal(classes[0].representative_step.value, 0);
    assert_false(classes[0].periodicity.set);
    assert_string_equal(classes[1].name, "heavy");
    assert_int_equal(classes[1].count, 4);
    assert_number(classes[1].stats.median.value, 30.5, 0);     /* 30 30 31 33 */
    assert_int_equal(classes[1].representative_step.value, 2); /* 30 and 31 are 0.5 away: smaller */
    assert_number(classes[1].representative_duration.value, 30, 0);
    assert_int_equal(classes[1].periodicity.value, 3);
}

static void groups_nearer_than_half_again_are_one(void **state)
{
    (void)state;
    /* 10 and 14.9: max/min 1.49 splits by two-means, but the medians' ratio is below 1.5. */
    static const double apart[] = {10, 10, 10, 10, 15, 15}, near[] = {10, 10, 10, 10, 14.9, 14.9};
    struct step_value steps[6];
    scoped_arena arena;
    struct step_class *classes;
    arena_init(&arena, 1 << 20);
    assert_int_equal(classes_of(steps, steps_make(steps, 0, apart, 6), &arena, &classes), 2);
    assert_int_equal(classes_of(steps, steps_make(steps, 0, near, 6), &arena, &classes), 1);
}

static void a_group_needs_two_steps_and_a_tenth(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, 1 << 20);
    static const struct {
        size_t light, heavy, classes;
    } cases[] = {{6, 1, 1}, {6, 2, 2}, {63, 7, 2}, {64, 7, 1}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct step_value steps[STEPS_MOST];
        struct step_class *classes;
        size_t count = cases[c].light + cases[c].heavy;
        for (size_t i = 0; i < count; i++)
            steps[i] = (struct step_value){(int64_t)i, i < cases[c].light ? 10 : 40};
        assert_int_equal(classes_of(steps, count, &arena, &classes), cases[c].classes);
    }
}

/* Heavy steps at these numbers among light ones; the periodicity of the heavy class. */
static struct opt_i64 period_of(const int64_t *heavy, size_t heavy_count)
{
    scoped_arena arena;
    struct step_value steps[STEPS_MOST];
    struct step_class *classes;
    size_t count = 0, next = 0;
    arena_init(&arena, 1 << 20);
    for (int64_t number = 0; number < 30; number++) {
        bool is_heavy = next < heavy_count && heavy[next] == number;
        next += is_heavy;
        steps[count++] = (struct step_value){number, is_heavy ? 50 : 10};
    }
    assert_int_equal(classes_of(steps, count, &arena, &classes), 2);
    return classes[1].periodicity;
}

static void periods_are_the_most_frequent_distance(void **state)
{
    (void)state;
    static const int64_t fours[] = {1, 5, 9, 12, 16}, tie[] = {0, 3, 6, 11, 16};
    static const int64_t single[] = {0, 2, 5, 9}, touching[] = {0, 1, 2, 9};
    assert_int_equal(period_of(fours, 5).value, 4);
    assert_int_equal(period_of(tie, 5).value, 3); /* 3 and 5 twice each: the smaller */
    assert_false(period_of(single, 4).set);       /* 2, 3, 4: none twice */
    assert_false(period_of(touching, 4).set);     /* distances of 1 do not count: one is left */
}

static void steps_that_last_no_time_are_one_class(void **state)
{
    (void)state;
    static const double durations[] = {0, 10, 10, 20, 20, 20};
    struct step_value steps[6];
    scoped_arena arena;
    struct step_class *classes;
    arena_init(&arena, 1 << 20);
    assert_int_equal(classes_of(steps, steps_make(steps, 0, durations, 6), &arena, &classes), 1);
}

static void step_numbers_at_the_ends_of_the_range_do_no_harm(void **state)
{
    (void)state;
    static const struct step_value steps[] = {{INT64_MIN, 50}, {-1, 50}, {0, 10},
                                              {1, 10},         {2, 10},  {INT64_MAX, 50}};
    scoped_arena arena;
    struct step_class *classes;
    arena_init(&arena, 1 << 20);
    assert_int_equal(classes_of(steps, 6, &arena, &classes), 2);
    assert_false(classes[1].periodicity.set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_interpolate_between_neighbours),
        cmocka_unit_test(statistics_of_no_steps_are_absent),
        cmocka_unit_test(statistics_do_not_need_order),
        cmocka_unit_test(epoch_durations_keep_their_quarter_microseconds),
        cmocka_unit_test(five_steps_are_typical_whatever_they_are),
        cmocka_unit_test(two_groups_are_light_and_heavy),
        cmocka_unit_test(groups_nearer_than_half_again_are_one),
        cmocka_unit_test(a_group_needs_two_steps_and_a_tenth),
        cmocka_unit_test(periods_are_the_most_frequent_distance),
        cmocka_unit_test(steps_that_last_no_time_are_one_class),
        cmocka_unit_test(step_numbers_at_the_ends_of_the_range_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
