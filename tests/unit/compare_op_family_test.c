/* Tests of which ops are tested, and of what the past says about them. */
#include "tests/support/gate_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* The family is chosen by the baseline alone: all but the smallest, which together take less than
 * .1 % of the step, and none of less than 5 us. */
static void tests_all_ops_but_the_smallest(void **state)
{
    (void)state;
    static const struct {
        double us, step_us;
        size_t count; /* of equal ops */
        bool tested;
    } cases[] = {{4.9, 4000, 1, false},
                 {5.1, 4000, 1, true},
                 {9.9, 10000, 1, false},
                 {10.1, 10000, 1, true},
                 {30, 100000, 30, true}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        enum { MOST = 30 };
        static char names[MOST][24];
        struct scene scene;
        struct summary_plan plan;
        struct planned_op ops[MOST];
        summary_plan_default(&plan);
        for (size_t j = 0; j < cases[i].count; j++) {
            (void)snprintf(names[j], sizeof names[j], "op%zu", j);
            ops[j] = (struct planned_op){names[j], names[j], NULL, cases[i].us};
        }
        plan.step_us = cases[i].step_us;
        plan.ops = ops;
        plan.op_count = cases[i].count;
        scene_init(&scene);
        for (int run = 0; run < 6; run++)
            scene_add(&scene, &scene.baseline, &plan, NULL);
        ops[cases[i].count - 1].us *= 5;
        scene_add(&scene, &scene.candidate, &plan, NULL);
        struct verdict verdict = scene_judge(&scene);
        assert_int_equal(verdict.ops[0].q.set, cases[i].tested);
        if (cases[i].tested)
            assert_string_equal(verdict.ops[0].change, "slower");
        scene_done(&scene);
    }
}

/* A past run in which an op was as far off as the candidate's is now: that says nothing. */
static void believes_no_op_that_goes_no_further_than_the_past(void **state)
{
    (void)state;
    for (int odd = 0; odd <= 1; odd++) {
        struct scene scene;
        struct summary_plan plan;
        summary_plan_default(&plan);
        uint64_t noise = 5;
        scene_init(&scene);
        for (int run = 0; run < 21; run++) {
            struct planned_op ops[2] = {
                {"a", "a", NULL, 1000 * (1 + 0.01 * fixture_normal(&noise))},
                {"b", "b", NULL, 1000 * (1 + 0.01 * fixture_normal(&noise))}};
            bool after = run == 20;
            ops[0].us *= after ? 1.15 : 1;
            ops[1].us *= odd == 1 && run == 7 ? 1.3 : 1;
            plan.ops = ops;
            plan.op_count = 2;
            scene_add(&scene, after ? &scene.candidate : &scene.baseline, &plan, NULL);
        }
        struct verdict verdict = scene_judge(&scene);
        assert_string_equal(verdict.ops[0].signature, "a");
        assert_string_equal(verdict.ops[0].change, odd == 1 ? "unchanged" : "slower");
        scene_done(&scene);
    }
}

/* Of three runs: what went as far in past runs that lie apart says nothing either, unless it is
 * rare. */
static void believes_no_op_that_goes_no_further_than_runs_that_lie_apart(void **state)
{
    enum { PAST = 20, RUNS = 3, OPS = 9 };
    (void)state;
    static const struct {
        size_t odd_ops; /* each 30 % longer in three past runs, every second one */
        const char *change;
    } cases[] = {{0, "slower"}, {3, "slower"}, {8, "unchanged"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        static const char *const names[OPS] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
        struct scene scene;
        struct summary_plan plan;
        uint64_t noise = 5;
        summary_plan_default(&plan);
        scene_init(&scene);
        for (size_t run = 0; run < PAST + RUNS; run++) {
            struct planned_op ops[OPS];
            bool after = run >= PAST;
            for (size_t op = 0; op < OPS; op++) {
                double us = 1000 * (1 + 0.01 * fixture_normal(&noise));
                bool odd = op > 0 && op <= cases[i].odd_ops && run >= op && run - op < 6 &&
                           (run - op) % 2 == 0;
                ops[op] = (struct planned_op){names[op], names[op], NULL, odd ? 1.3 * us : us};
            }
            ops[0].us *= after ? 1.15 : 1;
            plan.ops = ops;
            plan.op_count = OPS;
            scene_add(&scene, after ? &scene.candidate : &scene.baseline, &plan, NULL);
        }
        struct verdict verdict = scene_judge(&scene);
        assert_string_equal(verdict.ops[0].signature, "a");
        assert_string_equal(verdict.ops[0].change, cases[i].change);
        scene_done(&scene);
    }
}

/* One of three runs with all ops longer, as a slow host makes it, names no op; two of them do. */
static void names_no_op_that_one_run_of_three_shows(void **state)
{
    (void)state;
    static const char *const names[] = {"dot", "copy", "fusion", "all-reduce"};
    for (size_t slow = 1; slow <= 2; slow++) {
        struct scene scene;
        scene_init(&scene);
        uint64_t noise = 5;
        for (size_t run = 0; run < 15; run++) {
            bool past = run < 12;
            double factor =
                (run >= 12 && run < 12 + slow ? 1.2 : 1) * (1 + 0.002 * fixture_normal(&noise));
            struct planned_op ops[COUNT(names)];
            struct summary_plan plan;
            for (size_t i = 0; i < COUNT(names); i++)
                ops[i] = (struct planned_op){names[i], names[i], NULL, 2400 * factor};
            summary_plan_default(&plan);
            plan.step_us *= factor;
            plan.ops = ops;
            plan.op_count = COUNT(names);
            scene_add(&scene, past ? &scene.baseline : &scene.candidate, &plan, NULL);
        }
        struct verdict verdict = scene_judge(&scene);
        assert_int_equal(verdict_reason_text(&verdict, "op_regressed") != NULL, slow > 1);
        assert_int_equal(verdict.op_count, COUNT(names));
        assert_string_equal(verdict.ops[0].change, slow > 1 ? "slower" : "unchanged");
        scene_done(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_no_op_that_one_run_of_three_shows),
        cmocka_unit_test(tests_all_ops_but_the_smallest),
        cmocka_unit_test(believes_no_op_that_goes_no_further_than_the_past),
        cmocka_unit_test(believes_no_op_that_goes_no_further_than_runs_that_lie_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
