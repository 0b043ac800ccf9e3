/* Tests of what is no slow step: the steps of runs that vary more. */
#include "tests/support/gate_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Runs whose steps vary three times as much, and that do so themselves, are longer or shorter by
 * luck: their means are, and their faster steps are faster. */
static void takes_steps_that_vary_more_for_no_slow_ones(void **state)
{
    enum { PAST = 20, RUNS = 5, DRAWS = 60, STEPS = 30, MOST = 3, LUCK = 4 };
    (void)state;
    size_t by_slow = 0, longer = 0;
    for (uint64_t draw = 1; draw <= DRAWS; draw++) {
        struct scene scene;
        uint64_t noise = draw;
        scene_init(&scene);
        for (size_t i = 0; i < PAST + RUNS; i++) {
            bool past = i < PAST;
            double change = (past ? .01 : .03) * fixture_normal(&noise);
            struct summary_plan plan;
            summary_plan_default(&plan);
            plan.device_count = 1;
            plan.steps = STEPS;
            plan.step_sd = past ? .02 : .06;
            plan.seed = 7919 * draw + i;
            scene_add_runs(&scene, past ? &scene.baseline : &scene.candidate, &plan, &change, 1);
        }
        struct verdict verdict = scene_judge(&scene);
        const struct verdict_measure *mean = verdict_measure_named(&verdict, "steady_step_mean");
        longer += mean->after.value / mean->before.value >= 1.02;
        by_slow +=
            verdict.status == VERDICT_FAIL && strcmp(verdict.reasons[0].code, "steps_slow") == 0;
        scene_done(&scene);
    }
    assert_in_range(longer, LUCK, DRAWS); /* or there is nothing to be mistaken for */
    assert_in_range(by_slow, 0, MOST - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_steps_that_vary_more_for_no_slow_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
