/* Tests of a candidate whose steps differ more than past ones: its runs are taken to differ more
 * too, and the verdict says so. */
#include "compare/statistics/statistics.h"
#include "tests/support/gate_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { PAST = 20, STEPS = 30 };

/* What a drawn candidate is like; its runs and steps differ so many times as much as past ones. */
struct kind {
    size_t runs, steps;
    double times_runs, times_steps, slower;
};

static struct verdict judged(struct scene *scene, uint64_t draw, const struct kind *kind)
{
    uint64_t noise = draw;
    scene_init(scene);
    for (size_t i = 0; i < PAST + kind->runs; i++) {
        bool now = i >= PAST;
        double change = .01 * (now ? kind->times_runs : 1) * fixture_normal(&noise);
        struct summary_plan plan;
        summary_plan_default(&plan);
        plan.device_count = 1;
        plan.steps = (int64_t)(now ? kind->steps : STEPS);
        plan.step_sd = .02 * (now ? kind->times_steps : 1);
        plan.step_us *= now ? 1 + kind->slower : 1;
        plan.seed = 7919 * draw + i;
        scene_add_runs(scene, now ? &scene->candidate : &scene->baseline, &plan, &change, 1);
    }
    return scene_judge(scene);
}

/* Of 60 unchanged ones that differ three times as much, of one run and of three, 6 and 5 failed
 * when steps were not asked. Losses that such steps cannot make are seen all the same. */
static void fails_few_that_differ_more(void **state)
{
    enum { DRAWS = 60, MOST = 3, SLOW_DRAWS = 5 };
    (void)state;
    for (size_t runs = 1; runs <= 3; runs += 2) {
        struct kind kind = {runs, STEPS, 3, 3, 0};
        size_t fails = 0, caught = 0;
        for (uint64_t draw = 1; draw <= DRAWS; draw++) {
            struct scene scene;
            fails += judged(&scene, draw, &kind).status == VERDICT_FAIL;
            scene_done(&scene);
        }
        kind.slower = .4;
        for (uint64_t draw = 1; draw <= SLOW_DRAWS; draw++) {
            struct scene scene;
            caught += judged(&scene, draw, &kind).status == VERDICT_FAIL;
            scene_done(&scene);
        }
        if (fails > MOST || caught < SLOW_DRAWS)
            fail_msg("of %zu runs: %zu of %d unchanged and %zu of %d slow ones fail", runs, fails,
                     DRAWS, caught, SLOW_DRAWS);
    }
}

static void says_that_steps_differ_more(void **state)
{
    (void)state;
    static const struct {
        struct kind kind;
        const char *code, *says;
        bool is_said;
    } cases[] = {
        {{1, STEPS, 1, 3, 0}, "spread_assumed", "and its steps differ more", true},
        {{1, STEPS, 1, 1, 0}, "spread_assumed", "and its steps differ more", false},
        {{1, 5, 1, 3, 0}, "spread_assumed", "and its steps differ more", false},
        {{4, STEPS, 3, 3, 0}, "candidate_noisier", "because their steps differ", true},
        {{4, STEPS, 9, 1, 0}, "candidate_noisier", "because their steps differ", false},
        {{4, STEPS, 9, 1, 0}, "candidate_noisier", "differ more than past runs", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scene scene;
        struct verdict verdict = judged(&scene, 3, &cases[i].kind);
        const char *text = verdict_reason_text(&verdict, cases[i].code);
        if (text == NULL || (strstr(text, cases[i].says) != NULL) != cases[i].is_said)
            fail_msg("case %zu: %s", i, text == NULL ? "not said" : text);
        scene_done(&scene);
    }
}

static double noisier_of(size_t pairs, double wider)
{
    enum { RUNS = 6 };
    struct arena arena;
    struct run_point points[2 * RUNS];
    struct run_model model;
    uint64_t noise = 1;
    arena_init(&arena, 1 << 20);
    for (size_t i = 0; i < 2 * RUNS; i++) {
        double value = .01 * fixture_normal(&noise) * (i < RUNS ? 1 : 2) + (i < RUNS ? 0 : .03);
        points[i] = (struct run_point){i < RUNS ? RUN_PAST : RUN_CANDIDATE, value, 1, i,
                                       pairs > 0 ? i % RUNS + 1 : 0};
    }
    assert_true(run_model_make(&(struct run_series){points, 2 * RUNS, wider}, &arena, &model));
    double weight = run_model_noise_weight(&model, NOISE_NOISIER);
    arena_done(&arena);
    return weight;
}

/* What pairs differ by tells it; how wide their steps are changes nothing. */
static void asks_no_steps_of_pairs(void **state)
{
    (void)state;
    assert_float_equal(noisier_of(6, 3), noisier_of(6, 1), 1e-12);
    assert_float_equal(noisier_of(0, 0), noisier_of(0, 1), 1e-12);
    assert_true(1 - noisier_of(0, 3) < (1 - noisier_of(0, 1)) / 2);
}

/* Three runs that happen to agree tell no smaller loss than the next three would show. */
static void claims_no_effect_that_runs_as_wide_as_the_steps_hide(void **state)
{
    (void)state;
    for (uint64_t draw = 1; draw <= 10; draw++) {
        struct scene scene;
        const struct kind wide = {3, STEPS, .2, 3, 0}, alike = {3, STEPS, .2, 1, 0};
        double claimed = judged(&scene, draw, &wide).statistics.mde_pct.value;
        scene_done(&scene);
        double usual = judged(&scene, draw, &alike).statistics.mde_pct.value;
        scene_done(&scene);
        if (claimed < 1.8 * usual)
            fail_msg("draw %d: %.1f %% with wider steps, %.1f %% without", (int)draw, claimed,
                     usual);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(claims_no_effect_that_runs_as_wide_as_the_steps_hide),
        cmocka_unit_test(fails_few_that_differ_more),
        cmocka_unit_test(says_that_steps_differ_more),
        cmocka_unit_test(asks_no_steps_of_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
