/* Tests of steps that take longer and longer within a capture, as what made the step longer. */
#include "schema/documents/verdict_words.h"
#include "tests/support/gate_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Leaves ten steps of each profile, `slower` times as long and each longer by `slope` of the first
 * than the one before it. */
static void side_shape(const struct scene_side *side, double slower, double slope)
{
    enum { STEPS = 10 };
    for (size_t i = 0; i < side->count; i++) {
        struct step_table *steps = (struct step_table *)&side->profiles[i].summary->steps;
        double sum = 0;
        steps->count = STEPS;
        steps->steady_count = STEPS;
        for (size_t j = 0; j < STEPS; j++) {
            struct step_row *row = &steps->rows[j];
            row->max_ps = (int64_t)((double)row->max_ps * slower * (1 + slope * (double)j));
            sum += (double)row->max_ps / 1e6;
        }
        steps->steady_median_us = some_f64(sum / STEPS); /* of a straight line */
    }
}

/* That steps grow within each capture is what to look for, not the ops in which they do. */
static void growth_is_the_cause_where_it_explains_the_loss(void **state)
{
    (void)state;
    static const struct {
        double past_slope, slower;
        bool told;
    } cases[] = {{0, 1, true}, {0, 1.3, false}, {0.008, 1.2, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scene scene;
        scene_fill_noisy(&scene, 7, 0, NULL);
        side_shape(&scene.baseline, 1, cases[i].past_slope);
        side_shape(&scene.candidate, cases[i].slower, 0.008);
        struct verdict verdict = scene_judge(&scene);
        const char *sentence = verdict_sentence(&verdict, &scene.arena);
        const char *kind = verdict.cause.kind == NULL ? "" : verdict.cause.kind;
        bool told = strstr(sentence, "steps take longer and longer, +") != NULL;
        if (verdict.status != VERDICT_FAIL || told != cases[i].told ||
            (strcmp(kind, "growth") == 0) != told)
            fail_msg("case %zu: %s", i, sentence);
        scene_done(&scene);
    }
}

/* Where a trend makes a capture unfit for its median, the trend is what is told. */
static void growth_is_told_where_even_the_faster_half_is_slower(void **state)
{
    (void)state;
    struct scene scene;
    scene_fill_noisy(&scene, 7, 0, NULL);
    side_shape(&scene.baseline, 1, 0);
    side_shape(&scene.candidate, 1.05, 0.03);
    scene.candidate.count = 1;
    struct verdict verdict = scene_judge(&scene);
    assert_int_equal(verdict.status, VERDICT_FAIL);
    assert_string_equal(verdict.reasons[0].code, "steps_regressed_throughout");
    assert_non_null(strstr(verdict.reasons[0].text, ": steps take longer and longer, "));
    scene_done(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growth_is_the_cause_where_it_explains_the_loss),
        cmocka_unit_test(growth_is_told_where_even_the_faster_half_is_slower),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
