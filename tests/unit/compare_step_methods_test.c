/* Tests of the choice of steps that the sides have in common. */
#include "compare/judgement/step_methods.h"
#include "tests/support/gate_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static bool says(const struct verdict *verdict, const char *part)
{
    for (size_t i = 0; i < verdict->provenance_messages.count; i++) {
        if (strstr(verdict->provenance_messages.items[i], part) != NULL)
            return true;
    }
    return false;
}

static struct summary *last_summary(struct scene_side *side)
{
    return (struct summary *)(uintptr_t)side->profiles[side->count - 1].summary;
}

/* Adds a profile whose steps are of the first method and, unless that is none, of the other too,
 * there `factor` times as long. */
static void add(struct scene *scene, struct scene_side *side, enum step_method first,
                enum step_method other, double factor)
{
    static const struct planned_op ops[] = {{"k", "kernel", NULL, 3000}};
    struct summary_plan plan;
    summary_plan_default(&plan);
    plan.seed = (uint64_t)scene->next_id + 11;
    plan.ops = ops;
    plan.op_count = 1;
    scene_add(scene, side, &plan, NULL);
    struct summary *summary = last_summary(side);
    summary->steps.method = first;
    if (other == STEPS_NONE)
        return;
    struct step_table *table = arena_new(&scene->arena, struct step_table);
    *table = summary->steps;
    table->method = other;
    table->rows = arena_array(&scene->arena, struct step_row, table->count);
    for (size_t i = 0; i < table->count; i++) {
        table->rows[i] = summary->steps.rows[i];
        table->rows[i].max_ps = (int64_t)((double)table->rows[i].max_ps * factor);
    }
    summary->other_steps = table;
    summary->other_step_count = 1;
}

static void judges_by_the_method_that_both_sides_have(void **state)
{
    (void)state;
    struct scene scene;
    scene_init(&scene);
    for (int i = 0; i < 8; i++)
        add(&scene, &scene.baseline, STEPS_MODULE_RUN, STEPS_NONE, 1);
    add(&scene, &scene.candidate, STEPS_LINE, STEPS_MODULE_RUN, 1.5);
    struct verdict verdict = scene_judge(&scene);
    const struct verdict_measure *step = verdict_measure_named(&verdict, "steady_step_median");
    assert_int_not_equal(verdict.status, VERDICT_INCOMPARABLE);
    assert_true(step->after.value > 1.4 * step->before.value);
    assert_true(says(&verdict, "by module_run, the method that both sides have in common: the "
                               "candidate and 8 of 8 baseline profiles; the ops of 1 profile "));
    assert_false(verdict_measure_named(&verdict, "op_time")->after.set);
    assert_false(verdict_measure_named(&verdict, "op_count")->after.set);
    scene_done(&scene);
}

static void keeps_ops_where_all_have_the_method_first(void **state)
{
    (void)state;
    struct scene scene;
    scene_init(&scene);
    for (int i = 0; i < 8; i++)
        add(&scene, &scene.baseline, STEPS_LINE, STEPS_MODULE_RUN, 2);
    add(&scene, &scene.candidate, STEPS_LINE, STEPS_MODULE_RUN, 1);
    struct verdict verdict = scene_judge(&scene);
    assert_false(says(&verdict, "in common"));
    assert_true(verdict_measure_named(&verdict, "op_time")->after.set);
    scene_done(&scene);
}

static void sides_of_different_methods_are_incomparable(void **state)
{
    (void)state;
    struct scene scene;
    scene_init(&scene);
    for (int i = 0; i < 8; i++)
        add(&scene, &scene.baseline, STEPS_LAUNCH, STEPS_NONE, 1);
    add(&scene, &scene.candidate, STEPS_ANNOTATION, STEPS_HOST, 1);
    struct verdict verdict = scene_judge(&scene);
    assert_int_equal(verdict.status, VERDICT_INCOMPARABLE);
    assert_string_equal(verdict.mismatches[0].field, "step_method");
    assert_string_equal(verdict.mismatches[0].baseline, "program_launch");
    assert_string_equal(verdict.mismatches[0].candidate, "step_annotation");
    scene_done(&scene);
}

static void takes_the_method_of_most_of_the_past(void **state)
{
    (void)state;
    struct scene scene;
    scene_init(&scene);
    for (int i = 0; i < 7; i++)
        add(&scene, &scene.baseline, STEPS_MODULE_RUN, STEPS_NONE, 1);
    add(&scene, &scene.baseline, STEPS_LINE, STEPS_MODULE_RUN, 1);
    add(&scene, &scene.candidate, STEPS_LINE, STEPS_MODULE_RUN, 1);
    struct verdict verdict = scene_judge(&scene);
    assert_int_equal(verdict.baseline.run_count, 8);
    assert_true(says(&verdict, "the ops of 2 profiles are of other steps"));
    scene_done(&scene);
}

static void a_past_run_may_be_a_baseline_when_it_has_a_method_in_common(void **state)
{
    (void)state;
    struct scene scene;
    const char *field;
    scene_init(&scene);
    add(&scene, &scene.baseline, STEPS_MODULE_RUN, STEPS_HOST, 1);
    add(&scene, &scene.candidate, STEPS_LINE, STEPS_MODULE_RUN, 1);
    const struct summary *past = last_summary(&scene.baseline);
    const struct summary *now = last_summary(&scene.candidate);
    const struct gate_rules rules = {&scene.policy, false};
    assert_int_equal(step_method_common(past, now), STEPS_MODULE_RUN);
    assert_true(gate_can_compare(past, now, &rules, &scene.arena, &field));
    last_summary(&scene.candidate)->other_step_count = 0;
    assert_false(gate_can_compare(past, now, &rules, &scene.arena, &field));
    assert_string_equal(field, "step_method");
    scene_done(&scene);
}

static void the_policy_fixes_warm_up_on_both_sides(void **state)
{
    (void)state;
    struct scene scene;
    scene_init(&scene);
    for (int i = 0; i < 8; i++)
        add(&scene, &scene.baseline, STEPS_LINE, STEPS_NONE, 1);
    add(&scene, &scene.candidate, STEPS_LINE, STEPS_NONE, 1);
    int64_t steps = scene_judge(&scene).candidate.step_count;
    const struct step_row *rows = last_summary(&scene.candidate)->steps.rows;
    scene.policy.warmup_steps = (double)rows[0].number + 3;
    struct verdict verdict = scene_judge(&scene);
    assert_int_equal(verdict.candidate.step_count, steps - 3);
    assert_int_equal(verdict.baseline.step_count, 8 * (steps - 3));
    assert_true(says(&verdict, "The policy fixes warm-up to the steps below"));
    scene.policy.warmup_steps = (double)rows[0].number;
    verdict = scene_judge(&scene);
    assert_int_equal(verdict.candidate.step_count, steps);
    assert_false(says(&verdict, "The policy fixes warm-up"));
    scene_done(&scene);
}

static void steps_of_different_programs_are_not_compared(void **state)
{
    (void)state;
    struct scene scene;
    scene_init(&scene);
    for (int i = 0; i < 8; i++) {
        add(&scene, &scene.baseline, STEPS_LAUNCH, STEPS_NONE, 1);
        last_summary(&scene.baseline)->steps.program = "jit_train_step";
    }
    add(&scene, &scene.candidate, STEPS_LAUNCH, STEPS_NONE, 1);
    last_summary(&scene.candidate)->steps.program = "jit_train_step";
    assert_int_not_equal(scene_judge(&scene).status, VERDICT_INCOMPARABLE);
    last_summary(&scene.candidate)->steps.program = "jit_eval_step";
    struct verdict verdict = scene_judge(&scene);
    assert_int_equal(verdict.status, VERDICT_INCOMPARABLE);
    assert_string_equal(verdict.mismatches[0].baseline, "program_launch of jit_train_step");
    assert_string_equal(verdict.mismatches[0].candidate, "program_launch of jit_eval_step");
    scene_done(&scene);
}

static void annotations_of_another_expression_are_not_compared(void **state)
{
    (void)state;
    static const char *const named[][2] = {
        {"lap ([0-9]+)", "turn ([0-9]+)"}, {"lap ([0-9]+)", NULL}, {NULL, "turn ([0-9]+)"}};
    struct scene scene;
    for (size_t k = 0; k < sizeof named / sizeof *named; k++) {
        scene_init(&scene);
        for (int i = 0; i < 8; i++) {
            add(&scene, &scene.baseline, STEPS_ANNOTATION, STEPS_NONE, 1);
            last_summary(&scene.baseline)->steps.program = named[k][0];
        }
        add(&scene, &scene.candidate, STEPS_ANNOTATION, STEPS_NONE, 1);
        last_summary(&scene.candidate)->steps.program = named[k][0];
        assert_int_not_equal(scene_judge(&scene).status, VERDICT_INCOMPARABLE);
        last_summary(&scene.candidate)->steps.program = named[k][1];
        struct verdict verdict = scene_judge(&scene);
        assert_int_equal(verdict.status, VERDICT_INCOMPARABLE);
        assert_string_equal(verdict.mismatches[0].field, "step_method");
        scene_done(&scene);
    }
}

static void a_text_tells_method_and_program(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, 1 << 16);
    static const char *const texts[] = {"steps_line", "module_run of jit_f", "host_call of a of b"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct step_table table = {0};
        step_table_named(texts[i], &table);
        assert_int_not_equal(table.method, STEPS_NONE);
        assert_string_equal(step_table_text(&table, &arena), texts[i]);
    }
    struct step_table unknown = {0};
    step_table_named("steps", &unknown);
    assert_int_equal(unknown.method, STEPS_NONE);
}

static void says_when_warm_up_was_told_in_two_ways(void **state)
{
    (void)state;
    struct scene scene;
    scene_init(&scene);
    for (int i = 0; i < 8; i++)
        add(&scene, &scene.baseline, STEPS_LINE, STEPS_NONE, 1);
    add(&scene, &scene.candidate, STEPS_LINE, STEPS_NONE, 1);
    struct verdict verdict = scene_judge(&scene);
    assert_false(says(&verdict, "Warm-up was fixed"));
    last_summary(&scene.candidate)->producer.warmup_fixed = true;
    verdict = scene_judge(&scene);
    assert_true(says(&verdict, "fixed by number in 1 and read from the data in 8 profiles"));
    scene.policy.warmup_steps = 0;
    verdict = scene_judge(&scene);
    assert_false(says(&verdict, "Warm-up was fixed"));
    scene_done(&scene);
}

static void numbers_of_the_reader_are_not_fixed(void **state)
{
    (void)state;
    struct scene scene;
    scene_init(&scene);
    for (int i = 0; i < 8; i++)
        add(&scene, &scene.baseline, STEPS_LAUNCH, STEPS_NONE, 1);
    add(&scene, &scene.candidate, STEPS_LAUNCH, STEPS_NONE, 1);
    int64_t steps = scene_judge(&scene).candidate.step_count;
    scene.policy.warmup_steps = 1e6;
    assert_int_equal(scene_judge(&scene).candidate.step_count, steps);
    scene_done(&scene);
}

/* Adds a profile of so many steps, the first of them longer; nobody has told them warm-up. */
static void add_short(struct scene *scene, struct scene_side *side, int64_t steps, size_t first,
                      double factor)
{
    struct summary_plan plan;
    summary_plan_default(&plan);
    plan.seed = (uint64_t)scene->next_id + 11;
    plan.step_sd = 0.02;
    plan.steps = steps;
    plan.warmup = 0;
    scene_add(scene, side, &plan, NULL);
    struct step_row *rows = last_summary(side)->steps.rows;
    for (size_t i = 0; i < first; i++)
        rows[i].max_ps = (int64_t)((double)rows[i].max_ps * factor);
}

static void warm_up_of_short_captures_is_told_by_the_noise_of_past_runs(void **state)
{
    (void)state;
    static const struct {
        int64_t steps;
        size_t first;
        double factor;
        size_t left_out;
        double last; /* times as long the last step is */
    } cases[] = {
        {2, 1, 1.8, 1, 1}, {3, 1, 2, 1, 1},    {5, 3, 1.8, 3, 1},  {5, 0, 1, 0, 1},
        {2, 0, 1, 0, 1},   {1, 1, 1.8, 0, 1},  {2, 1, 1.05, 0, 1}, {5, 5, 1.8, 0, 1},
        {9, 0, 1, 0, 1},   {6, 5, 1.8, 0, .8}, {3, 2, 1.8, 0, .8}}; /* the end cut the last step */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene scene;
        scene_init(&scene);
        for (int run = 0; run < 8; run++)
            add_short(&scene, &scene.baseline, 5, 0, 1);
        add_short(&scene, &scene.candidate, cases[i].steps, cases[i].first, cases[i].factor);
        struct step_table *steps = &last_summary(&scene.candidate)->steps;
        double last = (double)steps->rows[steps->count - 1].max_ps * cases[i].last;
        steps->rows[steps->count - 1].max_ps = (int64_t)last;
        struct verdict verdict = scene_judge(&scene);
        assert_int_equal(verdict.candidate.step_count, cases[i].steps - (int)cases[i].left_out);
        assert_int_equal(verdict.baseline.step_count, 8 * 5);
        assert_int_equal(says(&verdict, "The first steps of 1 short capture are left out"),
                         cases[i].left_out > 0);
        scene_done(&scene);
    }
}

/* Only the last step is where past runs are: neither it alone nor those before it are judged. */
static void a_capture_that_ends_before_its_steps_settle_is_not_judged(void **state)
{
    (void)state;
    static const size_t firsts[] = {4, 3};
    for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++) {
        struct scene scene;
        scene_init(&scene);
        for (int run = 0; run < 8; run++)
            add_short(&scene, &scene.baseline, 5, 0, 1);
        add_short(&scene, &scene.candidate, 5, firsts[i], 1.8);
        if (firsts[i] == 3) /* the fourth a little longer still */
            last_summary(&scene.candidate)->steps.rows[3].max_ps += 1000 * (int64_t)1000000;
        struct verdict verdict = scene_judge(&scene);
        assert_int_equal(verdict.status, VERDICT_INCONCLUSIVE);
        assert_string_equal(verdict.rule_id, "data");
        assert_true(says(&verdict, "The first steps of 1 short capture are left out"));
        scene_done(&scene);
    }
}

/* What three of four past captures begin with tells no noise: the steps behind it do. */
static void warm_up_that_past_captures_have_in_common_is_left_out_on_both_sides(void **state)
{
    (void)state;
    for (size_t first = 3; first <= 4; first++) {
        struct scene scene;
        scene_init(&scene);
        for (int run = 0; run < 8; run++)
            add_short(&scene, &scene.baseline, 5, first, 1.8);
        add_short(&scene, &scene.candidate, 5, first - 1, 1.8);
        struct verdict verdict = scene_judge(&scene);
        assert_int_equal(verdict.baseline.step_count, 8 * (5 - (int)first));
        assert_int_equal(verdict.candidate.step_count, 5 - (int)first + 1);
        assert_true(says(&verdict, "The first steps of 9 short captures are left out"));
        scene_done(&scene);
    }
}

/* What was cut off is no step: it makes no warm-up of the steps before, and stays left out. */
static void a_step_that_was_cut_says_nothing_of_the_others(void **state)
{
    (void)state;
    static const struct {
        int64_t steps;
        size_t first;
        double factor;
        int step_count;
    } cases[] = {{2, 1, 1.3, 1}, {3, 2, 1.3, 2}, {3, 1, 2, 1}, {6, 0, 1, 5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scene scene;
        scene_init(&scene);
        for (int run = 0; run < 8; run++)
            add_short(&scene, &scene.baseline, 5, 0, 1);
        add_short(&scene, &scene.candidate, cases[i].steps, cases[i].first, cases[i].factor);
        struct step_row *last = &last_summary(&scene.candidate)->steps.rows[cases[i].steps - 1];
        last->max_ps /= 2;
        last->warmup = true;
        last->warmup_reason = WARMUP_CUT;
        last_summary(&scene.candidate)->steps.steady_count--;
        struct verdict verdict = scene_judge(&scene);
        assert_int_equal(verdict.candidate.step_count, cases[i].step_count);
        assert_int_equal(says(&verdict, "The first steps of 1 short capture are left out"),
                         cases[i].factor == 2);
        scene_done(&scene);
    }
}

static void what_past_runs_do_not_tell_is_left_as_it_was_read(void **state)
{
    (void)state;
    struct scene scene;
    scene_init(&scene);
    add_short(&scene, &scene.candidate, 2, 1, 1.8);
    for (int run = 0; run < 2; run++)
        add_short(&scene, &scene.baseline, 20, 0, 1);
    assert_int_equal(scene_judge(&scene).candidate.step_count, 2);
    add_short(&scene, &scene.baseline, 20, 0, 1);
    assert_int_equal(scene_judge(&scene).candidate.step_count, 1);
    last_summary(&scene.candidate)->producer.warmup_fixed = true;
    assert_int_equal(scene_judge(&scene).candidate.step_count, 2);
    scene_done(&scene);
}

static void heavy_steps_that_come_back_are_no_warm_up(void **state)
{
    (void)state;
    struct scene scene;
    scene_init(&scene);
    for (int run = 0; run < 8; run++) {
        add_short(&scene, &scene.baseline, 20, 0, 1);
        struct step_row *rows = last_summary(&scene.baseline)->steps.rows;
        for (size_t i = 4; i < 20; i += 5)
            rows[i].max_ps *= 2;
    }
    add_short(&scene, &scene.candidate, 4, 1, 2);
    assert_int_equal(scene_judge(&scene).candidate.step_count, 4);
    scene_done(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judges_by_the_method_that_both_sides_have),
        cmocka_unit_test(keeps_ops_where_all_have_the_method_first),
        cmocka_unit_test(sides_of_different_methods_are_incomparable),
        cmocka_unit_test(takes_the_method_of_most_of_the_past),
        cmocka_unit_test(a_past_run_may_be_a_baseline_when_it_has_a_method_in_common),
        cmocka_unit_test(the_policy_fixes_warm_up_on_both_sides),
        cmocka_unit_test(steps_of_different_programs_are_not_compared),
        cmocka_unit_test(annotations_of_another_expression_are_not_compared),
        cmocka_unit_test(a_text_tells_method_and_program),
        cmocka_unit_test(says_when_warm_up_was_told_in_two_ways),
        cmocka_unit_test(numbers_of_the_reader_are_not_fixed),
        cmocka_unit_test(warm_up_of_short_captures_is_told_by_the_noise_of_past_runs),
        cmocka_unit_test(a_capture_that_ends_before_its_steps_settle_is_not_judged),
        cmocka_unit_test(warm_up_that_past_captures_have_in_common_is_left_out_on_both_sides),
        cmocka_unit_test(a_step_that_was_cut_says_nothing_of_the_others),
        cmocka_unit_test(what_past_runs_do_not_tell_is_left_as_it_was_read),
        cmocka_unit_test(heavy_steps_that_come_back_are_no_warm_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
