/* Tests of judging a change again. */
#include "compare/gate/attempts.h"
#include "schema/documents/verdict_words.h"
#include "tests/support/gate_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void spends_its_rates_over_the_attempts(void **state)
{
    (void)state;
    struct gate_policy policy;
    gate_policy_default(&policy);
    double fail = 0, pass = 0, before = policy.alpha_fail;
    for (int64_t k = 1; k < 100000; k++) {
        struct gate_policy spent = attempts_policy(&policy, k, false);
        fail += spent.alpha_fail;
        pass += spent.alpha_pass;
        assert_true(spent.alpha_fail > 0 && spent.alpha_fail <= before);
        before = spent.alpha_fail;
    }
    /* 1, then 4 times .75, then what adds up to 3, however many come. */
    assert_true(fail <= 7 * policy.alpha_fail && fail > 6.99 * policy.alpha_fail);
    assert_true(pass <= 7 * policy.alpha_pass);
    assert_true(attempts_policy(&policy, 0, false).alpha_pass == policy.alpha_pass);
    assert_true(attempts_policy(&policy, 1, false).alpha_fail == policy.alpha_fail);
    assert_true(attempts_policy(&policy, 5, false).alpha_fail == 0.75 * policy.alpha_fail);
    assert_true(attempts_policy(&policy, 5, true).alpha_fail == 0.5 * policy.alpha_fail);
}

static struct gate_input scene_input(struct scene *scene)
{
    return (struct gate_input){
        .project = "demo",
        .workload = "train",
        .baseline = {scene->baseline.profiles, scene->baseline.count, NULL},
        .candidate = {scene->candidate.profiles, scene->candidate.count, NULL},
        .created_at_utc = "2026-01-02T03:04:05.000000Z",
    };
}

static struct verdict judged_again(struct scene *scene, int64_t attempts,
                                   const struct string_list *earlier)
{
    struct gate_input input = scene_input(scene);
    struct verdict verdict;
    struct err err = {0};
    input.policy = &scene->policy;
    input.attempts = attempts;
    input.earlier_verdicts = *earlier;
    if (!gate_judge(&input, &scene->arena, &verdict, &err))
        fail_msg("%s", err.text);
    return verdict;
}

/* What it was made of refutes no fail, however well it looks when it is judged again. */
static void the_same_runs_refute_no_fail(void **state)
{
    (void)state;
    static const struct {
        const char *earlier;
        enum verdict_status status;
    } cases[] = {
        {"v3 (fail)", VERDICT_PASS},
        {"v3 (fail of these runs)", VERDICT_FAIL},
        {"v3 (fail by policy of these runs)", VERDICT_PASS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scene scene;
        const char *names[] = {cases[i].earlier};
        const struct string_list one = {names, 1};
        scene_fill_noisy(&scene, 7, -0.05, NULL);
        struct verdict verdict = judged_again(&scene, 1, &one);
        if (verdict.status != cases[i].status)
            fail_msg("case %zu: %s", i, verdict_sentence(&verdict, &scene.arena));
        assert_null(verdict_reason_text(&verdict, "attempts_pooled"));
        if (verdict.status == VERDICT_FAIL) {
            assert_memory_equal(verdict.reasons[0].text, "v3 failed, of these very runs", 29);
            assert_memory_equal(verdict_sentence(&verdict, &scene.arena),
                                "attempt 1, v3 failed and stands: ", 33);
        }
        scene_done(&scene);
    }
}

/* v5 failed because v3 had: v3 is named, and what it failed by. */
static void a_standing_fail_names_the_first_and_its_reason(void **state)
{
    (void)state;
    struct scene scene;
    const char *names[] = {"v3 (fail)", "v5 (fail)"};
    scene_fill_noisy(&scene, 7, 0, NULL);
    struct gate_input input = scene_input(&scene);
    input.attempts = 3;
    input.earlier_verdicts = (struct string_list){names, 2};
    input.first_failed = "v3";
    input.first_failed_reason = "Slow steps.";
    struct verdict verdict = input_judge(&input, &scene.arena);
    assert_int_equal(verdict.status, VERDICT_FAIL);
    const char *text = verdict_reason_text(&verdict, "earlier_fail_stands");
    assert_memory_equal(text, "v3 failed, and all runs", 23);
    assert_non_null(strstr(text, " What it failed by: Slow steps."));
    const char *headline = verdict_sentence(&verdict, &scene.arena);
    assert_non_null(strstr(headline, "failed and stand: Slow steps; "));
    assert_non_null(strstr(headline, " not rule out a loss that matters"));
    assert_null(strstr(headline, "step time"));
    scene_done(&scene);
}

static void what_nobody_judged_keeps_chosen_pairs_from_passing(void **state)
{
    (void)state;
    static const enum verdict_status statuses[] = {VERDICT_PASS, VERDICT_INCONCLUSIVE};
    for (size_t left = 0; left < 2; left++) {
        struct scene scene;
        const char *names[] = {"p90"}, *failed[] = {"v3 (fail of pairs)"};
        scene_fill_noisy(&scene, 7, -0.05, NULL);
        struct gate_input input = scene_input(&scene);
        input.left_out = (struct string_list){names, left};
        struct verdict verdict = input_judge(&input, &scene.arena);
        assert_int_equal(verdict.status, statuses[left]);
        const char *text = verdict_reason_text(&verdict, "runs_left_out");
        assert_true((text != NULL) == (left > 0));
        if (text != NULL)
            assert_memory_equal(text, "p90 of this change takes no part here", 37);
        input.attempts = 2;
        input.paired = true;
        input.baseline.profile_count = input.candidate.profile_count;
        input.history = (struct gate_side){scene.baseline.profiles, scene.baseline.count, NULL};
        input.earlier_verdicts = (struct string_list){failed, 1};
        verdict = input_judge(&input, &scene.arena);
        assert_int_equal(verdict.status, left > 0 ? VERDICT_FAIL : VERDICT_PASS);
        scene_done(&scene);
    }
}

static void names_earlier_verdicts_and_keeps_the_policys_hash(void **state)
{
    (void)state;
    struct scene scene;
    const char *names[] = {"v3 (fail)", "v5 (inconclusive)"};
    const struct string_list none = {0}, two = {names, 2};
    scene_fill_noisy(&scene, 7, 0.03, NULL);
    struct verdict first = judged_again(&scene, 1, &none);
    struct verdict third = judged_again(&scene, 3, &two);
    assert_null(verdict_reason_text(&first, "attempts_pooled"));
    const char *text = verdict_reason_text(&third, "attempts_pooled");
    assert_non_null(text);
    assert_non_null(strstr(text, "Attempt 3 of this change, after v3 (fail)"));
    assert_non_null(strstr(text, "v3 (fail), v5 (inconclusive)"));
    assert_non_null(strstr(text, ": 3 runs of it count, those of earlier attempts that can be "));
    assert_int_equal(third.candidate.earlier_failed.count, 1);
    assert_string_equal(third.candidate.earlier_failed.items[0], "v3");
    const char *sentence = verdict_sentence(&third, &scene.arena);
    assert_memory_equal(sentence, "attempt 3, v3 failed: ", 22);
    assert_memory_not_equal(verdict_sentence(&first, &scene.arena), "attempt", 7);
    third.candidate.earlier_failed.count = 0;
    assert_memory_equal(verdict_sentence(&third, &scene.arena), "attempt 3: ", 11);
    assert_true(third.candidate.attempts.set && third.candidate.attempts.value == 3);
    assert_string_equal(first.policy_sha256, third.policy_sha256);
    /* The same runs show less at a later attempt. */
    assert_true(third.statistics.mde_pct.value > first.statistics.mde_pct.value);
    scene_done(&scene);
}

/* What its runs say by themselves, what the policy makes of that, and what becomes of a fail. */
static void a_fail_stands_until_it_is_refuted(void **state)
{
    (void)state;
    static const struct {
        double slower;
        enum policy_outcome on_inconclusive, on_earlier_fail;
        enum verdict_status status;
        bool stands;
    } cases[] = {
        {0.95, OUTCOME_KEEP, OUTCOME_FAIL, VERDICT_PASS, false},
        {1.014, OUTCOME_KEEP, OUTCOME_FAIL, VERDICT_FAIL, true},
        {1.0, OUTCOME_KEEP, OUTCOME_FAIL, VERDICT_FAIL, true},
        {1.0, OUTCOME_PASS, OUTCOME_FAIL, VERDICT_FAIL, true},
        {1.0, OUTCOME_PASS, OUTCOME_WARN, VERDICT_WARN, true},
        {1.0, OUTCOME_KEEP, OUTCOME_KEEP, VERDICT_INCONCLUSIVE, false},
        {1.2, OUTCOME_KEEP, OUTCOME_FAIL, VERDICT_FAIL, false},
    };
    const char *names[] = {"v3 (fail)"};
    const struct string_list one = {names, 1};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scene scene;
        scene_fill_noisy(&scene, 7, cases[i].slower - 1, NULL);
        scene.policy.on_inconclusive = cases[i].on_inconclusive;
        scene.policy.on_earlier_fail = cases[i].on_earlier_fail;
        struct verdict verdict = judged_again(&scene, 2, &one);
        bool stands = verdict_reason_text(&verdict, "earlier_fail_stands") != NULL;
        if (verdict.status != cases[i].status || stands != cases[i].stands)
            fail_msg("case %zu: %s", i, verdict_sentence(&verdict, &scene.arena));
        scene_done(&scene);
    }
}

/* What runs in turns showed is stronger than runs of another hour, either way. */
static void pairs_decide_over_runs_of_another_hour(void **state)
{
    (void)state;
    static const struct {
        double change;
        const char *earlier;
        enum verdict_status status;
        const char *reason;
    } cases[] = {
        {0.2, "v4 (pass of pairs)", VERDICT_WARN, "pairs_contradict"},
        {0.2, "v4 (inconclusive of pairs)", VERDICT_FAIL, "step_median_regressed"},
        {0.0, "v4 (pass of pairs)", VERDICT_INCONCLUSIVE, "step_median_uncertain"},
        {0.0, "v4 (fail of pairs)", VERDICT_FAIL, "earlier_fail_stands"},
        {-0.05, "v4 (fail of pairs)", VERDICT_FAIL, "earlier_fail_stands"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scene scene;
        const char *names[] = {"v3 (inconclusive)", cases[i].earlier};
        const struct string_list earlier = {names, 2};
        scene_fill_noisy(&scene, 7, cases[i].change, NULL);
        struct verdict verdict = judged_again(&scene, 3, &earlier);
        if (verdict.status != cases[i].status)
            fail_msg("case %zu: %s", i, verdict_sentence(&verdict, &scene.arena));
        assert_string_equal(verdict.reasons[0].code, cases[i].reason);
        bool decided = strstr(cases[i].reason, "step_") == NULL;
        assert_int_equal(strncmp(verdict.reasons[0].text, "v4 ", 3) == 0, decided);
        scene_done(&scene);
    }
}

/* A fail of runs of another hour does not stand against pairs, which are stronger, and is not
 * hidden by them. */
static void pairs_do_not_hide_a_fail_without_turns(void **state)
{
    (void)state;
    static const struct {
        const char *earlier;
        const char *says; /* the sentence; NULL: none */
        enum verdict_status status;
    } cases[] = {
        {"v3 (fail without turns)", "v3 failed, of runs of this change that took no turns",
         VERDICT_PASS},
        {"v3 (pass without turns)", NULL, VERDICT_PASS},
        {"v3 (fail of pairs)", NULL, VERDICT_PASS},
        {"v3 (fail of these pairs)", NULL, VERDICT_FAIL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scene scene;
        const struct string_list one = {(const char *[]){cases[i].earlier}, 1};
        scene_fill_noisy(&scene, 7, -0.05, NULL);
        struct gate_input input = scene_input(&scene);
        input.attempts = 1;
        input.paired = true;
        input.baseline.profile_count = input.candidate.profile_count;
        input.history = (struct gate_side){scene.baseline.profiles, scene.baseline.count, NULL};
        input.earlier_verdicts = one;
        struct verdict verdict = input_judge(&input, &scene.arena);
        const char *says = verdict_reason_text(&verdict, "failed_without_turns");
        const char *sentence = verdict_sentence(&verdict, &scene.arena);
        if (verdict.status != cases[i].status || (says != NULL) != (cases[i].says != NULL))
            fail_msg("case %zu: %s", i, sentence);
        if (says != NULL) {
            assert_int_equal(strncmp(says, cases[i].says, strlen(cases[i].says)), 0);
            assert_int_equal(strncmp(sentence, "v3 failed before: ", 18), 0);
        }
        scene_done(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spends_its_rates_over_the_attempts),
        cmocka_unit_test(a_fail_stands_until_it_is_refuted),
        cmocka_unit_test(pairs_decide_over_runs_of_another_hour),
        cmocka_unit_test(pairs_do_not_hide_a_fail_without_turns),
        cmocka_unit_test(the_same_runs_refute_no_fail),
        cmocka_unit_test(a_standing_fail_names_the_first_and_its_reason),
        cmocka_unit_test(what_nobody_judged_keeps_chosen_pairs_from_passing),
        cmocka_unit_test(names_earlier_verdicts_and_keeps_the_policys_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
