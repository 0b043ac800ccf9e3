/* Tests of the rule on step time: its decision table, and which rule speaks when. */
#include "compare/steps/step_rule.h"
#include "compare/statistics/stats.h"
#include "schema/documents/verdict_view.h"
#include "tests/support/assert_number.h"
#include "tests/support/gate_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Relative step times of ten past runs, sd about 1 %. */
static const double past_noise[] = {0.000, 0.012,  -0.009, 0.004,  -0.013,
                                    0.008, -0.004, 0.011,  -0.010, 0.001};

static void decides_by_the_table_of_the_rule(void **state)
{
    (void)state;
    struct gate_policy policy;
    gate_policy_default(&policy);
    const double m = log(1.02), reach = stats_t_quantile(0.95, 19); /* of the pass, in errors */
    const struct {
        double p, change, error;
        enum verdict_status status;
        double shown;
    } cases[] = {
        {0.0099, m, 0.001, VERDICT_FAIL, m},
        {0.0099, 2 * m, 0.001, VERDICT_FAIL, 2 * m},
        {0.0001, 5 * m, 0.001, VERDICT_FAIL, m},
        {0.0001, 5 * m, 0.001, VERDICT_WARN, 0.999 * m}, /* told by few of the runs */
        {0.01, m, 0.001, VERDICT_WARN, m},               /* p has to be below alpha */
        {0.0099, 0.999 * m, 0.001, VERDICT_WARN, m},     /* certain, but too small to fail */
        {0.0001, 0.5 * m, 0.0001, VERDICT_WARN, m},
        {0.0001, 0.499 * m, 0.0001, VERDICT_PASS, m}, /* certain, and too small to matter */
        {0.05, m, 1, VERDICT_INCONCLUSIVE, m},
        {0.05, 0.5 * m, 0.001, VERDICT_PASS, m},
        {0.5, 0, 0.999 * m / reach, VERDICT_PASS, 0},
        {0.5, 0, 1.001 * m / reach, VERDICT_INCONCLUSIVE, 0},
        {0.999, -m, 0.001, VERDICT_PASS, 0},
        {0.7, -m, 2.1 * m / reach, VERDICT_INCONCLUSIVE, 0}, /* faster, or not: nobody knows */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct step_estimate estimate = {.change = cases[i].change,
                                         .shown = cases[i].shown,
                                         .upper = cases[i].change + reach * cases[i].error,
                                         .p_slower = cases[i].p};
        if (step_decide(&policy, &estimate, m) != cases[i].status)
            fail_msg("case %zu gives %s", i,
                     verdict_status_names[step_decide(&policy, &estimate, m)]);
    }
}

/* Of one explanation: a fail asks for p and for the margin, whichever is more. */
static void detects_what_the_formula_says(void **state)
{
    (void)state;
    struct gate_policy policy;
    gate_policy_default(&policy);
    struct arena arena;
    arena_init(&arena, 1 << 20);
    struct run_explanation one = {.weight = 1, .change = 0.007, .error = 0.01, .df = 19};
    struct run_model model = {.items = &one, .count = 1, .candidates = 1};
    /* t(.99, 19) and t(.80, 19) of any table */
    assert_close(step_detectable(&policy, &model, log(1.02), &arena),
                 (2.539483191 + 0.860950551) * 0.01, 1e-6);
    assert_close(step_detectable(&policy, &model, log(1.05), &arena),
                 log(1.05) + 0.860950551 * 0.01, 1e-6);
    /* Nothing below the margin fails, however well it is known. */
    struct run_explanation exact = {.weight = 1, .error = 1e-12, .df = 19};
    struct run_model sure = {.items = &exact, .count = 1, .candidates = 1};
    assert_close(step_detectable(&policy, &sure, log(1.02), &arena), log(1.02), 1e-6);
    assert_true(step_detectable(&policy, &sure, log(1.02), &arena) >= log(1.02));
    /* Three runs spread otherwise when they run again, and what p asks for with them. */
    model.candidates = 3;
    double again = 2.539483191 * 0.01 * sqrt(2) / 19;
    assert_close(step_detectable(&policy, &model, log(1.02), &arena),
                 2.539483191 * 0.01 + 0.860950551 * hypot(0.01, again), 1e-6);
    assert_close(step_detectable(&policy, &model, log(1.05), &arena),
                 log(1.05) + 0.860950551 * 0.01, 1e-6);
    arena_done(&arena);
}

/* The interval's end at a level is where p is that level: no verdict stands beside an interval that
 * says otherwise. */
static void turns_one_test_into_p_and_interval(void **state)
{
    (void)state;
    static const double levels[] = {0.0005, 0.002, 0.01,  0.0101, 0.025,
                                    0.04,   0.05,  0.051, 0.3,    0.7};
    struct run_explanation items[] = {{.weight = 0.7, .change = 0.03, .error = 0.01, .df = 30},
                                      {.weight = 0.2, .change = -0.01, .error = 0.02, .df = 12},
                                      {.weight = 0.1, .change = 0.02, .error = 0.09, .df = 2}};
    struct run_model doubts = {.items = items, .count = 3, .candidates = 3};
    struct run_model none = {.items = items, .count = 1, .candidates = 3};
    struct run_explanation kinds[] = {
        {.weight = 0.45, .change = 0.03, .error = 0.01, .df = 30},
        {.noise = NOISE_HOSTS, .weight = 0.35, .change = 0.03, .error = 0.015, .df = 30},
        {.noise = NOISE_HOSTS, .weight = 0.2, .change = 0.03, .error = 0.03, .df = 30}};
    items[0].weight = 1;
    for (size_t i = 0; i < COUNT(levels); i++)
        assert_close(run_model_p(&none, -run_model_low(&none, levels[i])), levels[i], 1e-6);
    items[0].weight = 0.7;
    for (size_t i = 0; i < COUNT(levels); i++) {
        double low = run_model_low(&doubts, levels[i]);
        assert_close(run_model_p(&doubts, -low), levels[i], 1e-6);
        assert_true(run_model_p(&doubts, -low + 1e-5) < levels[i]);
        assert_true(low < run_model_low(&none, levels[i]) + 1e-12);
    }
    /* Hosts that enough runs hold likely have to say it too. */
    struct run_model few = {.items = kinds, .count = 3, .candidates = 3, .past = 19};
    struct run_model many = {.items = kinds, .count = 3, .candidates = 3, .past = 20};
    assert_true(run_model_p(&few, 0) < 0.05);
    double said = (0.35 * stats_t_upper(2, 30) + 0.2 * stats_t_upper(1, 30)) / 0.55 / 1.2;
    assert_close(run_model_p(&many, 0), said, 1e-9);
    for (size_t i = 0; i < COUNT(levels); i++)
        assert_close(run_model_p(&many, -run_model_low(&many, levels[i])), levels[i], 1e-6);
}

static struct verdict judged(struct scene *scene, double change, size_t past_runs,
                             size_t candidate_runs)
{
    struct summary_plan plan;
    summary_plan_default(&plan);
    scene_init(scene);
    scene_add_runs(scene, &scene->baseline, &plan, past_noise, past_runs);
    plan.step_us *= 1 + change;
    for (size_t i = 0; i < candidate_runs; i++)
        scene_add(scene, &scene->candidate, &plan, NULL);
    return scene_judge(scene);
}

static void passes_nothing_with_fewer_than_six_past_runs(void **state)
{
    (void)state;
    static const struct {
        double change;
        size_t past_runs;
        enum verdict_status status;
        bool few;
    } cases[] = {{0.2, 1, VERDICT_INCONCLUSIVE, true},  {0.2, 5, VERDICT_FAIL, true},
                 {0, 5, VERDICT_INCONCLUSIVE, true},    {0.2, 6, VERDICT_FAIL, false},
                 {-0.1, 5, VERDICT_INCONCLUSIVE, true}, {-0.1, 6, VERDICT_PASS, false}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene scene;
        struct verdict verdict = judged(&scene, cases[i].change, cases[i].past_runs, 1);
        assert_string_equal(verdict.rule_id, "run_statistics");
        assert_int_equal(verdict.status, cases[i].status);
        assert_int_equal(verdict_reason_text(&verdict, "few_runs") != NULL, cases[i].few);
        assert_int_equal(verdict.statistics.mde_pct.set, cases[i].past_runs > 1);
        scene_done(&scene);
    }
}

static void counts_history_among_the_past_runs(void **state)
{
    (void)state;
    struct scene scene;
    struct summary_plan plan;
    summary_plan_default(&plan);
    scene_init(&scene);
    scene_add_runs(&scene, &scene.baseline, &plan, past_noise, 3);
    scene_add_runs(&scene, &scene.history, &plan, past_noise + 3, 7);
    plan.step_us *= 1.10;
    for (size_t i = 0; i < 2; i++)
        scene_add(&scene, &scene.candidate, &plan, NULL);
    struct verdict verdict = scene_judge(&scene);
    assert_string_equal(verdict.rule_id, "run_statistics");
    assert_number(verdict.statistics.df.value, 6 + 2 + 1, 0);
    assert_int_equal(verdict.baseline.run_count, 3);
    scene_done(&scene);
}

/* What a policy limits by itself may fail where runs cannot be tested; within it nothing passes. */
static void fails_by_a_fixed_limit_only_above_it(void **state)
{
    (void)state;
    static const struct {
        double change;
        enum verdict_status status;
    } cases[] = {{0, VERDICT_INCONCLUSIVE},
                 {0.0499, VERDICT_INCONCLUSIVE},
                 {0.0501, VERDICT_FAIL},
                 {2, VERDICT_FAIL}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene scene;
        struct summary_plan plan;
        summary_plan_default(&plan);
        scene_init(&scene);
        scene.policy.measures[MEASURE_steady_step_median].limit_pct = 5;
        scene_add(&scene, &scene.baseline, &plan, NULL);
        plan.step_us *= 1 + cases[i].change;
        scene_add(&scene, &scene.candidate, &plan, NULL);
        struct verdict verdict = scene_judge(&scene);
        assert_int_equal(verdict.status, cases[i].status);
        assert_string_equal(verdict.rule_id,
                            cases[i].status == VERDICT_FAIL ? "fixed_limits" : "run_statistics");
        scene_done(&scene);
    }
}

/* The policy goes over the rule: what a loss of the step becomes, and how large it may be. */
static void does_what_the_policy_says_of_the_step(void **state)
{
    (void)state;
    static const struct {
        double change, limit_pct;
        enum measure_action action;
        enum verdict_status status;
        const char *said;
    } cases[] = {
        {.10, -1, MEASURE_FAIL, VERDICT_FAIL, "that matter."},
        {.10, -1, MEASURE_WARN, VERDICT_WARN, "only warns"},
        {.10, -1, MEASURE_INFO, VERDICT_PASS, "for information only"},
        {.06, 15, MEASURE_FAIL, VERDICT_PASS, "not slower by the 15.0 % that matter"},
        {.30, 15, MEASURE_FAIL, VERDICT_FAIL, "beyond the 15.0 % that matter"},
        {.06, 0, MEASURE_FAIL, VERDICT_FAIL, "beyond the 0.1 % that matter"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct scene scene;
        struct summary_plan plan;
        summary_plan_default(&plan);
        scene_init(&scene);
        scene.policy.measures[MEASURE_steady_step_median].limit_pct = cases[i].limit_pct;
        scene.policy.measures[MEASURE_steady_step_median].action = cases[i].action;
        scene_add_runs(&scene, &scene.baseline, &plan, past_noise, 8);
        plan.step_us *= 1 + cases[i].change;
        for (size_t j = 0; j < 3; j++)
            scene_add(&scene, &scene.candidate, &plan, NULL);
        struct verdict verdict = scene_judge(&scene);
        assert_int_equal(verdict.status, cases[i].status);
        assert_non_null(strstr(verdict.reasons[0].text, cases[i].said));
        assert_string_equal(
            verdict.measures[MEASURE_steady_step_median - MEASURE_FIRST].status,
            cases[i].status == VERDICT_PASS ? "ok" : verdict_status_names[cases[i].status]);
        bool hidden = cases[i].action == MEASURE_INFO; /* passes, and is slower all the same */
        struct verdict_view view;
        verdict_view_make(&verdict, &scene.arena, &view);
        assert_int_equal(strstr(view.sentence, "for information only") != NULL, hidden);
        scene_done(&scene);
    }
}

static void takes_the_median_over_baseline_runs(void **state)
{
    (void)state;
    struct scene scene;
    struct summary_plan plan;
    static const double changes[] = {0, 0.01, 3};
    summary_plan_default(&plan);
    scene_init(&scene);
    scene_add_runs(&scene, &scene.baseline, &plan, changes, 3);
    scene_add(&scene, &scene.candidate, &plan, NULL);
    struct verdict verdict = scene_judge(&scene);
    assert_number(verdict.baseline.step_median_us.value, 10100, 1e-6);
    scene_done(&scene);
}

static void takes_the_median_over_the_profiles_of_a_run(void **state)
{
    (void)state;
    struct scene scene;
    struct summary_plan plan;
    summary_plan_default(&plan);
    scene_init(&scene);
    scene_add(&scene, &scene.baseline, &plan, "r1");
    static const double factors[] = {1.00, 1.02, 1.9};
    for (size_t i = 0; i < COUNT(factors); i++) {
        struct summary_plan one = plan;
        one.step_us *= factors[i];
        scene_add(&scene, &scene.candidate, &one, "r2");
    }
    struct verdict verdict = scene_judge(&scene);
    assert_int_equal(verdict.candidate.run_count, 1);
    assert_int_equal(verdict.candidate.profile_ids.count, 3);
    assert_number(verdict.candidate.step_median_us.value, 10200, 1e-6);
    scene_done(&scene);
}

static void minds_the_absolute_floor(void **state)
{
    (void)state;
    struct scene scene;
    struct summary_plan plan;
    summary_plan_default(&plan);
    plan.step_us = 100; /* 6 % are 6 us, the floor is 10 */
    for (size_t past = 1; past <= 10; past += 9) {
        scene_init(&scene);
        scene_add_runs(&scene, &scene.baseline, &plan, past_noise, past);
        struct summary_plan slower = plan;
        slower.step_us = 106;
        scene_add(&scene, &scene.candidate, &slower, NULL);
        struct verdict verdict = scene_judge(&scene);
        assert_int_not_equal(verdict.status, VERDICT_FAIL);
        scene_done(&scene);
    }
}

static void says_how_many_more_runs_would_show_it(void **state)
{
    (void)state;
    struct scene scene;
    struct verdict verdict = judged(&scene, 0.012, 10, 1);
    assert_int_equal(verdict.status, VERDICT_INCONCLUSIVE);
    assert_string_equal(verdict.reasons[0].code, "step_median_uncertain");
    assert_string_equal(verdict_measure_named(&verdict, "steady_step_median")->status, "unknown");
    int64_t more = verdict.statistics.more_runs_needed.value;
    assert_true(verdict.statistics.more_runs_needed.set && more > 0);
    assert_non_null(strstr(verdict.reasons[0].text,
                           "would show a loss of 2.0 % 80 times of 100 if it varies as past runs "
                           "do."));
    scene_done(&scene);
}

/* Two runs a fifth apart say nothing; that is said without a number that nobody can use. */
static void names_no_smallest_loss_that_is_larger_than_the_step(void **state)
{
    (void)state;
    struct summary_plan plan;
    summary_plan_default(&plan);
    struct scene scene;
    scene_init(&scene);
    scene_add_runs(&scene, &scene.baseline, &plan, past_noise, COUNT(past_noise));
    static const double apart[] = {0, 0.2};
    scene_add_runs(&scene, &scene.candidate, &plan, apart, COUNT(apart));
    struct verdict verdict = scene_judge(&scene);
    assert_int_equal(verdict.status, VERDICT_INCONCLUSIVE);
    assert_true(verdict.statistics.mde_pct.value > 100);
    const char *text = verdict_reason_text(&verdict, "step_median_uncertain");
    assert_non_null(strstr(text, "with 2 candidate runs that differ so much even a doubled step "
                                 "would not surely fail; "));
    struct verdict_view view;
    verdict_view_make(&verdict, &scene.arena, &view);
    size_t line = 0;
    while (strcmp(view.statistics.items[line].label, "smallest loss it could see") != 0)
        assert_true(++line < view.statistics.count);
    assert_string_equal(view.statistics.items[line].text, "not even a doubled step");
    scene_done(&scene);
}

static void asks_for_runs_of_both_sides_when_the_baseline_is_short(void **state)
{
    (void)state;
    struct scene scene;
    struct summary_plan plan;
    summary_plan_default(&plan);
    scene_init(&scene);
    scene_add(&scene, &scene.baseline, &plan, NULL);
    scene_add_runs(&scene, &scene.history, &plan, past_noise, 10);
    plan.step_us *= 1.015;
    scene_add(&scene, &scene.candidate, &plan, NULL);
    struct verdict verdict = scene_judge(&scene);
    assert_int_equal(verdict.status, VERDICT_INCONCLUSIVE);
    assert_non_null(strstr(verdict.reasons[0].text, "of each side"));
    scene_done(&scene);
}

static void is_inconclusive_without_steps(void **state)
{
    (void)state;
    for (int side = 0; side < 3; side++) {
        struct scene scene;
        struct summary_plan plan, none;
        summary_plan_default(&plan);
        none = plan;
        none.steps = 0;
        scene_init(&scene);
        scene_add(&scene, &scene.baseline, side == 1 ? &plan : &none, NULL);
        scene_add(&scene, &scene.candidate, side == 0 ? &plan : &none, NULL);
        struct verdict verdict = scene_judge(&scene);
        assert_int_equal(verdict.status, VERDICT_INCONCLUSIVE);
        assert_string_equal(verdict.rule_id, "data");
        assert_string_equal(verdict.reasons[0].code, "no_steps");
        scene_done(&scene);
    }
}

static void is_inconclusive_when_all_steps_are_warm_up(void **state)
{
    (void)state;
    struct scene scene;
    struct summary_plan plan;
    summary_plan_default(&plan);
    scene_init(&scene);
    scene_add(&scene, &scene.baseline, &plan, NULL);
    plan.warmup = plan.steps;
    scene_add(&scene, &scene.candidate, &plan, NULL);
    struct verdict verdict = scene_judge(&scene);
    assert_int_equal(verdict.status, VERDICT_INCONCLUSIVE);
    assert_string_equal(verdict_reason_text(&verdict, "warmup_only"),
                        "Candidate p2 holds warm-up steps alone.");
    assert_int_equal(verdict.op_count, 0);
    scene_done(&scene);
}

static void reads_step_times_of_older_documents(void **state)
{
    (void)state;
    struct scene scene;
    struct summary_plan plan;
    summary_plan_default(&plan);
    scene_init(&scene);
    plan.without_ours = true;
    scene_add(&scene, &scene.baseline, &plan, NULL);
    scene_add_history(&scene, &plan);
    plan.step_us *= 1.2;
    scene_add(&scene, &scene.candidate, &plan, NULL);
    struct verdict verdict = scene_judge(&scene);
    assert_int_equal(verdict.status, VERDICT_FAIL);
    assert_false(verdict.balance.known);
    assert_int_equal(verdict.op_count, 0);
    scene_done(&scene);
}

/* "estimates +10.0 % ... beyond the 10.0 % that matter" would contradict itself. */
static void prints_so_many_digits_that_an_estimate_is_beyond_what_matters(void **state)
{
    (void)state;
    double estimate_pct = 0;
    for (int pass = 0; pass < 2; pass++) {
        struct scene scene;
        char estimate[32], matters[48];
        scene_fill_noisy(&scene, 7, 0.1, NULL);
        scene.policy.min_effect_pct = pass == 0 ? 2 : estimate_pct - 0.003;
        struct verdict verdict = scene_judge(&scene);
        assert_int_equal(verdict.status, VERDICT_FAIL);
        estimate_pct = verdict.statistics.estimate_pct.value;
        const int decimals = format_decimals_apart(estimate_pct, scene.policy.min_effect_pct);
        (void)snprintf(estimate, sizeof estimate, "estimates %+.*f %%", decimals, estimate_pct);
        (void)snprintf(matters, sizeof matters, "beyond the %.*f %% that matter", decimals,
                       scene.policy.min_effect_pct);
        assert_int_equal(decimals > 1, pass == 1);
        assert_non_null(strstr(verdict.reasons[0].text, estimate));
        assert_non_null(strstr(verdict.reasons[0].text, matters));
        scene_done(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decides_by_the_table_of_the_rule),
        cmocka_unit_test(detects_what_the_formula_says),
        cmocka_unit_test(turns_one_test_into_p_and_interval),
        cmocka_unit_test(passes_nothing_with_fewer_than_six_past_runs),
        cmocka_unit_test(counts_history_among_the_past_runs),
        cmocka_unit_test(fails_by_a_fixed_limit_only_above_it),
        cmocka_unit_test(does_what_the_policy_says_of_the_step),
        cmocka_unit_test(takes_the_median_over_baseline_runs),
        cmocka_unit_test(takes_the_median_over_the_profiles_of_a_run),
        cmocka_unit_test(minds_the_absolute_floor),
        cmocka_unit_test(says_how_many_more_runs_would_show_it),
        cmocka_unit_test(names_no_smallest_loss_that_is_larger_than_the_step),
        cmocka_unit_test(asks_for_runs_of_both_sides_when_the_baseline_is_short),
        cmocka_unit_test(is_inconclusive_without_steps),
        cmocka_unit_test(is_inconclusive_when_all_steps_are_warm_up),
        cmocka_unit_test(reads_step_times_of_older_documents),
        cmocka_unit_test(prints_so_many_digits_that_an_estimate_is_beyond_what_matters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
