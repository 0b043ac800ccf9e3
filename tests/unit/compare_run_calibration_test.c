/* What p counts: by how far the margin decides, by changes of level, by what kinds of explanations
 * say that are not the likeliest. */
#include "compare/statistics/statistics.h"
#include "tests/support/assert_number.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const double margin = 0.02;

/* One explanation whose fail needs `asked` margins with 30 past runs. */
static struct run_explanation one_of(double asked)
{
    return (struct run_explanation){
        .weight = 1, .change = 0.021, .error = asked * margin / 2.326 * 34.5 / 30, .df = 31};
}

static struct run_model model_of(struct run_explanation *items, size_t count)
{
    return (struct run_model){.items = items,
                              .count = count,
                              .all = items,
                              .all_count = count,
                              .candidates = 3,
                              .past = 30};
}

static void counts_less_where_the_margin_decides(void **state)
{
    (void)state;
    static const struct {
        double asked, level;
    } cases[] = {{0.5, 0.32}, {0.75, 0.32}, {1, 1}, {2, 1}, {0.875, 0.565685}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct run_explanation item = one_of(cases[i].asked);
        struct run_model model = model_of(&item, 1);
        run_model_calibrate(&model, margin);
        assert_close(model.calibration.level, cases[i].level, 1e-5);
        item.change = 3 * item.error;
        assert_close(run_model_p(&model, 0), cases[i].level * stats_t_upper(3, 31), 1e-6);
        item.change = 0.2 * item.error; /* what is no little p counts as it is */
        assert_close(run_model_p(&model, 0), stats_t_upper(0.2, 31), 1e-9);
    }
}

static void counts_more_of_more_runs_of_the_candidate(void **state)
{
    (void)state;
    struct run_explanation item = one_of(2);
    struct run_model model = model_of(&item, 1);
    model.candidates = 12;
    run_model_calibrate(&model, margin);
    assert_close(model.calibration.level, 2, 1e-9);
    item = one_of(0.5); /* the margin does not ask how many */
    run_model_calibrate(&model, margin);
    assert_close(model.calibration.level, 0.32, 1e-9);
}

static void leaves_few_runs_as_they_are(void **state)
{
    (void)state;
    struct run_explanation item = one_of(0.5);
    struct run_model model = model_of(&item, 1);
    model.past = 9;
    run_model_calibrate(&model, margin);
    assert_close(run_model_uncounted(&model, 0.01), 0.01, 1e-12);
    model.past = 30;
    model.candidates = 1;
    run_model_calibrate(&model, margin);
    assert_close(run_model_uncounted(&model, 0.01), 0.01, 1e-12);
    model.candidates = 2;
    run_model_calibrate(&model, margin);
    assert_close(run_model_uncounted(&model, 0.0032), 0.01, 1e-9);
}

static void counts_less_where_the_level_changed(void **state)
{
    (void)state;
    struct run_explanation item = one_of(2);
    struct run_model model = model_of(&item, 1);
    model.courses[COURSE_JUMP] = 0.25;
    run_model_calibrate(&model, margin);
    assert_close(model.calibration.level, 1, 1e-9);
    model.courses[COURSE_JUMP] = 0.9;
    run_model_calibrate(&model, margin);
    assert_close(model.calibration.level, 0.32, 1e-9);
    item = one_of(0.5); /* both reasons do not add up */
    run_model_calibrate(&model, margin);
    assert_close(model.calibration.level, 0.32, 1e-9);
}

static void counts_no_less_where_hosts_are_likely(void **state)
{
    (void)state;
    struct run_explanation items[] = {one_of(0.5), one_of(0.5)};
    items[0].weight = items[1].weight = 0.5;
    items[1].noise = NOISE_HOSTS;
    struct run_model model = model_of(items, 2);
    run_model_calibrate(&model, margin);
    assert_close(model.calibration.level, 1, 1e-9);
}

/* The likeliest is sure; the other is of a kind with that weight. */
struct doubtful {
    struct run_explanation items[2];
    struct run_model model;
};

static void doubtful_init(struct doubtful *doubtful, double weight)
{
    doubtful->items[0] =
        (struct run_explanation){.weight = 1 - weight, .change = 0.03, .error = 0.002, .df = 31};
    doubtful->items[1] =
        (struct run_explanation){.weight = weight, .change = 0.03, .error = 0.03, .df = 31};
    doubtful->model = model_of(doubtful->items, 2);
    doubtful->model.count = 1; /* what is left out doubts */
}

static void asks_correlated_runs_apart(void **state)
{
    (void)state;
    struct doubtful doubtful;
    doubtful_init(&doubtful, 0.27);
    doubtful.items[1].noise = NOISE_CORRELATED;
    run_model_calibrate(&doubtful.model, margin);
    assert_close(run_model_p(&doubtful.model, 0), 0.5 * stats_t_upper(1, 31), 1e-9);
    doubtful.model.candidates = 6;
    run_model_calibrate(&doubtful.model, margin);
    assert_close(run_model_p(&doubtful.model, 0), 0.5 / pow(2, 1.5) * stats_t_upper(1, 31), 1e-9);
    doubtful.model.past = 19; /* too few to tell */
    run_model_calibrate(&doubtful.model, margin);
    assert_true(run_model_p(&doubtful.model, 0) < 1e-6);
    doubtful.model.past = 20;
    doubtful.items[0].noise = NOISE_CORRELATED; /* it has said so itself */
    run_model_calibrate(&doubtful.model, margin);
    assert_true(run_model_p(&doubtful.model, 0) < 1e-6);
}

static void asks_a_noisier_candidate_apart_from_four_runs_on(void **state)
{
    (void)state;
    struct doubtful doubtful;
    doubtful_init(&doubtful, 0.375); /* in the middle of .15 and .6 */
    doubtful.items[1].noise = NOISE_NOISIER;
    run_model_calibrate(&doubtful.model, margin);
    assert_true(run_model_p(&doubtful.model, 0) < 1e-6);
    doubtful.model.candidates = 4;
    run_model_calibrate(&doubtful.model, margin);
    assert_close(run_model_p(&doubtful.model, 0), 0.5 * stats_t_upper(1, 31), 1e-9);
}

static void asks_a_drift_apart_and_more_so_of_many_runs(void **state)
{
    (void)state;
    struct doubtful doubtful;
    doubtful_init(&doubtful, 0.1);
    doubtful.items[1].course = COURSE_DRIFT;
    run_model_calibrate(&doubtful.model, margin);
    assert_close(run_model_p(&doubtful.model, 0), 0.1 * stats_t_upper(1, 31), 1e-9);
    doubtful.model.candidates = 12;
    run_model_calibrate(&doubtful.model, margin);
    assert_close(run_model_p(&doubtful.model, 0), 0.2 * stats_t_upper(1, 31), 1e-9);
}

static void asks_a_level_apart_where_twenty_runs_seem_to_move(void **state)
{
    (void)state;
    struct doubtful doubtful;
    doubtful_init(&doubtful, 0.2);
    doubtful.items[0].course = COURSE_JUMP;
    run_model_calibrate(&doubtful.model, margin);
    assert_close(run_model_p(&doubtful.model, 0), 0.5 * stats_t_upper(1, 31), 1e-9);
    doubtful.items[0].course = COURSE_DRIFT;
    run_model_calibrate(&doubtful.model, margin);
    assert_close(run_model_p(&doubtful.model, 0), 0.5 * stats_t_upper(1, 31), 1e-9);
    doubtful.model.past = 19; /* too few to tell */
    run_model_calibrate(&doubtful.model, margin);
    assert_true(run_model_p(&doubtful.model, 0) < 1e-6);
}

static void asks_a_change_of_level_apart_where_the_past_seems_to_drift(void **state)
{
    (void)state;
    struct doubtful doubtful;
    doubtful_init(&doubtful, 0.3);
    doubtful.items[1].course = COURSE_JUMP;
    doubtful.model.past = 12;
    doubtful.items[0].course = COURSE_DRIFT;
    run_model_calibrate(&doubtful.model, margin);
    assert_close(run_model_p(&doubtful.model, 0), 0.15 * stats_t_upper(1, 31), 1e-9);
    doubtful.items[0].course = COURSE_LEVEL; /* nothing leads away from it */
    run_model_calibrate(&doubtful.model, margin);
    assert_true(run_model_p(&doubtful.model, 0) < 1e-6);
}

/* The end of the interval at a level is where p is that level, also with everything in play. */
static void turns_the_calibrated_test_into_an_interval(void **state)
{
    (void)state;
    static const double levels[] = {0.0005, 0.005, 0.01, 0.024, 0.026, 0.04, 0.051, 0.12, 0.3, 0.7};
    static const double asked[] = {0.5, 0.875, 2};
    for (size_t i = 0; i < COUNT(asked); i++) {
        struct run_explanation items[] = {one_of(asked[i]), one_of(asked[i]), one_of(asked[i])};
        items[0].weight = 0.7;
        items[1].weight = 0.2;
        items[1].noise = NOISE_CORRELATED;
        items[1].error *= 2;
        items[2].weight = 0.1;
        items[2].course = COURSE_DRIFT;
        items[2].change = 0;
        struct run_model model = model_of(items, 3);
        run_model_calibrate(&model, margin);
        for (size_t j = 0; j < COUNT(levels); j++)
            assert_close(run_model_p(&model, -run_model_low(&model, levels[j])), levels[j], 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_less_where_the_margin_decides),
        cmocka_unit_test(counts_more_of_more_runs_of_the_candidate),
        cmocka_unit_test(leaves_few_runs_as_they_are),
        cmocka_unit_test(counts_less_where_the_level_changed),
        cmocka_unit_test(counts_no_less_where_hosts_are_likely),
        cmocka_unit_test(asks_correlated_runs_apart),
        cmocka_unit_test(asks_a_noisier_candidate_apart_from_four_runs_on),
        cmocka_unit_test(asks_a_drift_apart_and_more_so_of_many_runs),
        cmocka_unit_test(asks_a_level_apart_where_twenty_runs_seem_to_move),
        cmocka_unit_test(asks_a_change_of_level_apart_where_the_past_seems_to_drift),
        cmocka_unit_test(turns_the_calibrated_test_into_an_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
