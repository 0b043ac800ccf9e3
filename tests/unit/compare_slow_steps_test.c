/* Tests of what medians do not show: some steps that stall. */
#include "schema/verdict_words.h"
#include "tests/support/gate_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const int64_t stall_ps = 800 * (int64_t)1000000000;

/* Steps follow each other closely, but for `stalls` of each profile, behind the second. */
static void side_stall(const struct scene_side *side, size_t stalls)
{
    for (size_t i = 0; i < side->count; i++) {
        const struct step_table *steps = &side->profiles[i].summary->steps;
        assert_true(steps->count > 3 * (stalls + 1));
        for (size_t j = 0; j + 1 < steps->count; j++) {
            struct step_row *row = &steps->rows[j];
            bool stalled = j % 3 == 2 && j / 3 < stalls;
            row->has_period = true;
            row->period_ps = row->max_ps + (stalled ? stall_ps : 0);
        }
    }
}

static const char *slow_text(size_t past_stalls, size_t stalls, struct scene *scene,
                             struct verdict *ret_verdict)
{
    scene_fill_noisy(scene, 7, 0, NULL);
    side_stall(&scene->baseline, past_stalls);
    side_stall(&scene->candidate, stalls);
    *ret_verdict = scene_judge(scene);
    return verdict_reason_text(ret_verdict, "steps_slow");
}

static void says_what_medians_do_not_show(void **state)
{
    (void)state;
    struct scene scene;
    struct verdict none, some;
    assert_null(slow_text(0, 0, &scene, &none));
    enum verdict_status status = none.status;
    scene_done(&scene);
    const char *text = slow_text(0, 3, &scene, &some);
    assert_non_null(text);
    assert_non_null(strstr(text, "Mean time from step to step "));
    assert_non_null(strstr(text, ": 9 of "));
    assert_non_null(strstr(text, " steps are slow, 0 of "));
    assert_int_equal(some.status, status);
    const char *sentence = verdict_sentence(&some, &scene.arena);
    assert_memory_equal(sentence, text, strlen(text) - 1);
    assert_non_null(strstr(sentence, "tep time"));
    scene_done(&scene);
}

static void leaves_out_what_the_baseline_has_too(void **state)
{
    (void)state;
    struct scene scene;
    struct verdict verdict;
    assert_null(slow_text(3, 3, &scene, &verdict));
    scene_done(&scene);
}

/* What the host compiled meanwhile is a step that somebody waited for; a capture's start is not. */
static void counts_later_warm_up_and_not_the_first(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        struct scene scene;
        scene_fill_noisy(&scene, 7, 0, NULL);
        side_stall(&scene.baseline, 0);
        side_stall(&scene.candidate, 0);
        for (size_t i = 0; i < scene.candidate.count; i++) {
            struct step_row *rows = scene.candidate.profiles[i].summary->steps.rows;
            rows[late ? 4 : 0].warmup = true;
            rows[late ? 4 : 0].period_ps += stall_ps;
        }
        struct verdict verdict = scene_judge(&scene);
        assert_int_equal(verdict_reason_text(&verdict, "steps_slow") != NULL, late);
        scene_done(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_medians_do_not_show),
        cmocka_unit_test(leaves_out_what_the_baseline_has_too),
        cmocka_unit_test(counts_later_warm_up_and_not_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
