/* Tests of compare/gate/groups: times of what not all runs of a side have. */
#include "tests/support/gate_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Runs of two programs: with a copy of so long, and without one (0). */
static struct verdict judged(struct scene *scene, const double *past_us, size_t past_count,
                             const double *candidate_us, size_t candidate_count)
{
    struct summary_plan plan;
    summary_plan_default(&plan);
    scene_init(scene);
    for (size_t i = 0; i < past_count + candidate_count; i++) {
        const bool after = i >= past_count;
        const double us = after ? candidate_us[i - past_count] : past_us[i];
        const struct planned_op ops[] = {{"a", "dot.1", "m/block/dot", 4000},
                                         {"b", "copy.1", "m/other/copy", us}};
        plan.ops = ops;
        plan.op_count = us > 0 ? 2 : 1;
        scene_add(scene, after ? &scene->candidate : &scene->baseline, &plan, NULL);
    }
    struct scene_side *sides[] = {&scene->baseline, &scene->candidate};
    for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < sides[i]->count; j++) {
            struct summary *summary = (struct summary *)sides[i]->profiles[j].summary;
            if (summary->op_count > 1)
                summary->ops[1].category = "copies";
        }
    }
    return scene_judge(scene);
}

static const struct verdict_group *group_of(const struct verdict *verdict, const char *name)
{
    for (size_t i = 0; i < verdict->group_count; i++) {
        if (strcmp(verdict->groups[i].name, name) == 0)
            return &verdict->groups[i];
    }
    return NULL;
}

static void is_at(double value, double wanted)
{
    assert_true(value > wanted - 1e-6 && value < wanted + 1e-6);
}

static void a_group_is_the_mean_of_the_past_runs_that_have_it(void **state)
{
    (void)state;
    static const double past[] = {500, 500, 500, 0, 0, 0}, candidate[] = {520};
    struct scene scene;
    struct verdict verdict = judged(&scene, past, 6, candidate, 1);
    const struct verdict_group *copies = group_of(&verdict, "copies");
    assert_non_null(copies);
    is_at(copies->before_us, 500);
    is_at(copies->after_us, 520);
    is_at(copies->delta_us, 20);
    assert_int_equal(copies->before_runs.runs.value, 3);
    assert_int_equal(copies->before_runs.of.value, 6);
    assert_false(copies->after_runs.runs.set);
    /* All that is forward is in every run. */
    is_at(group_of(&verdict, "forward")->before_us, 4250);
    assert_false(group_of(&verdict, "forward")->before_runs.runs.set);
    assert_true(verdict_runs_differ(&verdict));
    scene_done(&scene);
}

static void what_half_of_the_past_does_without_is_not_gone(void **state)
{
    (void)state;
    static const double half[] = {500, 500, 500, 0, 0, 0}, most[] = {500, 500, 500, 500, 0, 0};
    static const double candidate[] = {0};
    struct scene scene;
    struct verdict verdict = judged(&scene, half, 6, candidate, 1);
    assert_null(group_of(&verdict, "copies"));
    scene_done(&scene);
    verdict = judged(&scene, most, 6, candidate, 1);
    is_at(group_of(&verdict, "copies")->delta_us, -500);
    scene_done(&scene);
}

static void times_after_are_of_the_candidates_runs_that_have_them(void **state)
{
    (void)state;
    static const double past[] = {500, 500, 500, 500, 500, 500}, candidate[] = {600, 0, 600};
    struct scene scene;
    struct verdict verdict = judged(&scene, past, 6, candidate, 3);
    const struct verdict_group *copies = group_of(&verdict, "copies");
    is_at(copies->after_us, 600);
    assert_int_equal(copies->after_runs.runs.value, 2);
    assert_int_equal(copies->after_runs.of.value, 3);
    const struct verdict_op *op = &verdict.ops[0];
    assert_string_equal(op->signature, "b");
    is_at(op->after_us, 600);
    is_at(op->delta_pct.value, 20);
    assert_int_equal(op->after_runs.runs.value, 2);
    /* The balance is one of all runs: 2 / 3 of 600 in place of 500. */
    is_at(verdict.balance.ops_delta_us, -100);
    scene_done(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_is_the_mean_of_the_past_runs_that_have_it),
        cmocka_unit_test(what_half_of_the_past_does_without_is_not_gone),
        cmocka_unit_test(times_after_are_of_the_candidates_runs_that_have_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
