/* Tests of the gate as a whole: properties that hold for every input, measures, devices,
 * evidence, and what happens when memory runs out. */
#include "compare/gate/gate.h"
#include "ops/runtime/json.h"
#include "tests/support/assert_number.h"
#include "tests/support/gate_fixture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void assert_same_bytes(const struct verdict *a, const struct verdict *b)
{
    struct err err = {0};
    scoped_json *left = verdict_to_json(a), *right = verdict_to_json(b);
    scoped_text one, two;
    text_init(&one, 1 << 20);
    text_init(&two, 1 << 20);
    json_print(left, JSON_STYLE_INDENTED, &one);
    json_print(right, JSON_STYLE_INDENTED, &two);
    assert_true(text_ok(&one, "the verdict", &err));
    assert_string_equal(text_string(&one), text_string(&two));
}

/* ---- properties ------------------------------------------------------------------------------ */

static void gives_the_same_bytes_for_the_same_input(void **state)
{
    (void)state;
    struct scene scene;
    scene_fill_noisy(&scene, 5, 0.03, NULL);
    struct verdict first = scene_judge(&scene), second = scene_judge(&scene);
    assert_same_bytes(&first, &second);
    assert_int_equal(strlen(first.evidence_sha256), 64);
    assert_int_equal(strlen(first.policy_sha256), 64);
    scene_done(&scene);
}

static void reverse(struct scene_side *side)
{
    for (size_t i = 0; i < side->count / 2; i++) {
        struct gate_profile moved = side->profiles[i];
        side->profiles[i] = side->profiles[side->count - 1 - i];
        side->profiles[side->count - 1 - i] = moved;
    }
}

static void reverse_ops(struct scene_side *side)
{
    for (size_t i = 0; i < side->count; i++) {
        struct summary *summary = (struct summary *)side->profiles[i].summary;
        for (size_t j = 0; j < summary->op_count / 2; j++) {
            struct op_row moved = summary->ops[j];
            summary->ops[j] = summary->ops[summary->op_count - 1 - j];
            summary->ops[summary->op_count - 1 - j] = moved;
        }
    }
}

static void does_not_mind_the_order_of_profiles_and_ops(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct scene scene;
        scene_fill_noisy(&scene, seed, 0.03, NULL);
        struct verdict straight = scene_judge(&scene);
        reverse(&scene.baseline);
        reverse(&scene.candidate);
        reverse_ops(&scene.baseline);
        reverse_ops(&scene.candidate);
        struct verdict turned = scene_judge(&scene);
        assert_same_bytes(&straight, &turned);
        scene_done(&scene);
    }
}

/* Backwards, steps drift the other way and are as correlated as before. */
static void does_not_mind_the_direction_of_steps(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct scene scene;
        scene_fill_noisy(&scene, seed, 0.03, NULL);
        struct verdict straight = scene_judge(&scene);
        for (size_t i = 0; i < scene.candidate.count; i++) {
            struct summary *summary = (struct summary *)scene.candidate.profiles[i].summary;
            for (size_t j = 0; j < summary->steps.count / 2; j++) {
                struct step_row *rows = summary->steps.rows, moved = rows[j];
                rows[j] = rows[summary->steps.count - 1 - j];
                rows[summary->steps.count - 1 - j] = moved;
            }
        }
        struct verdict turned = scene_judge(&scene);
        assert_int_equal(turned.status, straight.status);
        assert_close(turned.statistics.p.value, straight.statistics.p.value, 1e-9);
        assert_close(turned.statistics.autocorrelation.value,
                     straight.statistics.autocorrelation.value, 1e-9);
        scene_done(&scene);
    }
}

static void changes_sign_when_the_sides_are_swapped(void **state)
{
    (void)state;
    size_t whole = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct scene scene;
        scene_fill_noisy(&scene, seed, 0.04, NULL);
        struct verdict there = scene_judge(&scene);
        struct scene_side moved = scene.baseline;
        scene.baseline = scene.candidate;
        scene.candidate = moved;
        scene.policy.min_past_runs = 2; /* both ways by statistics */
        struct verdict back = scene_judge(&scene);
        /* the past has more to say than the candidate, so not to the last digit */
        assert_true(there.statistics.estimate_pct.value > 2);
        assert_true(back.statistics.estimate_pct.value < -2);
        assert_true(there.statistics.p.value < 0.1 && back.statistics.p.value > 0.9);
        if (there.baseline.set_aside_count > 0) {
            scene_done(&scene);
            continue; /* nothing is set aside of three runs */
        }
        whole++;
        assert_number(back.balance.step_delta_us, -there.balance.step_delta_us, 1e-6);
        assert_number(back.balance.ops_delta_us, -there.balance.ops_delta_us, 1e-6);
        assert_number(back.balance.residual_us, -there.balance.residual_us, 1e-6);
        assert_int_equal(back.op_count, there.op_count);
        assert_int_not_equal(back.status, VERDICT_FAIL);
        for (size_t i = 0; i < there.measure_count; i++)
            assert_number(back.measures[i].delta.value, -there.measures[i].delta.value, 1e-6);
        scene_done(&scene);
    }
    assert_true(whole >= 10);
}

/* Times that are all twice as long make the same verdict, with times twice as long. */
static void scales_with_time(void **state)
{
    (void)state;
    static const double noise[] = {0, 0.01, -0.012, 0.004, -0.006, 0.008, -0.003, 0.011};
    static const double changes[] = {-0.05, 0, 0.015, 0.025, 0.1};
    for (size_t i = 0; i < COUNT(changes); i++) {
        struct verdict verdicts[2];
        struct scene scenes[2];
        for (int twice = 0; twice <= 1; twice++) {
            struct summary_plan plan;
            summary_plan_default(&plan);
            struct planned_op op = {"op", "op", NULL, 1000 * (1 + twice)};
            plan.step_us = 200000 * (1 + twice);
            plan.ops = &op;
            plan.op_count = 1;
            scene_init(&scenes[twice]);
            scene_add_runs(&scenes[twice], &scenes[twice].baseline, &plan, noise, COUNT(noise));
            op.us *= 1.5;
            scene_add_runs(&scenes[twice], &scenes[twice].candidate, &plan, &changes[i], 1);
            verdicts[twice] = scene_judge(&scenes[twice]);
        }
        const struct verdict *once = &verdicts[0], *doubled = &verdicts[1];
        assert_int_equal(once->status, doubled->status);
        assert_number(once->statistics.estimate_pct.value, doubled->statistics.estimate_pct.value,
                      1e-9);
        assert_number(once->statistics.p.value, doubled->statistics.p.value, 1e-9);
        assert_number(2 * once->balance.step_delta_us, doubled->balance.step_delta_us, 1e-5);
        assert_number(2 * once->ops[0].delta_us, doubled->ops[0].delta_us, 1e-6);
        scene_done(&scenes[0]);
        scene_done(&scenes[1]);
    }
}

/* ---- measures and devices -------------------------------------------------------------------- */

static void warns_or_fails_by_measures_as_the_policy_says(void **state)
{
    (void)state;
    static const struct {
        int64_t idle_percent;
        enum measure_action action;
        enum verdict_status status;
        const char *measure_status;
    } cases[] = {
        {14, MEASURE_WARN, VERDICT_PASS, "ok"},
        {16, MEASURE_WARN, VERDICT_WARN, "warn"},
        {16, MEASURE_FAIL, VERDICT_FAIL, "fail"},
        {16, MEASURE_INFO, VERDICT_PASS, "ok"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct summary_plan plan;
        struct scene scene;
        summary_plan_default(&plan);
        scene_init(&scene);
        scene.policy.measures[MEASURE_device_idle_share].action = cases[i].action;
        scene_add(&scene, &scene.baseline, &plan, NULL);
        scene_add(&scene, &scene.candidate, &plan, NULL);
        scene_add_history(&scene, &plan);
        struct summary *summary = (struct summary *)scene.candidate.profiles[0].summary;
        for (size_t d = 0; d < summary->device_count; d++)
            summary->devices[d].idle_ps =
                summary->devices[d].window_ps / 100 * cases[i].idle_percent;
        struct verdict verdict = scene_judge(&scene);
        assert_int_equal(verdict.status, cases[i].status);
        const struct verdict_measure *measure =
            verdict_measure_named(&verdict, "device_idle_share");
        assert_string_equal(measure->status, cases[i].measure_status);
        /* where it decides nothing, a limit beside "ok" would contradict */
        assert_int_equal(measure->limit.set, cases[i].action != MEASURE_INFO);
        assert_number(measure->limit.value, measure->limit.set ? 0.05 : 0, 0);
        if (cases[i].status != VERDICT_PASS) {
            assert_string_equal(verdict.reasons[0].code, "device_idle_share_increased");
            assert_string_equal(verdict.rule_id, "measure_limits");
        }
        scene_done(&scene);
    }
}

static void lets_no_warning_hide_that_nothing_is_known(void **state)
{
    (void)state;
    struct summary_plan plan;
    struct scene scene;
    summary_plan_default(&plan);
    scene_init(&scene);
    plan.steps = 0;
    scene_add(&scene, &scene.baseline, &plan, NULL);
    scene_add(&scene, &scene.candidate, &plan, NULL);
    struct summary *summary = (struct summary *)scene.candidate.profiles[0].summary;
    summary->time_breakdown.total_duration = 1;
    summary->time_breakdown.part[PART_STALL].share_of_total = 0.5;
    struct summary *before = (struct summary *)scene.baseline.profiles[0].summary;
    before->time_breakdown.total_duration = 1;
    struct verdict verdict = scene_judge(&scene);
    assert_int_equal(verdict.status, VERDICT_INCONCLUSIVE);
    assert_string_equal(verdict_measure_named(&verdict, "stall_share")->status, "warn");
    scene_done(&scene);
}

/* Both rules fail: step time keeps the word. */
static void names_the_rule_that_failed_first(void **state)
{
    (void)state;
    struct scene scene;
    scene_fill_noisy(&scene, 3, 0.2, NULL);
    scene.policy.measures[MEASURE_steady_step_p90].action = MEASURE_FAIL;
    struct verdict verdict = scene_judge(&scene);
    assert_int_equal(verdict.status, VERDICT_FAIL);
    assert_string_equal(verdict.rule_id, "run_statistics");
    assert_string_equal(verdict.reasons[0].code, "step_median_regressed");
    assert_non_null(verdict_reason_text(&verdict, "steady_step_p90_increased"));
    scene_done(&scene);
}

static void says_whether_all_devices_slowed_down_or_one(void **state)
{
    (void)state;
    static const struct {
        double all, last;
        const char *text;
    } cases[] = {
        {1, 1, "None of the 4 devices is slower by more than 2.0 %."},
        {1.1, 1, "All 4 devices are slower, by 10.0 %."},
        {1, 1.25, "1 of 4 devices is slower, /device:TPU:3: +25.0 %."},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct summary_plan plan;
        struct scene scene;
        summary_plan_default(&plan);
        scene_init(&scene);
        scene_add(&scene, &scene.baseline, &plan, NULL);
        plan.step_us *= cases[i].all;
        plan.slow_factor = cases[i].last;
        scene_add(&scene, &scene.candidate, &plan, NULL);
        struct verdict verdict = scene_judge(&scene);
        assert_string_equal(verdict.slow_devices, cases[i].text);
        scene_done(&scene);
    }
}

static void names_the_host_whose_devices_are_slow(void **state)
{
    (void)state;
    struct summary_plan plan;
    struct scene scene;
    summary_plan_default(&plan);
    scene_init(&scene);
    scene_add(&scene, &scene.baseline, &plan, NULL);
    scene_add(&scene, &scene.candidate, &plan, NULL);
    struct device_row *devices = scene.candidate.profiles[0].summary->devices;
    for (size_t i = 0; i < 4; i++) {
        devices[i].host = i < 2 ? "a" : "b";
        devices[i].steady_step_median_ps += i < 2 ? 0 : 1000000000;
    }
    struct verdict verdict = scene_judge(&scene);
    assert_string_equal(verdict.slow_devices, "2 of 4 devices are slower, all on host b, most of "
                                              "all /device:TPU:2: +10.0 %.");
    assert_string_equal(verdict_reason_text(&verdict, "devices_differ"), verdict.slow_devices);
    devices[0].steady_step_median_ps += 500000000;
    verdict = scene_judge(&scene);
    assert_string_equal(verdict.slow_devices,
                        "2 of 4 devices are slower than the others, all on host b, most of all "
                        "/device:TPU:2: +10.0 %, the median device +5.0 %.");
    assert_string_equal(verdict_reason_text(&verdict, "devices_differ"), verdict.slow_devices);
    devices[0].steady_step_median_ps += 500000000;
    verdict = scene_judge(&scene);
    assert_string_equal(verdict.slow_devices,
                        "3 of 4 devices are slower, most of all /device:TPU:0: +10.0 %.");
    assert_null(verdict_reason_text(&verdict, "devices_differ")); /* most: an op may be the cause */
    scene_done(&scene);
}

static void cuts_long_names_between_characters(void **state)
{
    (void)state;
    struct planned_op op = {"s", NULL, NULL, 1000};
    struct summary_plan plan;
    struct scene scene;
    summary_plan_default(&plan);
    scene_init(&scene);
    char name[400] = "k";
    for (size_t i = 1; i + 4 < sizeof name; i += 3)
        memcpy(name + i, "\u20ac", 4);
    op.name = name;
    plan.ops = &op;
    plan.op_count = 1;
    scene_add(&scene, &scene.baseline, &plan, NULL);
    op.us = 2000;
    scene_add(&scene, &scene.candidate, &plan, NULL);
    struct verdict verdict = scene_judge(&scene);
    const char *text = verdict_reason_text(&verdict, "op_suspected");
    assert_int_equal(text_utf8_valid(text, strlen(text)), strlen(text));
    assert_non_null(strstr(text, "\u20ac... (slower)"));
    assert_string_equal(verdict.ops[0].name, name);
    scene_done(&scene);
}

static void shows_one_slow_device_in_step_time_and_skew(void **state)
{
    (void)state;
    struct summary_plan plan;
    struct scene scene;
    summary_plan_default(&plan);
    scene_init(&scene);
    scene_add(&scene, &scene.baseline, &plan, NULL);
    scene_add_history(&scene, &plan);
    plan.slow_factor = 1.1;
    scene_add(&scene, &scene.candidate, &plan, NULL);
    struct verdict verdict = scene_judge(&scene);
    assert_int_equal(verdict.status, VERDICT_FAIL); /* a step ends with its slowest device */
    assert_number(verdict.candidate.step_median_us.value, 11000, 1e-6);
    assert_number(verdict_measure_named(&verdict, "device_skew")->after.value, 1.1, 1e-9);
    assert_string_equal(verdict_measure_named(&verdict, "device_skew")->status, "warn");
    scene_done(&scene);
}

/* ---- inputs, evidence, memory ---------------------------------------------------------------- */

static void wants_both_sides(void **state)
{
    (void)state;
    struct summary_plan plan;
    struct scene scene;
    summary_plan_default(&plan);
    scene_init(&scene);
    scene_add(&scene, &scene.candidate, &plan, NULL);
    struct gate_input input = {.candidate = {scene.candidate.profiles, 1, NULL}};
    struct verdict verdict;
    struct err err = {0};
    assert_false(gate_judge(&input, &scene.arena, &verdict, &err));
    assert_int_equal(err.kind, ERR_MISSING);
    assert_non_null(strstr(err.text, "baseline"));
    input = (struct gate_input){.baseline = {scene.candidate.profiles, 1, NULL}};
    assert_false(gate_judge(&input, &scene.arena, &verdict, &err));
    assert_int_equal(err.kind, ERR_MISSING);
    scene_done(&scene);
}

static void changes_its_hashes_with_input_and_policy(void **state)
{
    (void)state;
    struct scene scene;
    scene_fill_noisy(&scene, 9, 0.01, NULL);
    struct verdict first = scene_judge(&scene);
    scene.policy.min_effect_pct = 3;
    struct verdict other_policy = scene_judge(&scene);
    assert_string_not_equal(first.policy_sha256, other_policy.policy_sha256);
    assert_string_not_equal(first.evidence_sha256, other_policy.evidence_sha256);
    gate_policy_default(&scene.policy);
    ((struct summary *)scene.baseline.profiles[0].summary)->ops[0].steady_self_ps += 1000000000;
    struct verdict other_input = scene_judge(&scene);
    assert_string_equal(first.policy_sha256, other_input.policy_sha256);
    assert_string_not_equal(first.evidence_sha256, other_input.evidence_sha256);
    scene.baseline.profiles[0].summary->steps.rows[0].spans[0].duration_ps += 1000000000;
    struct verdict other_span = scene_judge(&scene);
    assert_string_not_equal(other_input.evidence_sha256, other_span.evidence_sha256);
    scene_done(&scene);
}

static void writes_the_policy_as_text(void **state)
{
    (void)state;
    struct gate_policy policy;
    scoped_arena arena;
    arena_init(&arena, 1 << 16);
    gate_policy_default(&policy);
    const char *text = gate_policy_text(&policy, &arena);
    assert_non_null(strstr(text, "min_effect_pct = 2.0\n"));
    assert_non_null(
        strstr(text, "[measure steady_step_median]\naction = fail\nlimit_pct = none\n"));
    assert_non_null(strstr(text, "device_count = strict\n"));
}

static void names_what_both_sides_are(void **state)
{
    (void)state;
    struct scene scene;
    scene_fill_noisy(&scene, 2, 0, NULL);
    scene.candidate.profiles[0].label = "nightly";
    scene.candidate.profiles[1].branch = "other";
    scene.baseline.profiles[0].commit = "abc";
    struct verdict verdict = scene_judge(&scene);
    assert_string_equal(verdict.project, "demo");
    assert_string_equal(verdict.created_at_utc, "2026-01-02T03:04:05.000000Z");
    assert_string_equal(verdict.baseline.branch, "main");
    assert_null(verdict.baseline.commit); /* only one of them has it */
    assert_null(verdict.candidate.branch);
    assert_int_equal(verdict.candidate.labels.count, 1);
    assert_string_equal(verdict.candidate.labels.items[0], "nightly");
    assert_string_equal(verdict.baseline.profile_ids.items[8], "p9");
    assert_string_equal(verdict.baseline.profile_ids.items[9], "p10"); /* as people count */
    assert_int_equal(verdict.candidate.step_count, 60);
    scene_done(&scene);
}

/* Every smaller budget is an error that says so, and nothing else. */
static void reports_a_budget_that_is_too_small(void **state)
{
    (void)state;
    struct scene scene;
    scene_fill_noisy(&scene, 4, 0.05, "same");
    ((struct environment *)&scene.candidate.profiles[1].summary->environment)->topology = "x";
    const struct gate_input input = {
        .baseline = {scene.baseline.profiles, scene.baseline.count, NULL},
        .candidate = {scene.candidate.profiles, scene.candidate.count, NULL},
    };
    int refused = 0;
    for (size_t budget = 64; budget < (size_t)8 << 20; budget += budget / 16 + 64) {
        scoped_arena arena;
        arena_init(&arena, budget);
        struct verdict verdict;
        struct err err = {0};
        if (gate_judge(&input, &arena, &verdict, &err)) {
            assert_true(refused > 20);
            scene_done(&scene);
            return;
        }
        assert_int_equal(err.kind, ERR_LIMIT);
        refused++;
    }
    fail_msg("no budget was enough");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_same_bytes_for_the_same_input),
        cmocka_unit_test(does_not_mind_the_order_of_profiles_and_ops),
        cmocka_unit_test(does_not_mind_the_direction_of_steps),
        cmocka_unit_test(changes_sign_when_the_sides_are_swapped),
        cmocka_unit_test(scales_with_time),
        cmocka_unit_test(warns_or_fails_by_measures_as_the_policy_says),
        cmocka_unit_test(lets_no_warning_hide_that_nothing_is_known),
        cmocka_unit_test(names_the_rule_that_failed_first),
        cmocka_unit_test(says_whether_all_devices_slowed_down_or_one),
        cmocka_unit_test(names_the_host_whose_devices_are_slow),
        cmocka_unit_test(cuts_long_names_between_characters),
        cmocka_unit_test(shows_one_slow_device_in_step_time_and_skew),
        cmocka_unit_test(wants_both_sides),
        cmocka_unit_test(changes_its_hashes_with_input_and_policy),
        cmocka_unit_test(writes_the_policy_as_text),
        cmocka_unit_test(names_what_both_sides_are),
        cmocka_unit_test(reports_a_budget_that_is_too_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
