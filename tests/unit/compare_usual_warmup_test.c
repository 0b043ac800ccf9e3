/* Tests of where steady state begins, as the captures of both sides tell it together. */
#include "compare/judgement/usual_warmup.h"
#include "tests/support/gate_fixture.h"
#include "tests/support/read_warmup.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { PAST_RUNS = 12, CANDIDATE_RUNS = 3, WARMUP_MOST = 8 };
static const double run_sd = 0.005, step_sd = 0.005;

/* What the steps of a capture take, in those that nothing holds up. */
struct shape {
    size_t steps, first; /* of which the first... */
    double first_factor; /* ...take so many times as long... */
    double late_factor;  /* ...and the last but two */
};

static void add(struct scene *scene, struct scene_side *side, const struct shape *shape,
                uint64_t *noise)
{
    struct summary_plan plan;
    summary_plan_default(&plan);
    plan.device_count = 1;
    plan.first_step = 0;
    plan.steps = (int64_t)shape->steps;
    plan.step_us *= exp(run_sd * fixture_normal(noise));
    scene_add(scene, side, &plan, NULL);
    struct summary *summary = (struct summary *)side->profiles[side->count - 1].summary;
    for (size_t i = 0; i < shape->steps; i++) {
        double factor = i < shape->first                                  ? shape->first_factor
                        : i + 3 == shape->steps && shape->late_factor > 0 ? shape->late_factor
                                                                          : 1;
        double us = plan.step_us * factor * exp(step_sd * fixture_normal(noise));
        summary->steps.rows[i].max_ps = llround(us * 1e6);
    }
    warmup_read(&scene->arena, &summary->steps);
}

static struct verdict judged(struct scene *scene, const struct shape *past, const struct shape *now,
                             uint64_t seed)
{
    scene_init(scene);
    for (size_t i = 0; i < PAST_RUNS; i++)
        add(scene, &scene->baseline, past, &seed);
    for (size_t i = 0; i < CANDIDATE_RUNS; i++)
        add(scene, &scene->candidate, now, &seed);
    return scene_judge(scene);
}

static bool says(const struct verdict *verdict, const char *part)
{
    for (size_t i = 0; i < verdict->provenance_messages.count; i++) {
        if (strstr(verdict->provenance_messages.items[i], part) != NULL)
            return true;
    }
    return false;
}

/* A late step as slow as warm-up hides it in the candidate: its first step counted, that of past
 * captures did not, and a change of 1.2 % failed as one of 2.6. */
static void leaves_out_on_both_sides_what_most_past_captures_do(void **state)
{
    (void)state;
    static const size_t lengths[] = {8, 10};
    const struct shape past = {.first = 1, .first_factor = 1.15};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        struct shape before = past, after = past;
        struct scene scene;
        before.steps = after.steps = lengths[i];
        after.late_factor = 1.12;
        struct verdict verdict = judged(&scene, &before, &after, 7);
        const struct verdict_measure *mean = verdict_measure_named(&verdict, "steady_step_mean");
        assert_int_not_equal(verdict.status, VERDICT_FAIL);
        assert_int_equal(verdict.candidate.step_count, CANDIDATE_RUNS * (lengths[i] - 1));
        double told = mean->after.value / mean->before.value - 1;
        double planted = 0.12 / (double)(lengths[i] - 1);
        assert_true(fabs(told - planted) < 0.01);
        assert_true(says(&verdict,
                         "The first steps of 3 captures are left out as warm-up: most "
                         "past captures that begin at the same step leave out as many; "));
        scene_done(&scene);
    }
}

/* One that begins elsewhere may have no warm-up, and nothing is left out of it. */
static void leaves_out_nothing_of_captures_that_begin_elsewhere(void **state)
{
    (void)state;
    const struct shape past = {.steps = 10, .first = 1, .first_factor = 1.8};
    const struct shape now = {.steps = 10};
    struct scene scene;
    uint64_t seed = 7;
    (void)judged(&scene, &past, &now, seed);
    for (size_t i = 0; i < CANDIDATE_RUNS; i++) {
        struct step_table *steps = (struct step_table *)&scene.candidate.profiles[i].summary->steps;
        for (size_t j = 0; j < steps->count; j++)
            steps->rows[j].number += 100;
    }
    struct verdict verdict = scene_judge(&scene);
    assert_int_equal(verdict.candidate.step_count, CANDIDATE_RUNS * now.steps);
    scene_done(&scene);
}

/* What is open is no milder than a warning, nor the other way round. */
static int severity(enum verdict_status status)
{
    return status == VERDICT_PASS ? 0 : status == VERDICT_FAIL ? 2 : 1;
}

/* Judges candidates whose first steps are longer by more and more; each is judged no milder than
 * the one before. */
static void first_longer(size_t steps, size_t first)
{
    static const double sizes[] = {0,   .01, .02, .03, .04, .05, .06, .07, .08, .09,
                                   .10, .11, .12, .14, .16, .18, .20, .25, .30};
    bool may_fail = 2 * first > steps || first > WARMUP_MOST;
    int before = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const struct shape past = {.steps = steps}, now = {steps, first, 1 + sizes[i], 0};
        struct scene scene;
        struct verdict verdict = judged(&scene, &past, &now, 3);
        int is = severity(verdict.status);
        if (is < before || (verdict.status == VERDICT_FAIL && !may_fail))
            fail_msg("%zu of %zu steps longer by %.0f %%: %s behind severity %d: %s", first, steps,
                     100 * sizes[i], verdict_status_names[verdict.status], before,
                     verdict.reasons[0].text);
        before = is;
        scene_done(&scene);
    }
}

/* A capture tells first steps that are longer by a tenth as warm-up, and those warn; such as were
 * longer by less counted in full, and failed. */
static void is_no_milder_where_first_steps_are_longer(void **state)
{
    (void)state;
    static const size_t lengths[] = {10, 12, 16, 20};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        for (size_t first = 1; first <= lengths[i]; first++)
            first_longer(lengths[i], first);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_out_on_both_sides_what_most_past_captures_do),
        cmocka_unit_test(leaves_out_nothing_of_captures_that_begin_elsewhere),
        cmocka_unit_test(is_no_milder_where_first_steps_are_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
