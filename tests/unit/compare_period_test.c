/* Tests of the rule on the time from step to step: what waits between steps is in no step. */
#include "schema/documents/verdict_words.h"
#include "tests/support/gate_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const double noise[] = {0, 0.004, -0.005, 0.003, -0.003, 0.005, -0.004, 0.002};

/* Past runs of 10 ms with 0.1 ms between steps; a candidate with other waits or steps. */
struct past {
    size_t runs;
    const char *fingerprint;
    enum measure_action action;
};

struct now {
    double step_us, wait_us;
};

/* scene_done is the caller's. */
static struct verdict judged(struct scene *scene, const struct past *past, const struct now *now)
{
    struct summary_plan plan;
    struct planned_op op = {"op", "op", NULL, 9000};
    summary_plan_default(&plan);
    plan.wait_us = 100;
    plan.fingerprint = past->fingerprint;
    plan.ops = &op;
    plan.op_count = 1;
    scene_init(scene);
    scene->policy.measures[MEASURE_steady_step_period].action = past->action;
    scene_add_runs(scene, &scene->baseline, &plan, noise, past->runs);
    op.us += now->step_us - plan.step_us;
    plan.step_us = now->step_us;
    plan.wait_us = now->wait_us;
    scene_add(scene, &scene->candidate, &plan, NULL);
    return scene_judge(scene);
}

static const struct {
    struct past past;
    struct now now;
    enum verdict_status status;
    const char *code, *rule_id; /* of the first reason */
} table[] = {
    {{8, NULL, MEASURE_FAIL},
     {10000, 110},
     VERDICT_PASS,
     "step_median_equivalent",
     "run_statistics"},
    {{8, NULL, MEASURE_FAIL},
     {10000, 500},
     VERDICT_FAIL,
     "step_period_regressed",
     "run_statistics"},
    {{8, NULL, MEASURE_WARN},
     {10000, 500},
     VERDICT_WARN,
     "step_period_suspected",
     "run_statistics"},
    {{8, NULL, MEASURE_INFO},
     {10000, 500},
     VERDICT_PASS,
     "step_median_equivalent",
     "run_statistics"},
    /* faster steps hide no wait */
    {{8, NULL, MEASURE_FAIL},
     {9500, 1000},
     VERDICT_FAIL,
     "step_period_regressed",
     "run_statistics"},
    /* the step itself says it */
    {{8, NULL, MEASURE_FAIL},
     {10500, 100},
     VERDICT_FAIL,
     "step_median_regressed",
     "run_statistics"},
    /* of few runs nothing passes */
    {{2, NULL, MEASURE_FAIL},
     {10000, 110},
     VERDICT_INCONCLUSIVE,
     "step_median_uncertain",
     "run_statistics"},
    /* one program: device time is environment, a wait is not */
    {{8, "same", MEASURE_FAIL},
     {10500, 100},
     VERDICT_WARN,
     "step_median_regressed",
     "same_program"},
    {{8, "same", MEASURE_FAIL},
     {10500, 500},
     VERDICT_FAIL,
     "step_period_regressed",
     "run_statistics"},
};

static void decides_by_what_lies_between_steps(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(table); i++) {
        struct scene scene;
        struct verdict verdict = judged(&scene, &table[i].past, &table[i].now);
        if (verdict.status != table[i].status)
            fail_msg("case %zu is %s", i, verdict_status_names[verdict.status]);
        const char *headline = verdict_sentence(&verdict, &scene.arena);
        bool of_period = strstr(table[i].code, "step_period_") != NULL;
        if (strncmp(headline, "The time from one step to the next is ", 38) != 0 && of_period)
            fail_msg("case %zu: %s", i, headline);
        assert_string_equal(verdict.reasons[0].code, table[i].code);
        assert_string_equal(verdict.rule_id, table[i].rule_id);
        scene_done(&scene);
    }
}

static void says_what_the_measure_did(void **state)
{
    (void)state;
    static const struct {
        struct now now;
        enum measure_action action;
        const char *status;
    } cases[] = {{{10000, 500}, MEASURE_FAIL, "fail"},
                 {{10000, 500}, MEASURE_WARN, "warn"},
                 {{10000, 500}, MEASURE_INFO, "ok"},
                 {{10000, 100}, MEASURE_FAIL, "ok"},
                 /* most of it is in the steps, which only warn */
                 {{10190, 150}, MEASURE_FAIL, "warn"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene scene;
        struct verdict verdict =
            judged(&scene, &(struct past){8, NULL, cases[i].action}, &cases[i].now);
        assert_string_equal(verdict_measure_named(&verdict, "steady_step_period")->status,
                            cases[i].status);
        scene_done(&scene);
    }
}

/* Documents of steps whose followers are not known. */
static void says_nothing_without_periods(void **state)
{
    (void)state;
    struct scene scene;
    struct verdict verdict =
        judged(&scene, &(struct past){8, NULL, MEASURE_FAIL}, &(struct now){10000, 0});
    assert_int_equal(verdict.status, VERDICT_PASS);
    assert_string_equal(verdict_measure_named(&verdict, "steady_step_period")->status, "unknown");
    scene_done(&scene);
}

/* Waits of 2 ms behind steps of 8 ms differ by `spread` of themselves from run to run. */
static struct verdict judged_of_waits(struct scene *scene, double spread, double now_step_us)
{
    struct summary_plan plan;
    uint64_t seed = 7;
    summary_plan_default(&plan);
    scene_init(scene);
    for (size_t i = 0; i < 12; i++) {
        bool past = i < 9;
        plan.step_us = past ? 8000 : now_step_us;
        plan.wait_us = 10000 - plan.step_us + 2000 * spread * fixture_normal(&seed);
        scene_add_runs(scene, past ? &scene->baseline : &scene->candidate, &plan, &noise[i % 8], 1);
    }
    return scene_judge(scene);
}

/* A job that waits for a fifth of its time is not told by its steps alone. */
static void passes_nothing_that_waits_leave_open(void **state)
{
    (void)state;
    struct scene scene;
    struct verdict verdict = judged_of_waits(&scene, .3, 8000);
    assert_int_equal(verdict.status, VERDICT_INCONCLUSIVE);
    assert_string_equal(verdict.reasons[0].code, "step_period_uncertain");
    assert_non_null(verdict_reason_text(&verdict, "step_median_equivalent"));
    assert_non_null(strstr(verdict.reasons[0].text, "could not have been seen, 2.0 % matter"));
    scene_done(&scene);
    verdict = judged_of_waits(&scene, .01, 8000);
    assert_int_equal(verdict.status, VERDICT_PASS);
    assert_null(verdict_reason_text(&verdict, "step_period_uncertain"));
    scene_done(&scene);
}

/* A step that is longer by what it waits less fails, and what that costs is said. */
static void says_that_waits_hide_a_longer_step(void **state)
{
    (void)state;
    struct scene scene;
    struct verdict verdict = judged_of_waits(&scene, .01, 8800);
    assert_int_equal(verdict.status, VERDICT_FAIL);
    assert_string_equal(verdict.reasons[0].code, "step_median_regressed");
    assert_non_null(
        strstr(verdict_reason_text(&verdict, "step_hidden_by_waits"), "takes the place of waits"));
    assert_non_null(strstr(verdict_measure_named(&verdict, "steady_step_period")->status, "ok"));
    scene_done(&scene);
}

/* A capture of one step ends before what devices wait for behind it. */
static void says_that_one_step_holds_no_waits(void **state)
{
    (void)state;
    for (int64_t steps = 1; steps <= 2; steps++) {
        struct scene scene;
        struct summary_plan plan;
        summary_plan_default(&plan);
        plan.wait_us = 100;
        plan.warmup = 0;
        scene_init(&scene);
        scene_add_runs(&scene, &scene.baseline, &plan, noise, 8);
        plan.steps = steps;
        scene_add_runs(&scene, &scene.candidate, &plan, noise, 3);
        struct verdict verdict = scene_judge(&scene);
        assert_int_equal(verdict_reason_text(&verdict, "waits_unseen") != NULL, steps == 1);
        scene_done(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decides_by_what_lies_between_steps),
        cmocka_unit_test(says_what_the_measure_did),
        cmocka_unit_test(says_nothing_without_periods),
        cmocka_unit_test(passes_nothing_that_waits_leave_open),
        cmocka_unit_test(says_that_waits_hide_a_longer_step),
        cmocka_unit_test(says_that_one_step_holds_no_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
