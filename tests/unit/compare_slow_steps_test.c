/* Tests of what medians do not show: some steps that stall. */
#include "compare/statistics/stats.h"
#include "schema/documents/verdict_words.h"
#include "tests/support/gate_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const int64_t stall_ps = 800 * (int64_t)1000000000;

/* Steps follow each other closely, but for `stalls` of each profile, behind the second. */
static void side_stall(const struct scene_side *side, size_t stalls)
{
    for (size_t i = 0; i < side->count; i++) {
        const struct step_table *steps = &side->profiles[i].summary->steps;
        assert_true(steps->count > 3 * (stalls + 1));
        for (size_t j = 0; j + 1 < steps->count; j++) {
            struct step_row *row = &steps->rows[j];
            bool stalled = j % 3 == 2 && j / 3 < stalls;
            row->has_period = true;
            row->period_ps = row->max_ps + (stalled ? stall_ps : 0);
        }
    }
}

static const char *slow_text(size_t past_stalls, size_t stalls, struct scene *scene,
                             struct verdict *ret_verdict)
{
    scene_fill_noisy(scene, 7, 0, NULL);
    side_stall(&scene->baseline, past_stalls);
    side_stall(&scene->candidate, stalls);
    *ret_verdict = scene_judge(scene);
    return verdict_reason_text(ret_verdict, "steps_slow");
}

static void assert_says(const char *text, const char *part)
{
    if (text == NULL || strstr(text, part) == NULL)
        fail_msg("'%s' does not say '%s'", text == NULL ? "" : text, part);
}

static void fails_for_what_medians_do_not_show(void **state)
{
    (void)state;
    struct scene scene;
    struct verdict none, some;
    assert_null(slow_text(0, 0, &scene, &none));
    assert_int_not_equal(none.status, VERDICT_FAIL);
    assert_string_equal(verdict_measure_named(&none, "steady_step_mean")->status, "ok");
    scene_done(&scene);
    const char *text = slow_text(0, 3, &scene, &some);
    assert_int_equal(some.status, VERDICT_FAIL);
    assert_string_equal(some.reasons[0].code, "steps_slow");
    assert_string_equal(verdict_measure_named(&some, "steady_step_mean")->status, "fail");
    assert_says(text, "Mean time from step to step ");
    assert_says(text, ": 9 of 60 steps are slow, 0 of 220 of the baseline, which medians do not "
                      "show, in 3 of 3 runs (p12, p13, p14); its own estimate is +");
    assert_says(text, "between steps the devices wait for input, host or dispatch.");
    assert_string_equal(verdict_sentence(&some, &scene.arena), text);
    scene_done(&scene);
}

/* What grows from step to step is no matter of some slow steps, and one slow step is one. */
static void tells_growth_and_a_single_slow_step(void **state)
{
    (void)state;
    struct scene scene;
    scene_fill_noisy(&scene, 7, 0, NULL);
    side_stall(&scene.baseline, 0);
    side_stall(&scene.candidate, 0);
    for (size_t i = 0; i < scene.candidate.count; i++) {
        const struct step_table *steps = &scene.candidate.profiles[i].summary->steps;
        for (size_t j = 0; j + 1 < steps->count; j++)
            steps->rows[j].period_ps += (int64_t)j * stall_ps / 20;
    }
    struct verdict verdict = scene_judge(&scene);
    const char *text = verdict_reason_text(&verdict, "steps_slow");
    assert_says(text, ": steps take longer and longer, ");
    assert_says(text,
                " from the first third of a capture to its last, which medians show in part,");
    assert_null(strstr(text, " steps are slow"));
    assert_non_null(verdict_reason_text(&verdict, "step_period_regressed"));
    assert_string_equal(verdict.reasons[0].code, "steps_slow"); /* growth is the news */
    scene_done(&scene);
    text = slow_text(0, 1, &scene, &verdict);
    assert_says(text, ": 3 of 60 steps are slow");
    scene.candidate.count = 1;
    verdict = scene_judge(&scene);
    assert_says(verdict_reason_text(&verdict, "steps_slow"), ": 1 of 20 steps is slow");
    scene_done(&scene);
}

/* The first line tells what made the status. */
static void stands_behind_what_failed(void **state)
{
    (void)state;
    struct scene scene;
    scene_fill_noisy(&scene, 7, 0.1, NULL);
    side_stall(&scene.baseline, 0);
    side_stall(&scene.candidate, 1);
    scene.policy.measures[MEASURE_steady_step_mean].action = MEASURE_WARN;
    struct verdict verdict = scene_judge(&scene);
    assert_int_equal(verdict.status, VERDICT_FAIL);
    assert_string_equal(verdict.reasons[0].code, "step_median_regressed");
    assert_says(verdict_reason_text(&verdict, "steps_slow"), ", which medians show in part,");
    assert_memory_equal(verdict_sentence(&verdict, &scene.arena), "step time ", 10);
    scene_done(&scene);
}

/* What follows later because the host compiles waits for that, and not for input. */
static void tells_what_devices_wait_for(void **state)
{
    (void)state;
    for (int compiles = 0; compiles < 2; compiles++) {
        struct scene scene;
        scene_fill_noisy(&scene, 7, 0, NULL);
        side_stall(&scene.baseline, 0);
        side_stall(&scene.candidate, 0);
        for (size_t i = 0; i < scene.candidate.count; i++) {
            const struct step_table *steps = &scene.candidate.profiles[i].summary->steps;
            for (size_t j = 0; j + 1 < steps->count; j++) {
                steps->rows[j].period_ps += stall_ps;
                steps->rows[j + 1].host_compiled = compiles && j > 1;
            }
        }
        struct verdict verdict = scene_judge(&scene);
        assert_int_equal(verdict.status, VERDICT_FAIL);
        const char *text = verdict_reason_text(&verdict, "step_period_regressed");
        assert_says(text, compiles ? ": the host compiles (recompilation), and keeps the device "
                                     "waiting between steps."
                                   : ": input, host or dispatch keep the device waiting");
        scene_done(&scene);
    }
}

static void leaves_out_what_the_baseline_has_too(void **state)
{
    (void)state;
    struct scene scene;
    struct verdict verdict;
    assert_null(slow_text(3, 3, &scene, &verdict));
    scene_done(&scene);
}

/* What the host compiled meanwhile is a step that somebody waited for; a capture's start is not. */
static void counts_later_warm_up_and_not_the_first(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        struct scene scene;
        scene_fill_noisy(&scene, 7, 0, NULL);
        side_stall(&scene.baseline, 0);
        side_stall(&scene.candidate, 0);
        for (size_t i = 0; i < scene.candidate.count; i++) {
            struct step_row *rows = scene.candidate.profiles[i].summary->steps.rows;
            rows[late ? 4 : 0].warmup = rows[late ? 4 : 0].host_compiled = true;
            rows[late ? 4 : 0].period_ps += stall_ps;
        }
        struct verdict verdict = scene_judge(&scene);
        const char *text = verdict_reason_text(&verdict, "steps_slow");
        assert_int_equal(text != NULL, late);
        assert_int_equal(verdict.status == VERDICT_FAIL, late);
        if (late)
            assert_says(text, "; the host compiles in 3 of them.");
        scene_done(&scene);
    }
}

/* One run may be an accident, and a policy may ask for less. */
static void fails_by_no_single_run_and_as_far_as_the_policy_lets_it(void **state)
{
    (void)state;
    static const struct {
        size_t runs;
        enum measure_action action;
        enum verdict_status status;
        const char *measure;
    } cases[] = {{3, MEASURE_FAIL, VERDICT_FAIL, "fail"},
                 {3, MEASURE_WARN, VERDICT_WARN, "warn"},
                 {3, MEASURE_INFO, VERDICT_PASS, "ok"},
                 {1, MEASURE_FAIL, VERDICT_WARN, "warn"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scene scene;
        struct summary_plan plan;
        static const double noise[] = {0, 0.004, -0.005, 0.003, -0.003, 0.005, -0.004, 0.002,
                                       0, 0.004, -0.005, 0.003, -0.003, 0.005, -0.004, 0.002};
        scene_init(&scene);
        summary_plan_default(&plan);
        plan.wait_us = 100;
        scene.policy.measures[MEASURE_steady_step_mean].action = cases[i].action;
        scene_add_runs(&scene, &scene.baseline, &plan, noise, 16);
        scene_add_runs(&scene, &scene.candidate, &plan, noise, cases[i].runs);
        side_stall(&scene.candidate, 3);
        struct verdict verdict = scene_judge(&scene);
        if (verdict.status != cases[i].status)
            fail_msg("case %zu is %s", i, verdict_status_names[verdict.status]);
        assert_string_equal(verdict_measure_named(&verdict, "steady_step_mean")->status,
                            cases[i].measure);
        const char *text = verdict_reason_text(&verdict, "steps_slow");
        assert_non_null(text);
        if (cases[i].runs == 1)
            assert_says(text, "one run does not fail by this, a second would tell");
        scene_done(&scene);
    }
}

/* The host compiles in that many places of each profile, behind the first steps, and what comes
 * behind waits for it. */
static void side_compile(const struct scene_side *side, int times)
{
    for (size_t i = 0; i < side->count; i++) {
        struct step_row *rows = side->profiles[i].summary->steps.rows;
        for (int j = 1; j <= times; j++) {
            rows[4 * j].warmup = rows[4 * j].host_compiled = true;
            rows[4 * j].period_ps += stall_ps;
        }
    }
}

/* That the host compiles is no chance: again and again in one run is enough, once is not, and is
 * said before what could not be shown. */
static void fails_by_one_run_that_recompiles(void **state)
{
    (void)state;
    static const struct {
        int past, times;
        double spread; /* of past runs, in 1 %: their step time tells, or does not */
        enum measure_action action;
        enum verdict_status status;
    } cases[] = {
        {0, 2, 0.1, MEASURE_FAIL, VERDICT_FAIL},       {0, 2, 3, MEASURE_FAIL, VERDICT_FAIL},
        {0, 2, 0.1, MEASURE_WARN, VERDICT_WARN},       {0, 1, 0.1, MEASURE_FAIL, VERDICT_WARN},
        {0, 1, 3, MEASURE_FAIL, VERDICT_INCONCLUSIVE}, {2, 2, 0.1, MEASURE_FAIL, VERDICT_PASS}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scene scene;
        struct summary_plan plan;
        scene_init(&scene);
        summary_plan_default(&plan);
        plan.wait_us = 100;
        scene.policy.measures[MEASURE_steady_step_mean].action = cases[i].action;
        uint64_t noise = 11;
        for (int run = 0; run < 17; run++) {
            double own = run < 16 ? 0.01 * cases[i].spread * fixture_normal(&noise) : 0;
            scene_add_runs(&scene, run < 16 ? &scene.baseline : &scene.candidate, &plan, &own, 1);
        }
        side_stall(&scene.baseline, 0);
        side_stall(&scene.candidate, 0);
        side_compile(&scene.baseline, cases[i].past);
        side_compile(&scene.candidate, cases[i].times);
        struct verdict verdict = scene_judge(&scene);
        const char *text = verdict_reason_text(&verdict, "steps_slow");
        if (verdict.status != cases[i].status ||
            (strcmp(verdict.reasons[0].code, "steps_slow") == 0) != (cases[i].past == 0))
            fail_msg("case %zu is %s: %s", i, verdict_status_names[verdict.status],
                     verdict.reasons[0].text);
        if (cases[i].status == VERDICT_FAIL)
            assert_says(text, "the host compiles in 2 of them: an event that recurs, in no past "
                              "run, which one run is enough to show.");
        else if (cases[i].times == 1)
            assert_says(text, "one run does not fail by this, a second would tell");
        scene_done(&scene);
    }
}

/* Past runs that stall now and then by themselves: three that do are luck, with such a past. */
static void does_not_fail_for_what_happens_by_itself(void **state)
{
    (void)state;
    for (size_t stalling = 0; stalling <= 6; stalling += 6) {
        struct scene scene;
        struct scene_side some = {0};
        scene_fill_noisy(&scene, 7, 0, NULL);
        side_stall(&scene.baseline, 0);
        side_stall(&scene.candidate, 3);
        some.count = stalling;
        memcpy(some.profiles, scene.baseline.profiles, stalling * sizeof some.profiles[0]);
        side_stall(&some, 3);
        struct verdict verdict = scene_judge(&scene);
        assert_int_equal(verdict.status == VERDICT_FAIL, stalling == 0);
        scene_done(&scene);
    }
}

/* Makes steps of each profile longer, as a stall or a slower kernel inside them would. */
static void side_lengthen(const struct scene_side *side, double (*factor)(size_t step))
{
    for (size_t i = 0; i < side->count; i++) {
        struct step_table *steps = (struct step_table *)&side->profiles[i].summary->steps;
        double us[64];
        assert_in_range(steps->count, 1, sizeof us / sizeof us[0]);
        for (size_t j = 0; j < steps->count; j++) {
            struct step_row *row = &steps->rows[j];
            row->max_ps = (int64_t)((double)row->max_ps * factor(j));
            us[j] = (double)row->max_ps / 1e6;
        }
        stats_sort(us, steps->count);
        steps->steady_median_us = some_f64(stats_quantile(us, steps->count, 0.5));
    }
}

static double one_of_three(size_t step)
{
    return step % 3 == 2 ? 1.4 : 1;
}

static double most(size_t step)
{
    return step % 3 == 2 ? 1 : 1.4;
}

static double growing(size_t step)
{
    return 1 + 0.015 * (double)step;
}

static double slower_and_growing(size_t step)
{
    return 1.1 * growing(step);
}

/* Captures that a median says nothing of, and were sent back for it. */
static void hides_no_loss_behind_what_is_unfit(void **state)
{
    (void)state;
    static const struct {
        double (*factor)(size_t step);
        size_t runs;
        const char *fault, *reason;
    } cases[] = {{one_of_three, 3, "steps_bimodal", "steps_slow"},
                 {most, 3, "steps_bimodal", "steps_slow"},
                 {growing, 3, "steps_drift", "steps_slow"},
                 {slower_and_growing, 1, "steps_drift", "steps_regressed_throughout"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scene scene;
        scene_fill_noisy(&scene, 7, 0, NULL);
        scene.candidate.count = cases[i].runs;
        side_lengthen(&scene.candidate, cases[i].factor);
        struct verdict verdict = scene_judge(&scene);
        if (verdict_reason_text(&verdict, cases[i].fault) == NULL)
            fail_msg("case %zu has no %s", i, cases[i].fault);
        if (verdict.status != VERDICT_FAIL)
            fail_msg("case %zu is %s", i, verdict_status_names[verdict.status]);
        assert_string_equal(verdict.reasons[0].code, cases[i].reason);
        assert_string_equal(verdict.rule_id, "run_statistics");
        scene_done(&scene);
    }
}

/* Two of three runs are unfit and slow: the third does not pass for them. */
static void does_not_pass_by_the_run_that_is_left(void **state)
{
    (void)state;
    struct scene scene;
    scene_fill_noisy(&scene, 7, 0, NULL);
    struct scene_side slow = scene.candidate;
    slow.count = 2;
    side_lengthen(&slow, most);
    struct verdict verdict = scene_judge(&scene);
    assert_int_equal(verdict.candidate.run_count, 1);
    assert_int_not_equal(verdict.status, VERDICT_PASS);
    assert_says(verdict_reason_text(&verdict, "steps_slow"), " in 2 of 3 runs (p12, p13)");
    assert_says(verdict_sentence(&verdict, &scene.arena), "Mean time from step to step ");
    scene_done(&scene);
}

/* Past runs with steps of two kinds are no baseline by their medians, and the same steps of a
 * candidate are nothing new. */
static void remembers_unfit_past_runs(void **state)
{
    (void)state;
    struct scene scene;
    scene_fill_noisy(&scene, 7, 0, NULL);
    struct scene_side some = scene.baseline;
    some.count = 5;
    side_lengthen(&some, one_of_three);
    side_lengthen(&scene.candidate, one_of_three);
    struct verdict verdict = scene_judge(&scene);
    assert_non_null(verdict_reason_text(&verdict, "steps_bimodal"));
    assert_int_not_equal(verdict.status, VERDICT_FAIL);
    scene_done(&scene);
}

/* A slow step counts wherever it stands: the first, which looks like warm-up, a middle one, and the
 * last, which has no follower; in two runs and in no past one it fails. */
static void counts_the_first_step_and_the_last(void **state)
{
    (void)state;
    static const size_t places[] = {0, 9, 19};
    struct scene scene;
    scene_fill_noisy(&scene, 7, 0, NULL);
    side_stall(&scene.baseline, 0);
    side_stall(&scene.candidate, 0);
    for (size_t i = 0; i < scene.candidate.count; i++) {
        struct step_row *row = &scene.candidate.profiles[i].summary->steps.rows[places[i % 3]];
        row->max_ps += 2 * stall_ps;
        row->period_ps += row->has_period ? 2 * stall_ps : 0;
        row->warmup = places[i % 3] == 0;
    }
    struct verdict verdict = scene_judge(&scene);
    assert_int_equal(verdict.status, VERDICT_FAIL);
    assert_says(verdict_reason_text(&verdict, "steps_slow"),
                ": 3 of 60 steps are slow, 0 of 220 of the baseline");
    scene_done(&scene);
}

static void side_warm_up(const struct scene_side *side, size_t count)
{
    for (size_t i = 0; i < side->count; i++) {
        struct step_row *rows = side->profiles[i].summary->steps.rows;
        for (size_t j = 0; j < count; j++) {
            rows[j].warmup = true;
            rows[j].max_ps += 2 * stall_ps;
            rows[j].period_ps += 2 * stall_ps;
        }
    }
}

/* What only the candidate leaves out as warm-up is named and fails nothing; what the past has too,
 * and what compiles, is warm-up. */
static void names_the_warm_up_that_past_runs_do_not_have(void **state)
{
    (void)state;
    static const struct {
        size_t past, now;
        bool compiles, told, is_info;
    } cases[] = {{0, 3, false, true, false},
                 {3, 3, false, false, false},
                 {0, 3, true, false, false},
                 {0, 3, false, true, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scene scene;
        scene_fill_noisy(&scene, 7, cases[i].is_info ? -0.03 : 0, NULL);
        side_stall(&scene.baseline, 0);
        side_stall(&scene.candidate, 0);
        side_warm_up(&scene.baseline, cases[i].past);
        side_warm_up(&scene.candidate, cases[i].now);
        for (size_t j = 0; j < scene.candidate.count; j++)
            scene.candidate.profiles[j].summary->steps.rows[2].host_compiled = cases[i].compiles;
        if (cases[i].is_info)
            scene.policy.measures[MEASURE_steady_step_mean].action = MEASURE_INFO;
        struct verdict verdict = scene_judge(&scene);
        const char *text = verdict_reason_text(&verdict, "warmup_unlike_past");
        if (cases[i].told) {
            assert_int_equal(verdict.status,
                             cases[i].is_info ? VERDICT_PASS : VERDICT_INCONCLUSIVE);
            assert_says(text, "a capture that begins some steps later holds it if it comes back");
            assert_says(text, "the baseline leaves out 0 of 220. Mean time from step to step with");
            assert_says(verdict_reason_text(&verdict, "steps_slow"),
                        ": 9 of 60 steps are slow, at the beginning of captures, 0 of 220 of the "
                        "baseline, ");
            if (!cases[i].is_info)
                assert_says(verdict_reason_text(&verdict, "steps_slow"),
                            "; warm-up that is longer than past captures' fails nothing.");
        } else {
            assert_null(text);
            assert_int_not_equal(verdict.status, VERDICT_FAIL);
        }
        scene_done(&scene);
    }
}

/* Steps behind a longer warm-up that stall do fail. */
static void longer_warm_up_hides_no_stalls_behind_it(void **state)
{
    (void)state;
    struct scene scene;
    struct verdict verdict;
    (void)slow_text(0, 3, &scene, &verdict);
    side_warm_up(&scene.candidate, 2);
    verdict = scene_judge(&scene);
    assert_int_equal(verdict.status, VERDICT_FAIL);
    assert_null(strstr(verdict_reason_text(&verdict, "steps_slow"), "fails nothing"));
    scene_done(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fails_for_what_medians_do_not_show),
        cmocka_unit_test(tells_growth_and_a_single_slow_step),
        cmocka_unit_test(stands_behind_what_failed),
        cmocka_unit_test(tells_what_devices_wait_for),
        cmocka_unit_test(leaves_out_what_the_baseline_has_too),
        cmocka_unit_test(counts_later_warm_up_and_not_the_first),
        cmocka_unit_test(fails_by_no_single_run_and_as_far_as_the_policy_lets_it),
        cmocka_unit_test(fails_by_one_run_that_recompiles),
        cmocka_unit_test(does_not_fail_for_what_happens_by_itself),
        cmocka_unit_test(hides_no_loss_behind_what_is_unfit),
        cmocka_unit_test(does_not_pass_by_the_run_that_is_left),
        cmocka_unit_test(remembers_unfit_past_runs),
        cmocka_unit_test(counts_the_first_step_and_the_last),
        cmocka_unit_test(names_the_warm_up_that_past_runs_do_not_have),
        cmocka_unit_test(longer_warm_up_hides_no_stalls_behind_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
