/* Runs that took turns: which runs are pairs, and what they see. */
#include "tests/support/assert_number.h"
#include "tests/support/gate_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* What the machine did meanwhile: it hits both runs of a turn alike. */
static const double weather[] = {0.00, 0.06, -0.05, 0.08, -0.03, 0.02};
static const double noise[] = {0.001, -0.002, 0.000, 0.002, -0.001, 0.001};

static void scene_fill_turns(struct scene *scene, double change)
{
    struct summary_plan plan;
    summary_plan_default(&plan);
    scene_init(scene);
    for (size_t i = 0; i < COUNT(weather); i++) {
        struct summary_plan before = plan, after = plan;
        before.step_us *= 1 + weather[i] + noise[i];
        after.step_us *= (1 + weather[i] - noise[i]) * (1 + change);
        scene_add(scene, &scene->baseline, &before, NULL);
        scene_add(scene, &scene->candidate, &after, NULL);
    }
}

static void sees_through_what_hits_both_sides(void **state)
{
    (void)state;
    struct scene scene;
    scene_fill_turns(&scene, 0.03);
    struct verdict apart = scene_judge(&scene);
    assert_int_equal(apart.status, VERDICT_INCONCLUSIVE);
    scene.paired = true;
    struct verdict paired = scene_judge(&scene);
    assert_int_equal(paired.status, VERDICT_FAIL);
    assert_true(paired.paired && !apart.paired);
    assert_non_null(strstr(paired.reasons[0].text, " of 6 pairs: surely slower"));
    assert_number(paired.statistics.df.value, 5, 0);
    scene_done(&scene);
    scene_fill_turns(&scene, 0);
    scene.paired = true;
    struct verdict same = scene_judge(&scene);
    assert_int_equal(same.status, VERDICT_PASS);
    scene_done(&scene);
}

/* Pairs are what is missing, and no past runs. */
static void asks_for_more_pairs(void **state)
{
    (void)state;
    struct scene scene;
    scene_fill_turns(&scene, 0);
    scene.paired = true;
    scene.baseline.count = scene.candidate.count = 2;
    struct verdict verdict = scene_judge(&scene);
    assert_int_equal(verdict.status, VERDICT_INCONCLUSIVE);
    assert_non_null(strstr(verdict.reasons[0].text, "2 pairs"));
    assert_string_equal(verdict_reason_text(&verdict, "few_runs"),
                        "2 pairs to learn from how runs vary: nothing passes with fewer than 6.");
    for (size_t i = 0; i < verdict.reason_count; i++)
        assert_null(strstr(verdict.reasons[i].text, "past run"));
    scene_done(&scene);
}

/* The order in which runs are named makes the pairs, whatever their ids are. */
static void pairs_runs_in_the_order_given(void **state)
{
    (void)state;
    struct scene scene;
    scene_fill_turns(&scene, 0.03);
    scene.paired = true;
    struct verdict straight = scene_judge(&scene);
    for (size_t i = 0; i < COUNT(weather) / 2; i++) {
        struct scene_side *sides[] = {&scene.baseline, &scene.candidate};
        for (size_t side = 0; side < 2; side++) {
            struct gate_profile *profiles = sides[side]->profiles;
            struct gate_profile moved = profiles[i];
            profiles[i] = profiles[COUNT(weather) - 1 - i];
            profiles[COUNT(weather) - 1 - i] = moved;
        }
    }
    struct verdict turned = scene_judge(&scene);
    assert_close(turned.statistics.p.value, straight.statistics.p.value, 1e-9);
    scene_done(&scene);
}

/* Half of the pairs are slower: which half is no change of level, and no drift. */
static void says_the_same_whichever_pairs_are_slower(void **state)
{
    (void)state;
    struct verdict verdicts[2];
    for (size_t first = 0; first < 2; first++) {
        struct scene scene;
        struct summary_plan plan;
        summary_plan_default(&plan);
        scene_init(&scene);
        scene.paired = true;
        for (size_t i = 0; i < COUNT(noise); i++) { /* the ledger met one side, then the other */
            struct summary_plan before = plan;
            before.step_us *= 1 + noise[i];
            scene_add(&scene, &scene.baseline, &before, NULL);
        }
        for (size_t i = 0; i < COUNT(noise); i++) {
            struct summary_plan after = plan;
            after.step_us *= (1 - noise[i]) * ((i < 3) == (first == 0) ? 1.05 : 1);
            scene_add(&scene, &scene.candidate, &after, NULL);
        }
        verdicts[first] = scene_judge(&scene);
        assert_false(verdicts[first].statistics.level_change_pct.set);
        assert_false(verdicts[first].statistics.drift_pct_per_run.set);
        assert_number(verdicts[first].statistics.estimate_pct.value, 2.5, 0.6);
        scene_done(&scene);
    }
    assert_int_equal(verdicts[0].status, verdicts[1].status);
}

static void drops_a_run_whose_partner_is_unfit(void **state)
{
    (void)state;
    struct scene scene;
    scene_fill_turns(&scene, 0.03);
    struct summary_plan plan;
    summary_plan_default(&plan);
    plan.steps = 2; /* unfit */
    scene.policy.min_steps = 3;
    scene_add(&scene, &scene.baseline, &plan, NULL);
    plan.steps = 20;
    plan.step_us *= 3;
    scene_add(&scene, &scene.candidate, &plan, NULL);
    scene.paired = true;
    struct verdict verdict = scene_judge(&scene);
    assert_int_equal(verdict.candidate.run_count, 6);
    assert_int_equal(verdict.status, VERDICT_FAIL);
    assert_number(verdict.statistics.estimate_pct.value, 3, 0.5);
    assert_string_equal(verdict.provenance_messages.items[0],
                        "Run p14 is left out with its partner p13.");
    scene_done(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sees_through_what_hits_both_sides),
        cmocka_unit_test(asks_for_more_pairs),
        cmocka_unit_test(pairs_runs_in_the_order_given),
        cmocka_unit_test(says_the_same_whichever_pairs_are_slower),
        cmocka_unit_test(drops_a_run_whose_partner_is_unfit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
