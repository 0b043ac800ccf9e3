/* Tests of which profiles are fit to be compared. */
#include "compare/gate/gate.h"
#include "tests/support/assert_number.h"
#include "tests/support/gate_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const double past_noise[] = {0.000, 0.012, -0.009, 0.004, -0.013, 0.008, -0.004, 0.011};

/* Eight past runs and the candidates' plans. */
static struct verdict judged(struct scene *scene, const struct summary_plan *candidates,
                             size_t count)
{
    struct summary_plan plan;
    summary_plan_default(&plan);
    scene_init(scene);
    scene_add_runs(scene, &scene->baseline, &plan, past_noise, 8);
    for (size_t i = 0; i < count; i++)
        scene_add(scene, &scene->candidate, &candidates[i], NULL);
    return scene_judge(scene);
}

static void sends_back_a_run_that_drifts(void **state)
{
    (void)state;
    struct summary_plan plan;
    summary_plan_default(&plan);
    plan.step_sd = 0.004;
    plan.drift = 0.05; /* its median would fail, its faster steps would not */
    struct scene scene;
    struct verdict verdict = judged(&scene, &plan, 1);
    assert_int_equal(verdict.status, VERDICT_INCONCLUSIVE);
    assert_string_equal(verdict.reasons[0].code, "rerun_needed");
    assert_non_null(strstr(verdict.reasons[0].text, "Candidate p9 drifts by +"));
    const char *why = verdict_reason_text(&verdict, "steps_drift");
    assert_non_null(strstr(why, "Candidate p9 drifts by +"));
    assert_non_null(strstr(why, "run it again"));
    scene_done(&scene);
}

/* What grows in every run is no accident of one, which running again would tell. */
static void sends_back_no_runs_that_all_grow(void **state)
{
    (void)state;
    struct summary_plan plans[3];
    for (int i = 0; i < 3; i++) {
        summary_plan_default(&plans[i]);
        plans[i].step_sd = 0.004;
        plans[i].drift = 0.05;
    }
    for (int falls = 0; falls < 2; falls++) {
        struct scene scene;
        plans[2].drift = falls ? -0.05 : 0.05;
        struct verdict verdict = judged(&scene, plans, 3);
        assert_string_equal(verdict.reasons[0].code, "rerun_needed");
        for (size_t i = 0; i < verdict.reason_count; i++)
            assert_true(falls || strstr(verdict.reasons[i].text, "run it again") == NULL);
        assert_non_null(strstr(verdict.reasons[0].text,
                               falls ? ": run it again. "
                                     : ": so does each of its runs, and another would too. "));
        for (size_t i = 1; i < verdict.reason_count; i++) /* once is enough */
            assert_null(strstr(verdict.reasons[i].text, "so does each"));
        scene_done(&scene);
    }
}

/* Steps that are slower throughout fail, however they drift: then nothing has to be run again. */
static void asks_for_no_other_run_of_what_fails(void **state)
{
    (void)state;
    struct summary_plan plans[3];
    for (int i = 0; i < 3; i++) {
        summary_plan_default(&plans[i]);
        plans[i].step_us *= 1.2;
        plans[i].step_sd = 0.004;
        plans[i].drift = i == 1 ? -0.05 : 0.05;
    }
    struct scene scene;
    struct verdict verdict = judged(&scene, plans, 3);
    assert_int_equal(verdict.status, VERDICT_FAIL);
    assert_non_null(strstr(verdict_reason_text(&verdict, "steps_drift"), "to its last step."));
    assert_null(verdict_reason_text(&verdict, "rerun_needed"));
    for (size_t i = 0; i < verdict.reason_count; i++)
        assert_null(strstr(verdict.reasons[i].text, "run it again"));
    scene_done(&scene);
}

static void accepts_a_trend_that_does_not_matter(void **state)
{
    (void)state;
    struct summary_plan plan;
    summary_plan_default(&plan);
    plan.step_sd = 0.0005;
    plan.drift = 0.015; /* certain, but below 2 % */
    struct scene scene;
    struct verdict verdict = judged(&scene, &plan, 1);
    assert_null(verdict_reason_text(&verdict, "steps_drift"));
    assert_string_equal(verdict.rule_id, "run_statistics");
    scene_done(&scene);
}

static void leaves_out_one_unfit_run_of_several(void **state)
{
    (void)state;
    struct summary_plan plans[2];
    summary_plan_default(&plans[0]);
    plans[1] = plans[0];
    plans[1].drift = 0.2;
    struct scene scene;
    struct verdict verdict = judged(&scene, plans, 2);
    assert_int_equal(verdict.candidate.run_count, 1);
    assert_string_equal(verdict.candidate.profile_ids.items[0], "p9");
    assert_int_equal(verdict.status, VERDICT_WARN); /* the other hides no loss behind it */
    assert_string_equal(verdict.reasons[0].code, "steps_slow");
    const char *why = verdict_reason_text(&verdict, "steps_drift");
    assert_non_null(strstr(why, "p10"));
    assert_non_null(strstr(why, "left out"));
    scene_done(&scene);
}

static void leaves_out_short_baseline_runs(void **state)
{
    (void)state;
    struct summary_plan plan, small;
    summary_plan_default(&plan);
    small = plan;
    small.steps = 2;
    small.step_us *= 5;
    struct scene scene;
    scene_init(&scene);
    scene_add(&scene, &scene.baseline, &plan, NULL);
    scene_add(&scene, &scene.baseline, &small, NULL);
    scene_add(&scene, &scene.candidate, &plan, NULL);
    scene_add_history(&scene, &plan);
    scene.policy.min_steps = 3;
    struct verdict verdict = scene_judge(&scene);
    assert_int_equal(verdict.baseline.run_count, 1);
    assert_int_equal(verdict.status, VERDICT_PASS);
    assert_non_null(verdict_reason_text(&verdict, "steps_too_few"));
    assert_int_equal(verdict.baseline.set_aside_count, 1);
    const struct verdict_set_aside *aside = &verdict.baseline.set_aside[0];
    assert_string_equal(aside->reason, "steps_too_few");
    assert_string_equal(aside->text,
                        "Baseline p2 has 2 steady steps, fewer than 3; it is left out.");
    assert_int_equal(aside->profile_ids.count, 1);
    assert_string_equal(aside->profile_ids.items[0], "p2");
    assert_string_equal(aside->run, "p2");
    scene_done(&scene);
}

/* Repeats of one step each with wild times and equal device time: they never fail. */
static void never_fails_on_one_step_and_says_that_the_device_did_not_slow_down(void **state)
{
    (void)state;
    static const struct planned_op ops[] = {{"k", "kernel", NULL, 3000}};
    struct summary_plan plan;
    summary_plan_default(&plan);
    plan.steps = 1;
    plan.ops = ops;
    plan.op_count = 1;
    struct scene scene;
    scene_init(&scene);
    scene_add(&scene, &scene.baseline, &plan, NULL);
    plan.step_us *= 2.5;
    scene_add(&scene, &scene.candidate, &plan, NULL);
    struct verdict verdict = scene_judge(&scene);
    assert_int_equal(verdict.status, VERDICT_INCONCLUSIVE);
    assert_non_null(strstr(verdict_reason_text(&verdict, "device_not_slower"),
                           "No device is busy longer: they are busy for 3.000 ms -> 3.000 ms "
                           "(+0.00 %) of a step in the mean"));
    scene_done(&scene);
}

/* "Did not slow down" is not said of devices that are busy for half as long again. */
static void says_how_little_of_a_longer_step_slower_devices_explain(void **state)
{
    (void)state;
    static const struct planned_op before[] = {{"k", "kernel", NULL, 3000}};
    static const struct planned_op after[] = {{"k", "kernel", NULL, 4500}};
    struct summary_plan plan;
    summary_plan_default(&plan);
    plan.steps = 1;
    plan.step_us = 10000;
    plan.ops = before;
    plan.op_count = 1;
    struct scene scene;
    scene_init(&scene);
    scene_add(&scene, &scene.baseline, &plan, NULL);
    plan.step_us = 25000;
    plan.ops = after;
    scene_add(&scene, &scene.candidate, &plan, NULL);
    struct verdict verdict = scene_judge(&scene);
    assert_non_null(strstr(verdict_reason_text(&verdict, "device_not_slower"),
                           "What devices do explains at most 10 % of the longer step (they are "
                           "busy for 3.000 ms -> 4.500 ms (+50.0 %) of it in the mean)"));
    scene_done(&scene);
}

/* Multiplies every `stride`-th step. */
static void stretch_steps(const struct summary *made, size_t stride, double factor)
{
    struct step_table *steps = (struct step_table *)&made->steps;
    for (size_t i = 0; i < steps->count; i += stride)
        steps->rows[i].max_ps = llround((double)steps->rows[i].max_ps * factor);
}

static void sends_back_a_run_on_a_throttled_device(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        bool throttled;
    } cases[] = {{"sw_thermal_slowdown", true},
                 {"yes", true},
                 {"no", false},
                 {"None", false},
                 {"false", false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct fact fact = {"throttled", cases[i].value, "option"};
        struct summary_plan plan;
        summary_plan_default(&plan);
        plan.step_us *= 1.3; /* would fail */
        plan.facts = &fact;
        plan.fact_count = 1;
        struct scene scene;
        struct verdict verdict = judged(&scene, &plan, 1);
        const char *why = verdict_reason_text(&verdict, "device_throttled");
        assert_int_equal(why != NULL, cases[i].throttled);
        assert_int_equal(verdict.status, cases[i].throttled ? VERDICT_INCONCLUSIVE : VERDICT_FAIL);
        if (why != NULL) {
            assert_non_null(strstr(why, "ran on a throttled device ("));
            assert_non_null(strstr(why, "): run it again."));
        }
        scene_done(&scene);
    }
}

/* Its slow runs would tell a variance, or a baseline, that the device does not have. */
static void leaves_throttled_past_runs_out(void **state)
{
    (void)state;
    const struct fact fact = {"throttled", "hw_slowdown", "option"};
    struct summary_plan plan, slow;
    summary_plan_default(&plan);
    slow = plan;
    slow.step_us *= 1.5;
    slow.facts = &fact;
    slow.fact_count = 1;
    struct scene scene;
    scene_init(&scene);
    scene_add_runs(&scene, &scene.baseline, &plan, past_noise, 4);
    scene_add(&scene, &scene.baseline, &slow, NULL);
    scene_add_runs(&scene, &scene.history, &plan, past_noise, 8);
    scene_add(&scene, &scene.history, &slow, NULL);
    plan.step_us *= 1.1;
    for (size_t i = 0; i < 2; i++)
        scene_add(&scene, &scene.candidate, &plan, NULL);
    struct verdict verdict = scene_judge(&scene);
    assert_int_equal(verdict.status, VERDICT_FAIL);
    assert_int_equal(verdict.baseline.run_count, 4);
    assert_number(verdict.statistics.df.value, 4 + 8 + 2 - 3, 0);
    assert_true(verdict.statistics.run_sd_pct.value < 2);
    scene_done(&scene);
}

static void sends_back_a_truncated_run_that_lacks_a_device(void **state)
{
    (void)state;
    static const struct {
        int64_t bytes_unread, second_device_ps;
        bool fit;
    } cases[] = {{0, -1, true}, {9, -1, false}, {9, 10000000000, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct summary_plan plan;
        struct scene scene;
        summary_plan_default(&plan);
        plan.device_count = 2;
        scene_init(&scene);
        scene_add(&scene, &scene.baseline, &plan, NULL);
        scene_add(&scene, &scene.candidate, &plan, NULL);
        scene_add_history(&scene, &plan);
        struct summary *summary = (struct summary *)scene.candidate.profiles[0].summary;
        summary->coverage.bytes_unread = cases[i].bytes_unread;
        summary->devices[1].steady_step_median_ps = cases[i].second_device_ps;
        struct verdict verdict = scene_judge(&scene);
        assert_int_equal(verdict.status == VERDICT_PASS, cases[i].fit);
        const char *said = verdict_reason_text(&verdict, "devices_cut_off");
        assert_int_equal(said == NULL, cases[i].fit);
        if (said != NULL)
            assert_string_equal(said, "Candidate p2 is truncated and holds the steps of 1 of 2 "
                                      "devices: run it again.");
        scene_done(&scene);
    }
}

static void sends_back_a_run_of_two_modes_unless_the_job_is_like_that(void **state)
{
    (void)state;
    for (int usual = 0; usual <= 1; usual++) {
        struct summary_plan plan;
        summary_plan_default(&plan);
        plan.step_sd = 0.004;
        struct scene scene;
        scene_init(&scene);
        scene_add(&scene, &scene.baseline, &plan, NULL);
        scene_add(&scene, &scene.candidate, &plan, NULL);
        scene_add_history(&scene, &plan);
        stretch_steps(scene.candidate.profiles[0].summary, 2, 1.4);
        if (usual)
            stretch_steps(scene.baseline.profiles[0].summary, 2, 1.4);
        struct verdict verdict = scene_judge(&scene);
        const char *why = verdict_reason_text(&verdict, "steps_bimodal");
        assert_int_equal(why != NULL, !usual);
        assert_int_equal(verdict.status, usual ? VERDICT_PASS : VERDICT_INCONCLUSIVE);
        scene_done(&scene);
    }
}

/* A few long steps leave the median where it is; modes that hardly differ do not matter. */
static void accepts_rare_long_steps_and_close_modes(void **state)
{
    (void)state;
    static const struct {
        size_t stride;
        double factor;
    } cases[] = {{5, 1.6}, {2, 1.01}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct summary_plan plan;
        summary_plan_default(&plan);
        struct scene scene;
        scene_init(&scene);
        scene_add(&scene, &scene.baseline, &plan, NULL);
        scene_add(&scene, &scene.candidate, &plan, NULL);
        stretch_steps(scene.candidate.profiles[0].summary, cases[i].stride, cases[i].factor);
        struct verdict verdict = scene_judge(&scene);
        assert_null(verdict_reason_text(&verdict, "steps_bimodal"));
        scene_done(&scene);
    }
}

static void sends_back_a_run_whose_steps_follow_each_other(void **state)
{
    (void)state;
    struct summary_plan plan;
    summary_plan_default(&plan);
    plan.steps = 200;
    struct scene scene;
    scene_init(&scene);
    scene_add(&scene, &scene.baseline, &plan, NULL);
    scene_add(&scene, &scene.candidate, &plan, NULL);
    struct step_table *steps = (struct step_table *)&scene.candidate.profiles[0].summary->steps;
    for (size_t i = 0; i < steps->count; i++) /* a slow wave: no trend, two ends */
        steps->rows[i].max_ps += llround(1e8 * cos(4 * M_PI * (double)i / 199));
    struct verdict verdict = scene_judge(&scene);
    assert_non_null(strstr(verdict_reason_text(&verdict, "steps_correlated"), "follow each other"));
    assert_true(verdict.statistics.autocorrelation.value > 0.9);
    assert_true(verdict.statistics.effective_steps.value < 20);
    scene_done(&scene);
}

/* Healthy runs, as simulated for the rule itself, are hardly ever sent back. */
static void accepts_correlated_noise(void **state)
{
    (void)state;
    int unfit = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct summary_plan plan;
        summary_plan_default(&plan);
        plan.device_count = 1;
        plan.steps = 50;
        plan.step_sd = 0.02;
        plan.rho = 0.4;
        plan.seed = 1000 * seed;
        struct scene scene;
        scene_init(&scene);
        scene_add(&scene, &scene.baseline, &plan, NULL);
        scene_add(&scene, &scene.candidate, &plan, NULL);
        struct verdict verdict = scene_judge(&scene);
        unfit += strcmp(verdict.reasons[0].code, "rerun_needed") == 0;
        scene_done(&scene);
    }
    assert_in_range(unfit, 0, 6);
}

/* The best cut in two and the steepest line are found in any few numbers. */
static void accepts_short_captures_of_plain_noise(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 1500; seed++) {
        struct summary_plan plan;
        summary_plan_default(&plan);
        plan.device_count = 1;
        plan.steps = 8 + (int64_t)(seed % 13);
        plan.step_sd = 0.02;
        plan.seed = 1000 * seed;
        struct scene scene;
        scene_init(&scene);
        scene_add(&scene, &scene.baseline, &plan, NULL);
        scene_add(&scene, &scene.candidate, &plan, NULL);
        struct verdict verdict = scene_judge(&scene);
        assert_null(verdict_reason_text(&verdict, "steps_bimodal"));
        assert_null(verdict_reason_text(&verdict, "steps_drift"));
        scene_done(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sends_back_a_run_that_drifts),
        cmocka_unit_test(sends_back_no_runs_that_all_grow),
        cmocka_unit_test(asks_for_no_other_run_of_what_fails),
        cmocka_unit_test(accepts_a_trend_that_does_not_matter),
        cmocka_unit_test(leaves_out_one_unfit_run_of_several),
        cmocka_unit_test(leaves_out_short_baseline_runs),
        cmocka_unit_test(sends_back_a_run_on_a_throttled_device),
        cmocka_unit_test(leaves_throttled_past_runs_out),
        cmocka_unit_test(never_fails_on_one_step_and_says_that_the_device_did_not_slow_down),
        cmocka_unit_test(says_how_little_of_a_longer_step_slower_devices_explain),
        cmocka_unit_test(sends_back_a_truncated_run_that_lacks_a_device),
        cmocka_unit_test(sends_back_a_run_of_two_modes_unless_the_job_is_like_that),
        cmocka_unit_test(accepts_rare_long_steps_and_close_modes),
        cmocka_unit_test(sends_back_a_run_whose_steps_follow_each_other),
        cmocka_unit_test(accepts_correlated_noise),
        cmocka_unit_test(accepts_short_captures_of_plain_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
