/* Tests of judging a change again. */
#include "compare/gate/attempts.h"
#include "schema/verdict_words.h"
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
        struct gate_policy spent = attempts_policy(&policy, k);
        fail += spent.alpha_fail;
        pass += spent.alpha_pass;
        assert_true(spent.alpha_fail > 0 && spent.alpha_fail <= before);
        before = spent.alpha_fail;
    }
    /* 1, then 4 halves, then what adds up to 2, however many come. */
    assert_true(fail <= 5 * policy.alpha_fail && fail > 4.99 * policy.alpha_fail);
    assert_true(pass <= 5 * policy.alpha_pass);
    assert_true(attempts_policy(&policy, 0).alpha_pass == policy.alpha_pass);
    assert_true(attempts_policy(&policy, 1).alpha_fail == policy.alpha_fail);
    assert_true(attempts_policy(&policy, 5).alpha_fail == 0.5 * policy.alpha_fail);
}

static struct verdict judged_again(struct scene *scene, int64_t attempts,
                                   const struct string_list *earlier)
{
    const struct gate_input input = {
        .project = "demo",
        .workload = "train",
        .baseline = {scene->baseline.profiles, scene->baseline.count, NULL},
        .candidate = {scene->candidate.profiles, scene->candidate.count, NULL},
        .policy = &scene->policy,
        .attempts = attempts,
        .earlier_verdicts = *earlier,
        .created_at_utc = "2026-01-02T03:04:05.000000Z",
    };
    struct verdict verdict;
    struct err err = {0};
    if (!gate_judge(&input, &scene->arena, &verdict, &err))
        fail_msg("%s", err.text);
    return verdict;
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
        {1.018, OUTCOME_KEEP, OUTCOME_FAIL, VERDICT_FAIL, true},
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spends_its_rates_over_the_attempts),
        cmocka_unit_test(a_fail_stands_until_it_is_refuted),
        cmocka_unit_test(pairs_decide_over_runs_of_another_hour),
        cmocka_unit_test(names_earlier_verdicts_and_keeps_the_policys_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
