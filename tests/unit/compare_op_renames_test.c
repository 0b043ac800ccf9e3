/* Tests of ops that are called otherwise after a change: renamed, fused cheaper, split. */
#include "tests/support/gate_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct verdict judged(struct scene *scene, const struct planned_op *before, size_t count,
                             const struct planned_op *after, size_t after_count)
{
    struct summary_plan plan;
    summary_plan_default(&plan);
    scene_init(scene);
    plan.ops = before;
    plan.op_count = count;
    for (int run = 0; run < 8; run++)
        scene_add(scene, &scene->baseline, &plan, NULL);
    plan.ops = after;
    plan.op_count = after_count;
    scene_add(scene, &scene->candidate, &plan, NULL);
    struct scene_side *sides[] = {&scene->baseline, &scene->candidate};
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < sides[i]->count; j++) {
            struct summary *summary = (struct summary *)sides[i]->profiles[j].summary;
            for (size_t k = 0; k < summary->op_count; k++)
                summary->ops[k].shape_signature = "f32[8,128]";
        }
    }
    return scene_judge(scene);
}

static const struct verdict_op *op_of(const struct verdict *verdict, const char *signature)
{
    for (size_t i = 0; i < verdict->op_count; i++) {
        if (strcmp(verdict->ops[i].signature, signature) == 0)
            return &verdict->ops[i];
    }
    return NULL;
}

static void knows_an_op_whose_scope_was_renamed(void **state)
{
    (void)state;
    static const struct planned_op before[] = {{"a", "dot.1", "m/block/old/dot", 1000},
                                               {"b", "add.1", "m/block/old/add", 300}};
    static const struct planned_op after[] = {{"c", "dot.2", "m/block/new/dot", 1200},
                                              {"d", "add.2", "m/block/new/add", 310}};
    struct scene scene;
    struct verdict verdict = judged(&scene, before, 2, after, 2);
    assert_string_equal(op_of(&verdict, "c")->change, "shifted");
    assert_true(op_of(&verdict, "c")->delta_us > 199 && op_of(&verdict, "c")->delta_us < 201);
    assert_true(op_of(&verdict, "d")->delta_us > 9 && op_of(&verdict, "d")->delta_us < 11);
    assert_null(op_of(&verdict, "a"));
    scene_done(&scene);
}

static void calls_a_cheaper_fusion_no_loss(void **state)
{
    (void)state;
    static const struct planned_op before[] = {{"a", "add.1", "m/block/add", 600},
                                               {"b", "mul.1", "m/block/mul", 500}};
    static const struct planned_op after[] = {{"f", "fusion.1", "m/block/add", 800}};
    struct scene scene;
    struct verdict verdict = judged(&scene, before, 2, after, 1);
    assert_int_equal(verdict.op_count, 1);
    assert_true(op_of(&verdict, "f")->delta_us < -299 && op_of(&verdict, "f")->delta_us > -301);
    assert_null(verdict_reason_text(&verdict, "op_suspected"));
    scene_done(&scene);
}

static void adds_up_the_parts_of_a_split(void **state)
{
    (void)state;
    static const struct planned_op before[] = {{"f", "fusion.1", "m/block/add", 1000}};
    static const struct planned_op after[] = {{"a", "fusion.2", "m/block/add", 600},
                                              {"b", "fusion.3", "m/block/mul", 450}};
    struct scene scene;
    struct verdict verdict = judged(&scene, before, 1, after, 2);
    assert_int_equal(verdict.op_count, 1);
    assert_string_equal(verdict.ops[0].change, "shifted");
    assert_string_equal(verdict_op_words(&verdict.ops[0]), "slower, in another form");
    assert_true(verdict.ops[0].delta_us > 49 && verdict.ops[0].delta_us < 51);
    scene_done(&scene);
}

/* Six past runs, three of them of a program that calls its op otherwise, and one of the candidate
 * that runs the newer program. */
static struct verdict judged_of_two(struct scene *scene, const struct planned_op *older,
                                    const struct planned_op *newer, const struct planned_op *after)
{
    struct summary_plan plan;
    summary_plan_default(&plan);
    scene_init(scene);
    plan.op_count = 1;
    for (int run = 0; run < 6; run++) {
        plan.ops = run < 3 ? older : newer;
        scene_add(scene, &scene->baseline, &plan, NULL);
    }
    plan.ops = after;
    scene_add(scene, &scene->candidate, &plan, NULL);
    return scene_judge(scene);
}

static void joins_names_that_take_turns_in_past_runs(void **state)
{
    (void)state;
    static const struct planned_op older = {"a", "dot.1", "m/block/dot", 1000};
    static const struct planned_op newer = {"b", "dot.2", "m/block/dot", 1010};
    static const struct planned_op after = {"b", "dot.2", "m/block/dot", 1206};
    struct scene scene;
    struct verdict verdict = judged_of_two(&scene, &older, &newer, &after);
    assert_int_equal(verdict.op_count, 1);
    const struct verdict_op *op = op_of(&verdict, "b");
    assert_string_equal(op->change, "slower");
    assert_true(op->before_us > 1004 && op->before_us < 1006);
    assert_true(op->delta_pct.value > 19.9 && op->delta_pct.value < 20.1);
    assert_false(op->before_runs.runs.set);
    scene_done(&scene);
}

/* Nobody's time is the mean of 1000 and of nothing. */
static void tells_in_how_many_past_runs_an_op_is(void **state)
{
    (void)state;
    static const struct planned_op older = {"a", "dot.1", "m/other/dot", 500};
    static const struct planned_op newer = {"b", "dot.2", "m/block/dot", 1000};
    static const struct planned_op after = {"b", "dot.2", "m/block/dot", 1200};
    struct scene scene;
    struct verdict verdict = judged_of_two(&scene, &older, &newer, &after);
    const struct verdict_op *op = op_of(&verdict, "b");
    assert_true(op->before_us > 999 && op->before_us < 1001);
    assert_true(op->delta_us > 199 && op->delta_us < 201);
    assert_int_equal(op->before_runs.runs.value, 3);
    assert_int_equal(op->before_runs.of.value, 6);
    assert_non_null(strstr(verdict_reason_text(&verdict, "op_suspected"), "in 3 of 6 past runs"));
    /* Half of the past did without it as well. */
    assert_string_equal(op_of(&verdict, "a")->change, "unchanged");
    /* The step's share of the change is of all runs: (1200 - 500) + (0 - 250). */
    assert_true(verdict.balance.ops_delta_us > 449 && verdict.balance.ops_delta_us < 451);
    scene_done(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_an_op_whose_scope_was_renamed),
        cmocka_unit_test(calls_a_cheaper_fusion_no_loss),
        cmocka_unit_test(adds_up_the_parts_of_a_split),
        cmocka_unit_test(joins_names_that_take_turns_in_past_runs),
        cmocka_unit_test(tells_in_how_many_past_runs_an_op_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
