/* Tests of the gate on one compiled program: device time is environment, the rest still counts. */
#include "compare/gate/gate.h"
#include "tests/support/gate_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* All ops of a profile take longer together, and its steps with them. */
static void slow_clock(struct summary *summary, double factor)
{
    double added = 0;
    for (size_t i = 0; i < summary->op_count; i++) {
        double self = (double)summary->ops[i].steady_self_ps;
        added += self * (factor - 1) / (double)summary->steps.steady_spans;
        summary->ops[i].steady_self_ps = llround(self * factor);
    }
    for (size_t i = 0; i < summary->steps.count; i++) {
        const struct step_row *row = &summary->steps.rows[i];
        for (size_t j = 0; j < row->span_count; j++)
            row->spans[j].duration_ps += llround(added);
    }
    summary->steps.steady_median_us.value += added / 1e6;
    summary->steps.steady_p90_us.value += added / 1e6;
}

static void never_fails_one_program_for_its_device_time(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct scene scene;
        uint64_t more = seed;
        scene_fill_noisy(&scene, seed, 0, "same");
        for (size_t i = 0; i < scene.candidate.count; i++)
            slow_clock((struct summary *)scene.candidate.profiles[i].summary,
                       1 + fabs(0.2 * fixture_normal(&more)));
        struct verdict verdict = scene_judge(&scene);
        assert_int_not_equal(verdict.status, VERDICT_FAIL);
        assert_non_null(verdict_reason_text(&verdict, "same_program"));
        scene_done(&scene);
    }
}

static void fails_one_program_for_time_beside_the_device(void **state)
{
    (void)state;
    static const double noise[] = {0, 0.01, -0.012, 0.004, -0.006, 0.008, -0.003, 0.011};
    static const struct {
        double op_us;
        enum verdict_status status;
        const char *rule_id;
    } cases[] = {
        {5000, VERDICT_FAIL, "run_statistics"}, /* the step grew, the op did not */
        {6500, VERDICT_WARN, "same_program"},   /* the op is what grew */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct planned_op op = {"op", "op", NULL, 5000};
        struct summary_plan plan;
        struct scene scene;
        summary_plan_default(&plan);
        plan.ops = &op;
        plan.op_count = 1;
        plan.fingerprint = "same";
        scene_init(&scene);
        scene_add_runs(&scene, &scene.baseline, &plan, noise, COUNT(noise));
        plan.step_us += 1500;
        op.us = cases[i].op_us;
        scene_add(&scene, &scene.candidate, &plan, NULL);
        struct verdict verdict = scene_judge(&scene);
        assert_int_equal(verdict.status, cases[i].status);
        assert_string_equal(verdict.rule_id, cases[i].rule_id);
        assert_non_null(verdict_reason_text(&verdict, "same_program"));
        assert_int_equal(verdict_reason_text(&verdict, "device_not_slower") != NULL, i == 0);
        scene_done(&scene);
    }
}

/* One of four devices takes longer over its ops, or waits longer inside its steps: the mean device
 * shows a quarter of it, the step all of it. */
static void tells_a_slow_device_from_one_that_waits(void **state)
{
    (void)state;
    static const double noise[] = {0, 0.01, -0.012, 0.004, -0.006, 0.008, -0.003, 0.011};
    static const struct {
        double op_us; /* of the mean device, 5000 before */
        enum verdict_status status;
        const char *held;
    } cases[] = {{5250, VERDICT_WARN, "(-0."},
                 {5000, VERDICT_FAIL, "(+9.8 %)"},
                 /* less work weighs no more than it is: a hundredth of the step */
                 {4900, VERDICT_FAIL, "(+10.8 %)"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct planned_op op = {"op", "op", NULL, 5000};
        struct summary_plan plan;
        struct scene scene;
        summary_plan_default(&plan);
        plan.ops = &op;
        plan.op_count = 1;
        plan.fingerprint = "same";
        scene_init(&scene);
        scene_add_runs(&scene, &scene.baseline, &plan, noise, COUNT(noise));
        plan.slow_factor = 1.1;
        op.us = cases[i].op_us;
        scene_add(&scene, &scene.candidate, &plan, NULL);
        struct verdict verdict = scene_judge(&scene);
        assert_int_equal(verdict.status, cases[i].status);
        assert_string_equal(verdict_reason_text(&verdict, "devices_differ"),
                            "1 of 4 devices is slower, /device:TPU:3: +9.8 %.");
        assert_non_null(strstr(verdict_reason_text(&verdict, "same_program"), cases[i].held));
        scene_done(&scene);
    }
}

static void runs_count(const struct scene_side *side, int64_t runs)
{
    for (size_t i = 0; i < side->count; i++)
        side->profiles[i].summary->environment.programs[0].run_count = runs;
}

static void takes_programs_for_equal_only_when_all_fingerprints_are_known(void **state)
{
    (void)state;
    static const struct {
        const char *before, *after;
        bool same;
    } cases[] = {{"a", "a", true}, {"a", "b", false}, {NULL, NULL, false}, {"a", NULL, false}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct summary_plan plan;
        struct scene scene;
        summary_plan_default(&plan);
        scene_init(&scene);
        plan.fingerprint = cases[i].before;
        scene_add(&scene, &scene.baseline, &plan, NULL);
        plan.fingerprint = cases[i].after;
        scene_add(&scene, &scene.candidate, &plan, NULL);
        for (int counted = 1; counted >= 0; counted--) { /* not all devices count runs */
            runs_count(&scene.baseline, counted);
            runs_count(&scene.candidate, counted);
            struct verdict verdict = scene_judge(&scene);
            assert_int_equal(verdict_reason_text(&verdict, "same_program") != NULL, cases[i].same);
        }
        scene_done(&scene);
    }
}

/* A program that is there and did not run tells nothing, where runs are counted. */
static void looks_at_programs_that_ran(void **state)
{
    (void)state;
    for (int counted = 0; counted <= 1; counted++) {
        struct summary_plan plan;
        struct scene scene;
        summary_plan_default(&plan);
        plan.fingerprint = "a";
        scene_init(&scene);
        scene_add(&scene, &scene.baseline, &plan, NULL);
        scene_add(&scene, &scene.candidate, &plan, NULL);
        struct hlo_program programs[] = {{"jit_train_step", "a", counted}, {"jit_init", "b", 0}};
        struct environment *environment =
            &((struct summary *)scene.candidate.profiles[0].summary)->environment;
        environment->programs = programs;
        environment->program_count = COUNT(programs);
        runs_count(&scene.baseline, counted);
        struct verdict verdict = scene_judge(&scene);
        assert_int_equal(verdict_reason_text(&verdict, "same_program") != NULL, counted);
        scene_done(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(never_fails_one_program_for_its_device_time),
        cmocka_unit_test(fails_one_program_for_time_beside_the_device),
        cmocka_unit_test(tells_a_slow_device_from_one_that_waits),
        cmocka_unit_test(looks_at_programs_that_ran),
        cmocka_unit_test(takes_programs_for_equal_only_when_all_fingerprints_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
