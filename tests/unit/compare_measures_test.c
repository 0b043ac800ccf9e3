/* Measures: what each one is, and the limits that a policy sets on them. */
#include "schema/documents/measures.h"
#include "tests/support/assert_number.h"
#include "schema/documents/verdict_words.h"
#include "tests/support/gate_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- what they are --------------------------------------------------------------------------- */

/* 4 devices, the last of them 10 % slower; 15 of 20 steps are steady; two ops of 4 and 2 ms. */
static void tells_each_measure_of_a_summary(void **state)
{
    (void)state;
    static const struct planned_op ops[] = {{"a", "a", NULL, 4000}, {"b", "b", NULL, 2000}};
    static const struct {
        enum measure measure;
        double value;
    } cases[] = {
        {MEASURE_step_median, 11000},
        {MEASURE_steady_steps, 15},
        {MEASURE_steady_step_median, 11000},
        {MEASURE_steady_step_p90, 11000},
        {MEASURE_step_idle, 10250 - 6000}, /* the mean device's step without its ops */
        {MEASURE_device_busy_share, 6000. / 10250},
        {MEASURE_device_idle_share, 1 - 6000. / 10250},
        {MEASURE_device_compute_share, 6000. / 10250 - 0.1},
        {MEASURE_exposed_communication_share, 0.1},
        {MEASURE_overlapped_communication_share, 0},
        {MEASURE_device_skew, 1.1},
        {MEASURE_op_count, 2},
        {MEASURE_op_time, 6000},
        {MEASURE_steady_step_period, 11500},
        {MEASURE_steady_step_mean, 11500},
    };
    scoped_arena arena;
    struct summary_plan plan;
    struct opt_f64 values[MEASURE_END];
    arena_init(&arena, 1 << 20);
    summary_plan_default(&plan);
    plan.slow_factor = 1.1;
    plan.warmup = 5;
    plan.wait_us = 500;
    plan.ops = ops;
    plan.op_count = COUNT(ops);
    measures_take(summary_make(&arena, &plan), values);
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_true(values[cases[i].measure].set);
        assert_number(values[cases[i].measure].value, cases[i].value, 1e-6);
    }
}

static void tells_nothing_that_a_summary_does_not_hold(void **state)
{
    (void)state;
    static const enum measure absent[] = {
        MEASURE_step_median, MEASURE_compute_share,      MEASURE_steady_step_median,
        MEASURE_step_idle,   MEASURE_device_idle_share,  MEASURE_device_skew,
        MEASURE_op_time,     MEASURE_steady_step_period, MEASURE_steady_step_mean};
    const struct summary empty = {.has_ours = true};
    struct opt_f64 values[MEASURE_END];
    measures_take(&empty, values);
    for (size_t i = 0; i < COUNT(absent); i++)
        assert_false(values[absent[i]].set);
}

/* Longer and longer waits after 3 or 4 steps; the last one has no follower. */
static void takes_the_median_of_periods_without_sorting_them(void **state)
{
    (void)state;
    static const struct {
        int64_t steps;
        double median_us;
    } cases[] = {{4, 10030}, {5, 10025}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        scoped_arena arena;
        struct summary_plan plan;
        struct opt_f64 values[MEASURE_END];
        arena_init(&arena, 1 << 20);
        summary_plan_default(&plan);
        plan.steps = cases[i].steps;
        plan.wait_us = 10;
        const struct summary *summary = summary_make(&arena, &plan);
        for (int64_t step = 0; step + 1 < plan.steps; step++)
            summary->steps.rows[step].period_ps = (10000 + 10 * ((step + 2) % 4 + 1)) * 1000000;
        measures_take(summary, values);
        assert_number(values[MEASURE_steady_step_period].value, cases[i].median_us, 1e-9);
    }
}

/* A slow step that was left out later on counts, those before the first steady one do not; steps
 * without a follower are taken as long as they are, where most have none. */
static void takes_the_mean_of_all_steps_behind_the_first_warm_up(void **state)
{
    (void)state;
    static const struct {
        int64_t slow_step, with_follower;
        double mean_us;
    } cases[] = {{0, 19, 10010}, {1, 19, 10010}, {4, 19, 10010 + 1700}, {4, 6, 10000}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        scoped_arena arena;
        struct summary_plan plan;
        struct opt_f64 values[MEASURE_END];
        double us[20];
        arena_init(&arena, 1 << 20);
        summary_plan_default(&plan);
        plan.warmup = 2;
        plan.wait_us = 10;
        const struct summary *summary = summary_make(&arena, &plan);
        struct step_row *rows = summary->steps.rows;
        rows[cases[i].slow_step].warmup = true;
        rows[cases[i].slow_step].period_ps += 1700 * 17 * (int64_t)1000000;
        for (int64_t step = cases[i].with_follower; step < plan.steps; step++)
            rows[step].has_period = false;
        measures_take(summary, values);
        assert_number(values[MEASURE_steady_step_mean].value, cases[i].mean_us, 1e-9);
        /* The last step, which has no follower, is waited for as well. */
        size_t first = steps_first_warmup(&summary->steps);
        assert_int_equal(steps_waited(&summary->steps, first, us), 18);
        assert_number(us[17], cases[i].with_follower < 19 ? 10000 : 10010, 1e-9);
    }
}

/* One of two periods moves their mean, and two periods of ten steps do not speak for all; a capture
 * of so few steps that there are no more tells what it has. */
static void takes_no_median_of_few_periods(void **state)
{
    (void)state;
    static const struct {
        int64_t steps, with_follower;
        bool known;
    } cases[] = {{2, 1, true},  {3, 2, true},   {3, 1, false}, {4, 3, true},
                 {4, 2, false}, {10, 4, false}, {10, 5, true}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        scoped_arena arena;
        struct summary_plan plan;
        struct opt_f64 values[MEASURE_END];
        arena_init(&arena, 1 << 20);
        summary_plan_default(&plan);
        plan.steps = cases[i].steps;
        plan.wait_us = 10;
        const struct summary *summary = summary_make(&arena, &plan);
        for (int64_t step = cases[i].with_follower; step < plan.steps; step++)
            summary->steps.rows[step].has_period = false;
        measures_take(summary, values);
        assert_int_equal(values[MEASURE_steady_step_period].set, cases[i].known);
    }
}

static void knows_no_skew_of_one_device(void **state)
{
    (void)state;
    scoped_arena arena;
    struct summary_plan plan;
    struct opt_f64 values[MEASURE_END];
    arena_init(&arena, 1 << 20);
    summary_plan_default(&plan);
    plan.device_count = 1;
    measures_take(summary_make(&arena, &plan), values);
    assert_false(values[MEASURE_device_skew].set);
}

static void finds_every_measure_by_its_name(void **state)
{
    (void)state;
    for (enum measure i = MEASURE_FIRST; i < MEASURE_END; i++) {
        enum measure found;
        struct err err = {0};
        assert_non_null(measure_rows[i].name); /* numbers have no hole */
        assert_true(measure_find(measure_rows[i].name, &found, &err));
        assert_int_equal(found, i);
    }
    enum measure found;
    struct err err = {0};
    assert_false(measure_find("device_idel_share", &found, &err));
    assert_non_null(strstr(err.text, "did you mean 'device_idle_share'?"));
}

/* ---- limits ---------------------------------------------------------------------------------- */

/* Judges one run a side whose devices are busy for so many percent of their windows. */
static struct verdict busy_judged(struct scene *scene, int64_t before, int64_t after)
{
    const int64_t percents[] = {before, after};
    struct scene_side *sides[] = {&scene->baseline, &scene->candidate};
    for (size_t i = 0; i < COUNT(sides); i++) {
        struct summary_plan plan;
        summary_plan_default(&plan);
        scene_add(scene, sides[i], &plan, NULL);
        struct summary *summary = (struct summary *)sides[i]->profiles[0].summary;
        for (size_t d = 0; d < summary->device_count; d++)
            summary->devices[d].busy_ps = summary->devices[d].window_ps / 100 * percents[i];
    }
    struct summary_plan past;
    summary_plan_default(&past);
    scene_add_history(scene, &past);
    return scene_judge(scene);
}

static void limits_what_should_be_high_downwards(void **state)
{
    (void)state;
    static const struct {
        int64_t after;
        const char *status;
        double delta;
    } cases[] = {{90, "ok", 0.1}, {80, "ok", 0}, {76, "ok", -0.04}, {74, "fail", -0.06}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene scene;
        scene_init(&scene);
        scene.policy.measures[MEASURE_device_busy_share] =
            (struct measure_rule){-1, 0.05, MEASURE_FAIL, false};
        struct verdict verdict = busy_judged(&scene, 80, cases[i].after);
        const struct verdict_measure *row = verdict_measure_named(&verdict, "device_busy_share");
        bool fails = strcmp(cases[i].status, "fail") == 0;
        assert_string_equal(row->status, cases[i].status);
        assert_number(row->limit.value, -0.05, 0);
        assert_number(row->delta.value, cases[i].delta, 1e-9);
        assert_int_equal(verdict.status, fails ? VERDICT_FAIL : VERDICT_PASS);
        if (fails)
            assert_string_equal(verdict.reasons[0].text,
                                "device_busy_share (busy part of the devices' windows) fell from "
                                "80.0 % to 74.0 %, by more than -5.0 pp.");
        scene_done(&scene);
    }
}

static void takes_the_larger_of_percent_and_absolute(void **state)
{
    (void)state;
    static const struct {
        double limit_pct, limit_abs, limit;
    } cases[] = {{5, -1, 500}, {5, 300, 500}, {5, 700, 700}, {-1, 300, 300}, {0, -1, 0}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene scene;
        scene_init(&scene);
        struct measure_rule *rule = &scene.policy.measures[MEASURE_steady_step_p90];
        rule->limit_pct = cases[i].limit_pct;
        rule->limit_abs = cases[i].limit_abs;
        struct verdict verdict = busy_judged(&scene, 90, 90);
        assert_number(verdict_measure_named(&verdict, "steady_step_p90")->limit.value,
                      cases[i].limit, 1e-6);
        scene_done(&scene);
    }
}

static void shows_every_measure_that_a_side_tells(void **state)
{
    (void)state;
    struct scene scene;
    scene_init(&scene);
    struct verdict verdict = busy_judged(&scene, 90, 90);
    assert_int_equal(verdict.measure_count, MEASURE_END - MEASURE_FIRST);
    assert_false(verdict_measure_named(&verdict, "steady_step_median")->delta.value > 0);
    assert_string_equal(verdict_measure_named(&verdict, "step_max")->status, "unknown");
    scene_done(&scene);
}

/* A limit of the policy that only warns is passed for sure, and the step cannot be told. */
static void what_cannot_be_told_swallows_no_warning(void **state)
{
    (void)state;
    static const struct {
        enum policy_outcome outcome;
        enum verdict_status status;
    } cases[] = {{OUTCOME_KEEP, VERDICT_INCONCLUSIVE},
                 {OUTCOME_PASS, VERDICT_WARN},
                 {OUTCOME_WARN, VERDICT_WARN},
                 {OUTCOME_FAIL, VERDICT_FAIL}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene scene;
        scene_fill_noisy(&scene, 7, 0.004, NULL);
        scene.policy.on_inconclusive = cases[i].outcome;
        scene.policy.measures[MEASURE_step_idle] =
            (struct measure_rule){0.1, -1, MEASURE_WARN, false};
        struct verdict verdict = scene_judge(&scene);
        const char *sentence = verdict_sentence(&verdict, &scene.arena);
        if (verdict.status != cases[i].status)
            fail_msg("case %zu: %s", i, sentence);
        bool beside = cases[i].status == VERDICT_INCONCLUSIVE;
        assert_int_equal(verdict_warns_beside(&verdict), beside);
        assert_int_equal(strstr(sentence, "step_idle (") != NULL, i < 2);
        assert_int_equal(strncmp(sentence, "Step time", 9) == 0, beside);
        scene_done(&scene);
    }
}

/* As many runs of the side, from the first on, tell what share of a step waits for input; the
 * others why they do not. */
static void waits_tell(struct scene *scene, const struct scene_side *side, size_t count)
{
    for (size_t i = 0; i < side->count; i++) {
        struct summary *summary = (struct summary *)side->profiles[i].summary;
        summary->figures = arena_new(&scene->arena, struct summary_figure);
        summary->figures[0] = (struct summary_figure){.measure = "input_wait_share",
                                                      .unit = "share",
                                                      .of = "waits for input",
                                                      .absent = "no host tells it"};
        if (i < count)
            summary->figures[0].value = some_f64(0.1);
        summary->figure_count = 1;
        summary->has_figures = true;
    }
}

/* Somebody counts on a limit that a policy sets by itself, whatever the verdict. */
static void says_which_limits_of_a_policy_were_held_against_nothing(void **state)
{
    (void)state;
    enum { ALL = 1000 };
    static const char code[] = "measure_not_judged", part[] = "measure_partly_told";
    static const struct {
        size_t before, after; /* runs that tell it */
        enum measure_action action;
        bool required;
        const char *code, *text; /* NULL: nothing is said */
    } cases[] = {
        {ALL, 0, MEASURE_FAIL, false, code,
         "input_wait_share is not judged, though the policy says action = fail: the candidate's "
         "runs do not tell it (no host tells it). `required = yes` makes this inconclusive."},
        {0, ALL, MEASURE_WARN, false, code,
         "input_wait_share is not judged, though the policy says action = warn: the baseline's "
         "runs do not tell it (no host tells it). `required = yes` makes this inconclusive."},
        {0, 0, MEASURE_FAIL, false, code,
         "input_wait_share is not judged, though the policy says action = fail: the runs of "
         "neither side tell it (no host tells it). `required = yes` makes this inconclusive."},
        {ALL, 0, MEASURE_FAIL, true, "required_data_missing",
         "The policy requires input_wait_share: the candidate's runs do not tell it (no host "
         "tells it)."},
        {3, ALL, MEASURE_FAIL, false, part, "input_wait_share is judged by 3 of the baseline's "},
        {ALL, 1, MEASURE_FAIL, true, part, "input_wait_share is judged by 1 of the candidate's "},
        {ALL, ALL, MEASURE_FAIL, false, NULL, NULL},
        {ALL, 0, MEASURE_INFO, false, NULL, NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene scene;
        scene_fill_noisy(&scene, 7, 0, NULL);
        scene.policy.measures[MEASURE_input_wait_share] =
            (struct measure_rule){-1, 0.05, cases[i].action, cases[i].required};
        waits_tell(&scene, &scene.baseline, cases[i].before);
        waits_tell(&scene, &scene.candidate, cases[i].after);
        struct verdict verdict = scene_judge(&scene);
        const char *text =
            cases[i].code == NULL ? NULL : verdict_reason_text(&verdict, cases[i].code);
        if (cases[i].code != NULL &&
            (text == NULL || strncmp(text, cases[i].text, strlen(cases[i].text)) != 0))
            fail_msg("case %zu: %s", i, text);
        if (cases[i].code != code)
            assert_null(verdict_reason_text(&verdict, code));
        if (cases[i].code != part)
            assert_null(verdict_reason_text(&verdict, part));
        bool misses = cases[i].required && cases[i].code != part;
        assert_int_equal(verdict.status, misses ? VERDICT_INCONCLUSIVE : VERDICT_PASS);
        scene_done(&scene);
    }
}

/* MFU of stated flops is not compared with that of what ops tell: it would be the change of these.
 */
static void compares_no_figures_of_different_sources(void **state)
{
    (void)state;
    static const char stated[] = "model flops per step as stated", told[] = "operations of ops";
    static const struct {
        const char *before, *after;
        bool is_compared;
    } cases[] = {{told, stated, false}, {stated, stated, true}, {told, told, true}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene scene;
        scene_fill_noisy(&scene, 7, 0, NULL);
        const struct scene_side *sides[] = {&scene.baseline, &scene.candidate};
        for (size_t s = 0; s < COUNT(sides); s++) {
            for (size_t j = 0; j < sides[s]->count; j++) {
                struct summary *summary = (struct summary *)sides[s]->profiles[j].summary;
                summary->figures = arena_new(&scene.arena, struct summary_figure);
                summary->figures[0] =
                    (struct summary_figure){.measure = "mfu",
                                            .unit = "share",
                                            .value = some_f64(s == 0 ? 0.4 : 0.8),
                                            .of = s == 0 ? cases[i].before : cases[i].after};
                summary->figure_count = 1;
                summary->has_figures = true;
            }
        }
        struct verdict verdict = scene_judge(&scene);
        const char *text = verdict_reason_text(&verdict, "figure_sources_differ");
        assert_int_equal(text == NULL, cases[i].is_compared);
        assert_int_equal(verdict_measure_named(&verdict, "mfu")->before.set, cases[i].is_compared);
        if (text != NULL)
            assert_string_equal(text, "mfu is not compared: past runs make it of operations of "
                                      "ops; the candidate's of model flops per step as stated. "
                                      "The same can be stated of both sides (--meta).");
        scene_done(&scene);
    }
}

/* Beyond ten times nobody reads percents; below, and of a share, nothing is different. */
static void says_how_many_times_as_long(void **state)
{
    (void)state;
    static const struct {
        const char *unit;
        double pct;
        const char *words;
    } cases[] = {{"us", 166849, "1669 times as long"},
                 {"bytes", 1000, "11 times as much"},
                 {"us", 999.9, "+999.9 %"},
                 {"us", -99, "-99.0 %"},
                 {"share", 5000, "+1.0 pp"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        char buffer[FORMAT_BYTES];
        assert_string_equal(measure_change_text(cases[i].unit, .01, some_f64(cases[i].pct), buffer),
                            cases[i].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_told_swallows_no_warning),
        cmocka_unit_test(says_which_limits_of_a_policy_were_held_against_nothing),
        cmocka_unit_test(compares_no_figures_of_different_sources),
        cmocka_unit_test(tells_each_measure_of_a_summary),
        cmocka_unit_test(tells_nothing_that_a_summary_does_not_hold),
        cmocka_unit_test(takes_the_median_of_periods_without_sorting_them),
        cmocka_unit_test(takes_the_mean_of_all_steps_behind_the_first_warm_up),
        cmocka_unit_test(takes_no_median_of_few_periods),
        cmocka_unit_test(knows_no_skew_of_one_device),
        cmocka_unit_test(finds_every_measure_by_its_name),
        cmocka_unit_test(says_how_many_times_as_long),
        cmocka_unit_test(limits_what_should_be_high_downwards),
        cmocka_unit_test(takes_the_larger_of_percent_and_absolute),
        cmocka_unit_test(shows_every_measure_that_a_side_tells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
