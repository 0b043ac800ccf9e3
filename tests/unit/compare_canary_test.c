/* Tests of the gate turned on its own past. */
#include "compare/gate/canary.h"
#include "tests/support/gate_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { RUNS = 30 };

/* Runs of sd .5 % whose step time moves by `drift` from one to the next. */
static void scene_fill_past(struct scene *scene, double drift)
{
    static const struct planned_op copies[] = {{"copy.1", "copy.1", "jit(f)/copy", 40},
                                               {"copy.2", "copy.2", "jit(f)/copy", 9}};
    uint64_t noise = 11;
    scene_init(scene);
    for (int i = 0; i < RUNS; i++) {
        struct summary_plan plan;
        summary_plan_default(&plan);
        plan.step_us *= (1 + 0.005 * fixture_normal(&noise)) * (1 + drift * i);
        plan.ops = copies;
        plan.op_count = 2;
        scene_add(scene, &scene->baseline, &plan, NULL);
    }
}

static struct canary_report canary_ask(struct scene *scene, int64_t side)
{
    struct canary_report report;
    struct err err = {0};
    const struct canary_input input = {
        .project = "p",
        .workload = "w",
        .profiles = scene->baseline.profiles,
        .profile_count = RUNS,
        .runs_a_side = side,
        .baseline_limit = 200,
        .policy = &scene->policy,
    };
    if (!canary_run(&input, &scene->arena, &report, &err))
        fail_msg("%s", err.text);
    return report;
}

static struct canary_report canary_of(struct scene *scene, double drift, int64_t side)
{
    scene_fill_past(scene, drift);
    return canary_ask(scene, side);
}

/* Copies in flight take no time of the device by themselves: a past of nothing else has no op to
 * test, and its step times are judged as those of any other. */
static void sees_as_much_where_all_ops_are_in_flight(void **state)
{
    (void)state;
    struct scene scene;
    struct canary_report as_ops = canary_of(&scene, 0, 3);
    double fails[2] = {as_ops.rows[0].fail, as_ops.rows[as_ops.row_count - 1].fail};
    scene_done(&scene);
    scene_fill_past(&scene, 0);
    for (size_t i = 0; i < scene.baseline.count; i++) {
        struct summary *summary = (struct summary *)(uintptr_t)scene.baseline.profiles[i].summary;
        for (size_t op = 0; op < summary->op_count; op++)
            summary->ops[op].asynchronous = true;
    }
    struct canary_report in_flight = canary_ask(&scene, 3);
    assert_true(in_flight.rows[0].fail <= fails[0]);
    assert_true(in_flight.rows[in_flight.row_count - 1].fail == fails[1]);
    assert_true(in_flight.rows[in_flight.row_count - 1].fail > 0.99);
    scene_done(&scene);
}

/* Every second run is of another batch, and half as long. */
static void asks_of_runs_that_a_gate_compares_with_the_newest(void **state)
{
    (void)state;
    struct scene scene;
    struct canary_report whole = canary_of(&scene, 0, 2);
    assert_int_equal(whole.apart_count, 0);
    assert_int_equal(whole.run_count, RUNS);
    static struct fact batches[] = {{"batch", "8", "option"}, {"batch", "16", "option"}};
    for (size_t i = 0; i < scene.baseline.count; i++) {
        struct summary *summary = (struct summary *)(uintptr_t)scene.baseline.profiles[i].summary;
        summary->environment.facts = &batches[i % 2];
        summary->environment.fact_count = 1;
        if (i % 2 == 0)
            summary->steps.steady_median_us.value /= 2;
    }
    struct canary_report half = canary_ask(&scene, 2);
    assert_int_equal(half.run_count, RUNS / 2);
    assert_int_equal(half.apart_count, RUNS / 2);
    assert_true(half.rows[0].incomparable < 1e-9);
    assert_true(half.rows[half.row_count - 1].fail > 0.9); /* +10 % */
    scene_done(&scene);
}

static void asks_as_the_gate_would_have_been_asked(void **state)
{
    (void)state;
    struct scene scene;
    struct canary_report report = canary_of(&scene, 0, 3);
    assert_int_equal(report.run_count, RUNS);
    assert_int_equal(report.window_count, RUNS - 6 - 3 + 1); /* the first six are past alone */
    assert_int_equal(report.disjoint_count, (RUNS - 6) / 3);
    assert_true(report.rows[report.row_count - 1].fail > 0.99); /* +10 % */
    assert_false(report.drift_pct.set);
    scene_done(&scene);
}

/* "0 +- 0" said that the gate is never wrong; of n windows without a fail nobody knows that. */
static void never_gives_an_interval_without_width(void **state)
{
    (void)state;
    struct scene scene;
    struct canary_report report = canary_of(&scene, 0, 1);
    for (size_t i = 0; i < report.row_count; i++) {
        const struct canary_row *row = &report.rows[i];
        assert_true(row->fail_low < row->fail_high);
        assert_true(row->fail_low <= row->fail && row->fail <= row->fail_high);
    }
    assert_true(report.rows[0].fail <= 0);
    assert_true(report.rows[0].fail_high > 0.05 && report.rows[0].fail_high < 0.2);
    scene_done(&scene);
}

static void says_when_the_past_drifts(void **state)
{
    (void)state;
    struct scene scene;
    struct canary_report report = canary_of(&scene, 0.002, 3);
    assert_true(report.drift_pct.set);
    assert_true(report.drift_pct.value > 4 && report.drift_pct.value < 8);
    scene_done(&scene);
}

/* A level that rose for good is no false alarm of the gate: who crosses it was slower. */
static void counts_no_window_across_a_change_of_level(void **state)
{
    (void)state;
    enum { CHANGED_AT = 18, SIDE = 3 };
    struct scene scene;
    scene_fill_past(&scene, 0);
    for (size_t i = CHANGED_AT; i < RUNS; i++) {
        struct summary *summary = (struct summary *)(uintptr_t)scene.baseline.profiles[i].summary;
        summary->steps.steady_median_us.value *= 1.08;
        summary->steps.steady_p90_us.value *= 1.08;
        summary->step_time.steady_state_steps.median.value *= 1.08;
        summary->step_time.steady_state_steps.p90.value *= 1.08;
    }
    struct canary_report report = canary_ask(&scene, SIDE);
    assert_int_equal(report.level_count, 1);
    assert_int_equal(report.crossing_count, SIDE);
    assert_int_equal(report.window_count, RUNS - 6 - SIDE + 1 - SIDE);
    assert_int_equal(report.disjoint_count,
                     (CHANGED_AT - 6) / SIDE + (RUNS - CHANGED_AT) / SIDE - 1);
    assert_true(report.rows[0].fail <= 0);
    assert_false(report.drift_pct.set);
    scene_done(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sees_as_much_where_all_ops_are_in_flight),
        cmocka_unit_test(asks_of_runs_that_a_gate_compares_with_the_newest),
        cmocka_unit_test(asks_as_the_gate_would_have_been_asked),
        cmocka_unit_test(never_gives_an_interval_without_width),
        cmocka_unit_test(says_when_the_past_drifts),
        cmocka_unit_test(counts_no_window_across_a_change_of_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
