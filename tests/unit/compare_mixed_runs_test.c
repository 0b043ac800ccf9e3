/* Tests of a candidate whose runs are not alike: more clean retries of a slow one make it no surer
 * that the code is slow, and the verdict names both kinds of run. */
#include "schema/documents/verdict_words.h"
#include "tests/support/gate_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { PAST = 12 };

/* Past runs that vary by 1 %, then candidate runs of which changes[i] is the share more. */
static struct verdict judged_behind(size_t past, struct scene *scene, uint64_t seed,
                                    const double *changes, size_t count)
{
    uint64_t noise = seed;
    struct summary_plan plan;
    summary_plan_default(&plan);
    plan.device_count = 1;
    scene_init(scene);
    for (size_t i = 0; i < past + count; i++) {
        double change = 0.01 * fixture_normal(&noise) + (i < past ? 0 : changes[i - past]);
        scene_add_runs(scene, i < past ? &scene->baseline : &scene->candidate, &plan, &change, 1);
    }
    return scene_judge(scene);
}

static struct verdict judged(struct scene *scene, uint64_t seed, const double *changes,
                             size_t count)
{
    return judged_behind(PAST, scene, seed, changes, count);
}

enum { SLOW = 3, MOST = 15 };
static const double retried[MOST] = {0.1, 0.1, 0.1};

static void is_no_surer_by_clean_retries(void **state)
{
    enum { DRAWS = 12 };
    (void)state;
    for (uint64_t seed = 1; seed <= DRAWS; seed++) {
        for (size_t count = SLOW; count <= MOST; count += 3) {
            struct scene scene;
            struct verdict verdict = judged(&scene, 7919 * seed, retried, count);
            double mean = 10.0 * SLOW / (double)count, p = verdict.statistics.p.value;
            bool fails = verdict.status == VERDICT_FAIL;
            if (fabs(verdict.statistics.estimate_pct.value - mean) > 2.5)
                fail_msg("draw %d: %zu runs with a mean of %+.1f %% are estimated at %+.1f %%",
                         (int)seed, count, mean, verdict.statistics.estimate_pct.value);
            if (fails != (count == SLOW) && count != 2 * SLOW)
                fail_msg("draw %d: %zu runs: %s %s", (int)seed, count, verdict.reasons[0].text,
                         verdict_status_names[verdict.status]);
            if (count == MOST && p < 0.001)
                fail_msg("draw %d: p = %g with %zu runs", (int)seed, p, count);
            scene_done(&scene);
        }
    }
}

static void names_both_kinds(void **state)
{
    (void)state;
    struct scene scene;
    struct verdict verdict = judged(&scene, 7919, retried, MOST);
    const char *text = verdict_reason_text(&verdict, "candidate_mixed");
    assert_non_null(text);
    if (strstr(text, "3 of 15 runs of the candidate (p13, p14, p15) take +") == NULL ||
        strstr(text, " % against the other 12, which stand at ") == NULL)
        fail_msg("%s", text);
    /* What no median shows is what the reader has to know first. */
    verdict.status = VERDICT_INCONCLUSIVE;
    const char *sentence = verdict_sentence(&verdict, &scene.arena);
    assert_ptr_equal(strstr(sentence, "3 of 15 runs of the candidate"), sentence);
    scene_done(&scene);
}

/* One of three is named too: that no more runs would tell is no answer to it. */
static void names_the_slow_one_of_three(void **state)
{
    (void)state;
    static const double one[] = {0, 0.2, 0}, two[] = {0.2, 0, 0.2};
    struct scene scene;
    struct verdict verdict = judged(&scene, 7919, one, 3);
    const char *text = verdict_reason_text(&verdict, "candidate_mixed");
    assert_non_null(text);
    assert_non_null(strstr(text, "1 of 3 runs of the candidate (p14) takes +"));
    assert_non_null(strstr(text, " % against the other 2, which stand at "));
    const char *sentence = verdict_sentence(&verdict, &scene.arena);
    assert_ptr_equal(strstr(sentence, "1 of 3 runs"), sentence);
    scene_done(&scene);
    verdict = judged(&scene, 7919, two, 3);
    assert_non_null(strstr(verdict_reason_text(&verdict, "candidate_mixed"),
                           " % against the other, which stands at "));
    scene_done(&scene);
}

static void side_on(struct gate_profile *profile, struct scene *scene, const char *host)
{
    const char **names = arena_array(&scene->arena, const char *, 1);
    assert_non_null(names);
    names[0] = host;
    ((struct summary *)profile->summary)->environment.hosts = (struct string_list){names, 1};
}

/* A host is named where all runs on it are slow, or the only one: that is what to look at. */
static void names_the_host_that_the_slow_run_was_on(void **state)
{
    (void)state;
    static const struct {
        const char *hosts[3], *past;
        double past_slower;
        const char *says;
    } cases[] = {
        {{"a", "bad", "b"}, "a", 0, "(p14; on host bad, where no other run was) takes +"},
        {{"a", "bad", "b"}, "bad", 0.2, "(p14; on host bad, where past runs are slow too) takes +"},
        {{"a", "bad", "b"}, "bad", 0, "(p14) takes +"},
        {{"bad", "bad", "b"}, "a", 0, "(p14) takes +"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scene scene;
        static const double one[] = {0, 0.2, 0};
        struct verdict verdict = judged(&scene, 7919, one, 3);
        for (size_t j = 0; j < 3; j++)
            side_on(&scene.candidate.profiles[j], &scene, cases[i].hosts[j]);
        side_on(&scene.baseline.profiles[3], &scene, cases[i].past);
        struct step_table *steps = (struct step_table *)&scene.baseline.profiles[3].summary->steps;
        steps->steady_median_us.value *= 1 + cases[i].past_slower;
        verdict = scene_judge(&scene);
        const char *sentence = verdict_sentence(&verdict, &scene.arena);
        if (strstr(sentence, cases[i].says) == NULL)
            fail_msg("case %zu: %s", i, sentence);
        scene_done(&scene);
    }
}

/* Pairs on machines of any speed: what each differs from its partner is of one kind or two. */
static void names_both_kinds_of_pairs(void **state)
{
    (void)state;
    enum { PAIRS = 10 };
    for (size_t slow = 0; slow <= 4; slow += 2) {
        struct scene scene;
        struct summary_plan plan;
        scene_init(&scene);
        scene.paired = true;
        for (size_t i = 0; i < PAIRS; i++) {
            double machine = 1 + 0.07 * (double)(i * 7 % PAIRS);
            summary_plan_default(&plan);
            plan.step_us *= machine;
            scene_add(&scene, &scene.baseline, &plan, NULL);
            plan.step_us *= (i < slow ? 1.1 : 1) * (1 + 0.001 * (double)(i % 3));
            scene_add(&scene, &scene.candidate, &plan, NULL);
        }
        struct verdict verdict = scene_judge(&scene);
        const char *text = verdict_reason_text(&verdict, "candidate_mixed");
        assert_true((text != NULL) == (slow > 0));
        if (slow == 2 && (strstr(text, "In 2 of 10 pairs the candidate (p2, p4) takes +") == NULL ||
                          strstr(text, "against the other 8, which stand at ") == NULL))
            fail_msg("%s", text);
        scene_done(&scene);
    }
}

/* Half of the runs or more have to show it. */
static void fails_by_what_most_runs_show(void **state)
{
    (void)state;
    double changes[MOST];
    for (int slow = 6; slow <= 12; slow += 6) {
        struct scene scene;
        for (int i = 0; i < MOST; i++)
            changes[i] = i % 5 < slow / 3 ? 0.1 : 0;
        struct verdict verdict = judged(&scene, 3, changes, MOST);
        assert_int_equal(verdict.status, slow > MOST / 2 ? VERDICT_FAIL : VERDICT_WARN);
        assert_non_null(verdict_reason_text(&verdict, "candidate_mixed"));
        scene_done(&scene);
    }
}

/* However sure the mean is: what most of the runs do not show fails nothing. */
static void fails_nothing_that_few_of_many_runs_show(void **state)
{
    (void)state;
    enum { LONG_PAST = 40, RUNS = 21 };
    double changes[RUNS];
    for (int few = 0; few < 2; few++) {
        struct scene scene;
        for (size_t i = 0; i < RUNS; i++)
            changes[i] = i % 3 < (few ? 1 : 2) ? 0.1 : 0; /* 7 of 21, or 14 */
        struct verdict verdict = judged_behind(LONG_PAST, &scene, 3, changes, RUNS);
        const char *text = verdict_reason_text(&verdict, "step_median_suspected");
        if (verdict.status != (few ? VERDICT_WARN : VERDICT_FAIL) || (text != NULL) != few ||
            verdict.statistics.p.value >= 0.01)
            fail_msg("p %g: %s", verdict.statistics.p.value, verdict.reasons[0].text);
        if (few)
            assert_non_null(strstr(text, "half of the runs or more do not show it"));
        scene_done(&scene);
    }
}

static void names_no_kinds_where_runs_only_vary(void **state)
{
    enum { DRAWS = 120, MOST_NAMED = 2 };
    (void)state;
    static const double alike[MOST];
    int named = 0;
    for (uint64_t seed = 1; seed <= DRAWS; seed++) {
        struct scene scene;
        struct verdict verdict = judged(&scene, 104729 * seed, alike,
                                        seed % 3 == 0   ? 3
                                        : seed % 2 == 0 ? 5
                                                        : MOST);
        named += verdict_reason_text(&verdict, "candidate_mixed") != NULL;
        scene_done(&scene);
    }
    assert_in_range(named, 0, MOST_NAMED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_no_surer_by_clean_retries),
        cmocka_unit_test(names_both_kinds),
        cmocka_unit_test(names_the_slow_one_of_three),
        cmocka_unit_test(names_the_host_that_the_slow_run_was_on),
        cmocka_unit_test(names_both_kinds_of_pairs),
        cmocka_unit_test(fails_by_what_most_runs_show),
        cmocka_unit_test(fails_nothing_that_few_of_many_runs_show),
        cmocka_unit_test(names_no_kinds_where_runs_only_vary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
