/* Tests of ops in a verdict: matching, cost shifts, significance, order, balance, watched ops. */
#include "compare/gate/gate.h"
#include "tests/support/assert_number.h"
#include "tests/support/gate_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const struct verdict_op *op_of(const struct verdict *verdict, const char *signature)
{
    for (size_t i = 0; i < verdict->op_count; i++) {
        if (strcmp(verdict->ops[i].signature, signature) == 0)
            return &verdict->ops[i];
    }
    return NULL;
}

/* One profile a side with these ops; the step grows by what the ops do. */
static struct verdict judged(struct scene *scene, const struct planned_op *before,
                             size_t before_count, const struct planned_op *after,
                             size_t after_count)
{
    struct summary_plan plan;
    summary_plan_default(&plan);
    plan.ops = before;
    plan.op_count = before_count;
    scene_init(scene);
    scene_add(scene, &scene->baseline, &plan, NULL);
    for (size_t i = 0; i < before_count; i++)
        plan.step_us -= before[i].us;
    for (size_t i = 0; i < after_count; i++)
        plan.step_us += after[i].us;
    plan.ops = after;
    plan.op_count = after_count;
    scene_add(scene, &scene->candidate, &plan, NULL);
    return scene_judge(scene);
}

static void matches_by_signature_and_not_by_name(void **state)
{
    (void)state;
    static const struct planned_op before[] = {{"matmul", "fusion.1", "a/b", 4000},
                                               {"add", "fusion.2", "a/c", 1000}};
    static const struct planned_op after[] = {{"matmul", "fusion.2", "a/b", 4500},
                                              {"add", "fusion.1", "a/c", 900}};
    struct scene scene;
    struct verdict verdict = judged(&scene, before, 2, after, 2);
    assert_int_equal(verdict.op_count, 2);
    const struct verdict_op *op = &verdict.ops[0];
    assert_string_equal(op->signature, "matmul");
    assert_string_equal(op->name, "fusion.2"); /* as it is called now */
    assert_string_equal(op->change, "slower");
    assert_number(op->before_us, 4000, 1e-9);
    assert_number(op->after_us, 4500, 1e-9);
    assert_number(op->delta_us, 500, 1e-9);
    assert_number(op->delta_pct.value, 12.5, 1e-9);
    assert_number(op->share_of_step, 0.05, 1e-9);
    assert_string_equal(verdict.ops[1].change, "faster");
    assert_number(verdict.ops[1].delta_us, -100, 1e-9);
    scene_done(&scene);
}

static void shows_added_and_removed_ops(void **state)
{
    (void)state;
    static const struct planned_op before[] = {{"x", "x", "p/one", 500}, {"k", "k", "q/k", 1000}};
    static const struct planned_op after[] = {{"y", "y", "r/two", 800}, {"k", "k", "q/k", 1000}};
    struct scene scene;
    struct verdict verdict = judged(&scene, before, 2, after, 2);
    assert_int_equal(verdict.op_count, 2); /* what did not change is not shown */
    assert_string_equal(op_of(&verdict, "y")->change, "added");
    assert_false(op_of(&verdict, "y")->delta_pct.set);
    assert_string_equal(op_of(&verdict, "x")->change, "removed");
    assert_string_equal(op_of(&verdict, "x")->name, "x");
    assert_number(op_of(&verdict, "x")->delta_pct.value, -100, 0);
    scene_done(&scene);
}

static void pairs_an_op_that_goes_with_one_that_comes_in_its_place(void **state)
{
    (void)state;
    static const struct planned_op before[] = {{"old-same", "a.1", "m/layer/dot", 1000},
                                               {"old-parent", "b.1", "m/norm/add", 600},
                                               {"old-small", "c.1", "m/norm/mul", 300},
                                               {"old-alone", "d.1", "m/loss/log", 200},
                                               {"old-root", "e.1", NULL, 100}};
    static const struct planned_op after[] = {{"new-same", "a.2", "m/layer/dot", 1500},
                                              {"new-parent", "b.2", "m/norm/fused", 700},
                                              {"new-root", "e.2", NULL, 150}};
    struct scene scene;
    struct verdict verdict = judged(&scene, before, COUNT(before), after, COUNT(after));
    const struct verdict_op *same = op_of(&verdict, "new-same");
    assert_string_equal(same->change, "shifted");
    assert_number(same->before_us, 1000, 1e-9);
    assert_number(same->delta_us, 500, 1e-9);
    const struct verdict_op *parent = op_of(&verdict, "new-parent");
    assert_string_equal(parent->change, "shifted"); /* with the larger of the two that went */
    assert_number(parent->before_us, 600, 1e-9);
    assert_null(op_of(&verdict, "old-parent"));
    assert_string_equal(op_of(&verdict, "old-small")->change, "removed");
    assert_string_equal(op_of(&verdict, "old-alone")->change, "removed");
    assert_string_equal(op_of(&verdict, "new-root")->change, "added"); /* no path, no place */
    assert_string_equal(op_of(&verdict, "old-root")->change, "removed");
    assert_number(verdict.balance.ops_delta_us, 150, 1e-6);
    scene_done(&scene);
}

/* What goes into a fusion is no gain beside a loss; what another kernel replaced is. */
static void adds_to_a_fusion_what_stood_beside_its_part(void **state)
{
    (void)state;
    static const struct planned_op before[] = {{"old-flash", "f.1", "m/attn/flash/call", 2000},
                                               {"old-qkv", "q.1", "m/attn/qkv/dot", 3000},
                                               {"old-norm", "n.1", "m/attn/flash/norm", 400},
                                               {"old-far", "x.1", "m/mlp/up/dot", 500},
                                               {"old-large", "l.1", "m/attn/out/dot", 9000}};
    static const struct planned_op fused[] = {{"new", "fusion.9", "m/attn/flash/call", 7000}};
    static const struct planned_op replaced[] = {{"new", "custom.9", "m/attn/flash/call", 7000}};
    struct scene scene;
    struct verdict verdict = judged(&scene, before, COUNT(before), fused, 1);
    const struct verdict_op *op = op_of(&verdict, "new");
    assert_string_equal(op->change, "shifted");
    assert_number(op->before_us, 5400, 1e-9);
    assert_null(op_of(&verdict, "old-qkv"));
    assert_null(op_of(&verdict, "old-norm"));
    assert_string_equal(op_of(&verdict, "old-far")->change, "removed");
    assert_string_equal(op_of(&verdict, "old-large")->change, "removed"); /* more than it grew */
    assert_number(verdict.balance.ops_delta_us, 7000 - 14900, 1e-6);
    scene_done(&scene);
    verdict = judged(&scene, before, COUNT(before), replaced, 1);
    assert_number(op_of(&verdict, "new")->before_us, 2000, 1e-9);
    assert_string_equal(op_of(&verdict, "old-qkv")->change, "removed");
    scene_done(&scene);
}

/* The one that grew most takes the largest op; what it then has left is less than the other's. */
static void shares_what_went_between_fusions_of_one_place(void **state)
{
    (void)state;
    static const struct planned_op before[] = {{"old-a", "a.1", "m/attn/a", 1000},
                                               {"old-b", "b.1", "m/attn/b", 1000},
                                               {"old-c", "c.1", "m/attn/c", 3000},
                                               {"old-d", "d.1", "m/attn/d", 2000},
                                               {"old-e", "e.1", "m/attn/e", 1400}};
    static const struct planned_op after[] = {{"new-a", "fusion.1", "m/attn/a", 5000},
                                              {"new-b", "fusion.2", "m/attn/b", 4500}};
    struct scene scene;
    struct verdict verdict = judged(&scene, before, COUNT(before), after, COUNT(after));
    assert_int_equal(verdict.op_count, 2);
    assert_number(op_of(&verdict, "new-a")->before_us, 4000, 1e-9);
    assert_number(op_of(&verdict, "new-b")->before_us, 4400, 1e-9);
    scene_done(&scene);
}

static void prefers_the_same_path_to_the_same_size(void **state)
{
    (void)state;
    static const struct planned_op before[] = {{"old-a", "a", "m/a", 100},
                                               {"old-b", "b", "m/b", 900}};
    static const struct planned_op after[] = {{"new-a", "a", "m/a", 800},
                                              {"new-b", "b", "m/b", 50}};
    struct scene scene;
    struct verdict verdict = judged(&scene, before, 2, after, 2);
    assert_number(op_of(&verdict, "new-a")->before_us, 100, 1e-9);
    assert_number(op_of(&verdict, "new-b")->before_us, 900, 1e-9);
    scene_done(&scene);
}

static void averages_the_profiles_of_a_run(void **state)
{
    (void)state;
    struct planned_op op = {"op", "op", NULL, 1000};
    struct summary_plan plan;
    struct scene scene;
    summary_plan_default(&plan);
    plan.ops = &op;
    plan.op_count = 1;
    scene_init(&scene);
    scene_add(&scene, &scene.baseline, &plan, "r1");
    scene_add(&scene, &scene.candidate, &plan, "r2");
    op.us = 2000;
    scene_add(&scene, &scene.candidate, &plan, "r2");
    struct verdict verdict = scene_judge(&scene);
    assert_number(verdict.ops[0].after_us, 1500, 1e-9);
    assert_number(verdict.balance.ops_delta_us, 500, 1e-6);
    scene_done(&scene);
}

static void puts_culprits_first(void **state)
{
    (void)state;
    static const struct planned_op before[] = {{"a", "a", NULL, 1000}, {"b", "b", NULL, 1000},
                                               {"c", "c", NULL, 1000}, {"d", "d", NULL, 2000},
                                               {"e", "e", NULL, 1000}, {"f", "f", NULL, 1000}};
    static const struct planned_op after[] = {{"a", "a", NULL, 1100}, {"b", "b", NULL, 1300},
                                              {"c", "c", NULL, 100},  {"d", "d", NULL, 2090},
                                              {"e", "e", NULL, 700},  {"f", "f", NULL, 1300}};
    static const char *const order[] = {"b", "f", "a", "c", "e", "d"};
    struct scene scene;
    struct verdict verdict = judged(&scene, before, COUNT(before), after, COUNT(after));
    assert_int_equal(verdict.op_count, COUNT(order));
    for (size_t i = 0; i < COUNT(order); i++)
        assert_string_equal(verdict.ops[i].signature, order[i]);
    assert_string_equal(verdict.ops[5].change, "unchanged"); /* 4.5 % of itself */
    scene_done(&scene);
}

static void shows_no_more_rows_than_the_policy_wants(void **state)
{
    (void)state;
    enum { OPS = 60 };
    struct planned_op before[OPS], after[OPS];
    char names[OPS][16];
    for (int i = 0; i < OPS; i++) {
        (void)snprintf(names[i], sizeof names[i], "op%02d", i);
        before[i] = (struct planned_op){names[i], names[i], NULL, 100};
        after[i] = before[i];
        after[i].us = i % 2 == 0 ? 300 + i : 50;
    }
    struct scene scene;
    struct verdict verdict = judged(&scene, before, OPS, after, OPS);
    assert_int_equal(verdict.op_count, 40); /* 20 slower, 20 of the others */
    assert_string_equal(verdict.ops[0].signature, "op58");
    assert_string_equal(verdict.ops[19].signature, "op20");
    assert_number(verdict.balance.residual_us, 0, 1e-6); /* all of them are in the balance */
    scene_done(&scene);
}

static void leaves_out_asynchronous_ops(void **state)
{
    (void)state;
    struct planned_op op = {"copy", "copy-start", NULL, 500};
    struct scene scene;
    struct summary_plan plan;
    summary_plan_default(&plan);
    plan.ops = &op;
    plan.op_count = 1;
    scene_init(&scene);
    scene_add(&scene, &scene.baseline, &plan, NULL);
    op.us = 900;
    scene_add(&scene, &scene.candidate, &plan, NULL);
    ((struct op_row *)scene.candidate.profiles[0].summary->ops)[0].asynchronous = true;
    ((struct op_row *)scene.baseline.profiles[0].summary->ops)[0].asynchronous = true;
    struct verdict verdict = scene_judge(&scene);
    assert_int_equal(verdict.op_count, 0);
    assert_number(verdict_measure_named(&verdict, "op_time")->before.value, 0, 0);
    scene_done(&scene);
}

static void balances_ops_idle_time_and_the_rest(void **state)
{
    (void)state;
    static const struct planned_op before[] = {{"a", "a", NULL, 4000}};
    static const struct planned_op after[] = {{"a", "a", NULL, 4300}};
    struct scene scene;
    struct summary_plan plan;
    summary_plan_default(&plan);
    plan.ops = before;
    plan.op_count = 1;
    scene_init(&scene);
    scene_add(&scene, &scene.baseline, &plan, NULL);
    plan.ops = after;
    plan.step_us += 1000;
    scene_add(&scene, &scene.candidate, &plan, NULL);
    struct summary *summary = (struct summary *)scene.candidate.profiles[0].summary;
    summary->coverage.steady_idle_us_per_step -=
        50; /* ops that overlap: busy less than their sum */
    struct verdict verdict = scene_judge(&scene);
    assert_true(verdict.balance.known);
    assert_number(verdict.balance.step_delta_us, 1000, 1e-6);
    assert_number(verdict.balance.ops_delta_us, 300, 1e-6);
    assert_number(verdict.balance.idle_delta_us, 650, 1e-6);
    assert_number(verdict.balance.residual_us, 50, 1e-6);
    scene_done(&scene);
}

/* Past runs and some of the candidate, whose op i takes changes[i] more. */
struct op_trial {
    const double *changes;
    size_t ops, runs;
    double noise; /* relative sd of an op over runs */
};

static struct verdict tested(struct scene *scene, const struct op_trial *trial)
{
    enum { MOST_OPS = 40, PAST_RUNS = 10 };
    static char names[MOST_OPS][32];
    struct planned_op planned[MOST_OPS];
    struct summary_plan plan;
    uint64_t noise = 7;
    summary_plan_default(&plan);
    scene_init(scene);
    for (size_t run = 0; run < PAST_RUNS + trial->runs; run++) {
        bool after = run >= PAST_RUNS;
        for (size_t i = 0; i < trial->ops; i++) {
            (void)snprintf(names[i], sizeof names[i], "op%02zu", i);
            double us = 200 * (1 + trial->noise * fixture_normal(&noise));
            planned[i] = (struct planned_op){names[i], names[i], NULL,
                                             us * (1 + (after ? trial->changes[i] : 0))};
        }
        plan.ops = planned;
        plan.op_count = trial->ops;
        scene_add(scene, after ? &scene->candidate : &scene->baseline, &plan, NULL);
    }
    return scene_judge(scene);
}

static void tells_changes_from_noise_over_runs(void **state)
{
    (void)state;
    double changes[30] = {[3] = 0.2, [4] = -0.2, [5] = 0.04};
    struct scene scene;
    const struct op_trial trial = {changes, 30, 3, 0.01};
    struct verdict verdict = tested(&scene, &trial);
    assert_string_equal(verdict.ops[0].signature, "op03");
    assert_string_equal(verdict.ops[0].change, "slower");
    assert_true(verdict.ops[0].q.set && verdict.ops[0].q.value < 0.001);
    assert_true(verdict.ops[0].p.value <= verdict.ops[0].q.value);
    assert_string_equal(verdict.ops[1].signature, "op04");
    assert_string_equal(verdict.ops[1].change, "faster");
    /* significant, and still below the size that is called a change */
    const struct verdict_op *small = op_of(&verdict, "op05");
    assert_true(small->q.value < 0.05);
    assert_string_equal(small->change, "unchanged");
    assert_non_null(verdict_reason_text(&verdict, "op_regressed"));
    assert_null(verdict_reason_text(&verdict, "op_suspected"));
    assert_int_equal(verdict.status, VERDICT_PASS); /* ops explain, step time decides */
    scene_done(&scene);
}

static void only_suspects_ops_with_one_candidate_run(void **state)
{
    (void)state;
    double changes[30] = {[3] = 0.2};
    struct scene scene;
    const struct op_trial trial = {changes, 30, 1, 0.01};
    struct verdict verdict = tested(&scene, &trial);
    assert_string_equal(verdict.ops[0].signature, "op03");
    assert_null(verdict_reason_text(&verdict, "op_regressed"));
    assert_non_null(verdict_reason_text(&verdict, "op_suspected"));
    scene_done(&scene);
}

/* Thirty unchanged ops with 5 % noise: some look changed by themselves, none is over all of them.
 */
static void is_not_fooled_by_the_number_of_ops(void **state)
{
    (void)state;
    static const double changes[30];
    const struct op_trial trial = {changes, 30, 2, 0.05};
    struct scene scene;
    struct verdict verdict = tested(&scene, &trial);
    size_t tempting = 0;
    for (size_t i = 0; i < verdict.op_count; i++) {
        assert_string_equal(verdict.ops[i].change, "unchanged");
        tempting += verdict.ops[i].p.value < 0.05 && fabs(verdict.ops[i].delta_pct.value) > 5;
    }
    assert_true(tempting > 0);
    scene_done(&scene);
}

static void judges_watched_ops_by_their_own_rule(void **state)
{
    (void)state;
    static const struct {
        double change, limit_pct;
        size_t runs;
        const char *pattern;
        enum verdict_status status;
    } cases[] = {
        {0.2, 5, 3, "op03", VERDICT_FAIL}, {0.2, 5, 3, "op?3", VERDICT_FAIL},
        {0.2, 5, 1, "op03", VERDICT_WARN}, {0.2, 25, 3, "op03", VERDICT_PASS},
        {0.2, 5, 3, "op04", VERDICT_PASS}, {-0.2, 5, 3, "op03", VERDICT_PASS},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        double changes[10] = {[3] = cases[i].change};
        struct watched_op watched = {"w", cases[i].pattern, cases[i].limit_pct};
        struct scene scene;
        const struct op_trial trial = {changes, 10, cases[i].runs, 0.01};
        (void)tested(&scene, &trial);
        scene.policy.watched = &watched;
        scene.policy.watched_count = 1;
        struct verdict verdict = scene_judge(&scene);
        assert_int_equal(verdict.status, cases[i].status);
        if (cases[i].status != VERDICT_PASS) {
            assert_string_equal(verdict.rule_id, "watched_ops");
            assert_string_equal(verdict.reasons[0].code, "watched_op_regressed");
        }
        scene_done(&scene);
    }
}

/* As a recompile does it: other names for all of 400 ops, one of them slower by 4 % of the step. */
static void finds_one_slow_op_among_four_hundred_renamed_ones(void **state)
{
    (void)state;
    enum { OPS = 400, SLOW = 123 };
    static struct planned_op ops[OPS];
    static char signatures[OPS][32], names[2][OPS][32];
    struct summary_plan plan;
    struct scene scene;
    uint64_t noise = 3;
    summary_plan_default(&plan);
    plan.step_sd = 0.006;
    plan.rho = 0.4;
    scene_init(&scene);
    for (size_t run = 0; run < 26; run++) {
        bool after = run >= 23;
        double factor = 1 + 0.005 * fixture_normal(&noise);
        plan.step_us = 100000 * factor + (after ? 4000 : 0);
        for (size_t i = 0; i < OPS; i++) {
            (void)snprintf(signatures[i], sizeof signatures[i], "sig%zu", i);
            (void)snprintf(names[after][i], sizeof names[after][i], "fusion.%zu",
                           after ? OPS - i : i);
            double us = 220 * factor * (1 + 0.005 * fixture_normal(&noise));
            ops[i] = (struct planned_op){signatures[i], names[after][i], "jit/step/x",
                                         us + (after && i == SLOW ? 4000 : 0)};
        }
        plan.ops = ops;
        plan.op_count = OPS;
        scene_add(&scene,
                  after      ? &scene.candidate
                  : run < 20 ? &scene.history
                             : &scene.baseline,
                  &plan, NULL);
    }
    struct verdict verdict = scene_judge(&scene);
    assert_int_equal(verdict.status, VERDICT_FAIL);
    assert_string_equal(verdict.ops[0].signature, "sig123");
    assert_string_equal(verdict.ops[0].name, "fusion.277");
    assert_number(verdict.balance.residual_us, 0, 0.02 * verdict.balance.step_delta_us);
    assert_true(verdict.balance.ops_delta_us > 0.8 * verdict.balance.step_delta_us);
    scene_done(&scene);
}

/* What one op loses and another gains leaves the step as it was, and is no pass without a word. */
static void an_op_that_outweighs_what_matters_warns(void **state)
{
    (void)state;
    static const double noise[] = {0, 0.004, -0.005, 0.003, -0.003, 0.005, -0.004, 0.002};
    static const struct {
        double longer_us; /* of a step of 10 ms, of which 2 % matter */
        size_t runs;
        enum verdict_status status;
    } cases[] = {{300, 3, VERDICT_WARN}, {150, 3, VERDICT_PASS}, {300, 1, VERDICT_PASS}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene scene;
        struct summary_plan plan;
        struct planned_op ops[] = {{"matmul", "fusion.1", "a/b", 4000},
                                   {"add", "fusion.2", "a/c", 4000}};
        summary_plan_default(&plan);
        plan.ops = ops;
        plan.op_count = COUNT(ops);
        scene_init(&scene);
        scene_add_runs(&scene, &scene.baseline, &plan, noise, COUNT(noise));
        ops[0].us += cases[i].longer_us;
        ops[1].us -= cases[i].longer_us;
        scene_add_runs(&scene, &scene.candidate, &plan, noise, cases[i].runs);
        struct verdict verdict = scene_judge(&scene);
        const char *text = verdict_reason_text(&verdict, "op_outweighs");
        if (verdict.status != cases[i].status || (text != NULL) != (i == 0))
            fail_msg("case %zu: %s, %s", i, verdict_status_names[verdict.status],
                     text == NULL ? "-" : text);
        scene_done(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_by_signature_and_not_by_name),
        cmocka_unit_test(shows_added_and_removed_ops),
        cmocka_unit_test(pairs_an_op_that_goes_with_one_that_comes_in_its_place),
        cmocka_unit_test(adds_to_a_fusion_what_stood_beside_its_part),
        cmocka_unit_test(shares_what_went_between_fusions_of_one_place),
        cmocka_unit_test(prefers_the_same_path_to_the_same_size),
        cmocka_unit_test(averages_the_profiles_of_a_run),
        cmocka_unit_test(puts_culprits_first),
        cmocka_unit_test(shows_no_more_rows_than_the_policy_wants),
        cmocka_unit_test(leaves_out_asynchronous_ops),
        cmocka_unit_test(balances_ops_idle_time_and_the_rest),
        cmocka_unit_test(tells_changes_from_noise_over_runs),
        cmocka_unit_test(only_suspects_ops_with_one_candidate_run),
        cmocka_unit_test(is_not_fooled_by_the_number_of_ops),
        cmocka_unit_test(judges_watched_ops_by_their_own_rule),
        cmocka_unit_test(finds_one_slow_op_among_four_hundred_renamed_ones),
        cmocka_unit_test(an_op_that_outweighs_what_matters_warns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
