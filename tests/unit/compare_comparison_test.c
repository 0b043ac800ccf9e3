/* Tests of compare/reference/comparison, provenance_checks and track on summaries built by hand.
 * Whole documents are compared with the reference's in tests/e2e. */
#include "compare/reference/comparison.h"
#include "compare/reference/provenance_checks.h"
#include "compare/reference/track.h"
#include "tests/support/assert_number.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

struct pair {
    struct arena arena;
    struct summary before, after;
    struct comparison comparison;
};

static void pair_start(struct pair *pair)
{
    *pair = (struct pair){0};
    arena_init(&pair->arena, 1 << 20);
    pair->before.source_path = "before";
    pair->after.source_path = "after";
    pair->before.trace_provenance.trace_sha256 = "bb";
    pair->after.trace_provenance.trace_sha256 = "aa";
}

static void pair_compare(struct pair *pair, int64_t top_k)
{
    struct err err = {0};
    if (!comparison_make(&pair->before, &pair->after, top_k, &pair->arena, &pair->comparison, &err))
        fail_msg("%s", err.text);
}

static struct hot_op hot(const char *name, double exclusive)
{
    return (struct hot_op){
        .name = name, .canonical_name = name, .exclusive_duration = exclusive, .count = 1};
}

static void joins_ops_by_exact_name(void **state)
{
    (void)state;
    struct pair pair;
    pair_start(&pair);
    struct hot_op before[] = {hot("a", 10), hot("gone", 4), hot("same", 3), hot("dup", 1),
                              hot("dup", 7)};
    struct hot_op after[] = {hot("a", 12), hot("new", 2), hot("same", 3), hot("dup", 5),
                             hot("b", 2)};
    pair.before.hot_ops = before;
    pair.before.hot_op_count = COUNT(before);
    pair.after.hot_ops = after;
    pair.after.hot_op_count = COUNT(after);
    pair_compare(&pair, 10);
    const struct comparison *c = &pair.comparison;
    assert_int_equal(c->regressed_op_count, 3);
    assert_string_equal(c->regressed_ops[0].name, "a"); /* ties by name */
    assert_string_equal(c->regressed_ops[1].name, "b");
    assert_string_equal(c->regressed_ops[2].name, "new");
    assert_number(c->regressed_ops[2].before, 0, 0);
    assert_int_equal(c->improved_op_count, 2);
    assert_string_equal(c->improved_ops[0].name, "gone");
    assert_string_equal(c->improved_ops[1].name, "dup");
    assert_number(c->improved_ops[1].before, 7, 0); /* the last of a name counts */
    arena_done(&pair.arena);
}

static void an_op_that_is_not_listed_took_no_more_than_the_last_one(void **state)
{
    (void)state;
    struct pair pair;
    pair_start(&pair);
    struct hot_op before[] = {hot("a", 10), hot("left", 6), hot("c", 5)};
    struct hot_op after[] = {hot("a", 9), hot("b", 8), hot("c", 7)};
    pair.before.hot_ops = before;
    pair.after.hot_ops = after;
    pair.before.hot_op_count = pair.after.hot_op_count = COUNT(before);
    pair_compare(&pair, 10); /* of another tool's nothing is known */
    assert_false(pair.comparison.improved_ops[0].after_at_most.set);
    assert_false(pair.comparison.has_notes);
    pair.before.has_ours = pair.after.has_ours = true;
    pair.before.producer.hot_op_limit = 4; /* all ops are listed */
    pair.after.producer.hot_op_limit = 3;
    pair_compare(&pair, 10);
    const struct comparison *c = &pair.comparison;
    assert_string_equal(c->improved_ops[0].name, "left");
    assert_number(c->improved_ops[0].after_at_most.value, 7, 0);
    assert_false(c->improved_ops[0].before_at_most.set);
    assert_false(c->improved_ops[1].after_at_most.set); /* a */
    assert_string_equal(c->regressed_ops[0].name, "b");
    assert_false(c->regressed_ops[0].before_at_most.set);
    assert_int_equal(c->unlisted_op_count, 1);
    assert_string_equal(c->unlisted_ops[0].name, "left");
    assert_string_equal(c->unlisted_ops[0].side, "after");
    assert_int_equal(c->notes.count, 1);
    assert_non_null(strstr(c->notes.items[0],
                           "1 of the ops here is not among the 3 hottest of the side after"));
    arena_done(&pair.arena);
}

static void of_a_side_without_times_none_are_compared(void **state)
{
    (void)state;
    struct pair pair;
    pair_start(&pair);
    struct hot_op before[] = {hot("a", 10)};
    pair.before.hot_ops = before;
    pair.before.hot_op_count = 1;
    pair.before.has_memory = pair.after.has_memory = true;
    pair.after.source_format = "device_memory_pprof";
    pair_compare(&pair, 10);
    const struct comparison *c = &pair.comparison;
    assert_int_equal(c->improved_op_count, 0);
    assert_int_equal(c->semantic_family_delta_count, 0);
    assert_false(c->time_breakdown_share_delta.compute.set);
    assert_true(c->has_memory);
    assert_int_equal(c->notes.count, 1);
    static const struct track_thresholds none;
    struct track_assessment assessment;
    struct err err = {0};
    assert_false(track_assess(c, &none, &pair.arena, &assessment, &err));
    assert_int_equal(err.kind, ERR_INPUT);
    arena_done(&pair.arena);
}

static void cuts_lists_as_python_slices(void **state)
{
    (void)state;
    static const struct {
        int64_t top_k;
        size_t kept;
    } cases[] = {{10, 3}, {3, 3}, {2, 2}, {0, 0}, {-1, 2}, {-3, 0}, {-9, 0}, {INT64_MIN, 0}};
    struct hot_op after[] = {hot("a", 1), hot("b", 2), hot("c", 3)};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct pair pair;
        pair_start(&pair);
        pair.after.hot_ops = after;
        pair.after.hot_op_count = COUNT(after);
        pair_compare(&pair, cases[i].top_k);
        assert_int_equal(pair.comparison.regressed_op_count, cases[i].kept);
        arena_done(&pair.arena);
    }
}

static void rebuilds_families_of_older_summaries(void **state)
{
    (void)state;
    struct pair pair;
    pair_start(&pair);
    struct hot_op before[] = {hot("copy.1", 6), hot("copy", 3), hot("add", 1)};
    before[0].flop_proxy_per_invocation = some_f64(10);
    before[0].count = 2;
    before[1].shape_signature = "4,2";
    struct semantic_family after[] = {{.family = "copy",
                                       .exclusive_duration = 18,
                                       .example_op = "copy.9",
                                       .flop_proxy_total = some_f64(56),
                                       .time_per_flop_proxy = some_f64(18.0 / 56)}};
    pair.before.hot_ops = before;
    pair.before.hot_op_count = COUNT(before);
    pair.after.semantic_families = after;
    pair.after.semantic_family_count = COUNT(after);
    pair.after.has_semantic_families = true;
    pair.before.has_semantic_families = true; /* an empty list says as little as none */
    pair_compare(&pair, 10);
    assert_int_equal(pair.comparison.semantic_family_delta_count, 2);
    const struct family_delta *copy = &pair.comparison.semantic_family_delta[0];
    assert_string_equal(copy->family, "copy");
    assert_number(copy->before_exclusive_duration, 9, 0);
    assert_number(copy->before_flop_proxy_total.value, 28, 0); /* 2 * 10 + 4 * 2 */
    assert_number(copy->time_ratio.value, 2, 0);
    assert_number(copy->work_ratio.value, 2, 0);
    assert_number(copy->efficiency_ratio.value, 1, 0);
    assert_string_equal(copy->example_before, "copy.1");
    const struct family_delta *other = &pair.comparison.semantic_family_delta[1];
    assert_string_equal(other->family, "other");
    assert_false(other->before_flop_proxy_total.set);
    assert_null(other->example_after);
    assert_number(other->exclusive_regression_pct.value, -100, 0);
    arena_done(&pair.arena);
}

static void compares_step_classes_by_name(void **state)
{
    (void)state;
    struct pair pair;
    pair_start(&pair);
    struct step_class before[] = {{.name = "typical", .count = 8, .stats.median = some_f64(50)}};
    struct step_class after[] = {{.name = "typical", .count = 1, .stats.median = some_f64(99)},
                                 {.name = "light", .count = 3, .stats.median = some_f64(40)},
                                 {.name = "typical", .count = 5, .stats.median = some_f64(55)}};
    pair.before.step_time.classes = before;
    pair.before.step_time.class_count = 1;
    pair.after.step_time.classes = after;
    pair.after.step_time.class_count = 3;
    pair_compare(&pair, 10);
    const struct step_classes *classes = &pair.comparison.step_classes;
    assert_int_equal(classes->after_count, 3);
    assert_int_equal(classes->delta_count, 2); /* the last of a name counts */
    assert_string_equal(classes->delta[0].name, "light");
    assert_int_equal(classes->delta[0].before_count, 0);
    assert_false(classes->delta[0].median_delta.set);
    assert_string_equal(classes->delta[1].name, "typical");
    assert_number(classes->delta[1].median_regression_pct.value, 10, 1e-12);
    arena_done(&pair.arena);
}

static void checks_provenance_in_order(void **state)
{
    (void)state;
    struct pair pair;
    pair_start(&pair);
    pair_compare(&pair, 10);
    assert_string_equal(pair.comparison.provenance_checks.status, "pass");
    pair.after.source_path = "before";
    pair.after.trace_provenance.trace_sha256 = NULL;
    pair_compare(&pair, 10);
    assert_string_equal(pair.comparison.provenance_checks.status, "warn");
    assert_int_equal(pair.comparison.provenance_checks.messages.count, 2);
    pair.after.trace_provenance.trace_sha256 = "bb";
    pair_compare(&pair, 10);
    const struct provenance_checks *checks = &pair.comparison.provenance_checks;
    assert_string_equal(checks->status, "fail");
    assert_int_equal(checks->messages.count, 2);
    assert_string_equal(
        checks->messages.items[0],
        "Before and after summaries point to identical trace content (matching SHA256).");
    assert_string_equal(checks->messages.items[1],
                        "Before and after summaries have the same source_path.");
    arena_done(&pair.arena);
}

static void takes_empty_run_ids_for_none(void **state)
{
    (void)state;
    struct pair pair;
    pair_start(&pair);
    pair.before.run_metadata.run_id = pair.after.run_metadata.run_id = "";
    pair.before.run_metadata.artifact_ref = pair.after.run_metadata.artifact_ref = "";
    pair_compare(&pair, 10);
    assert_string_equal(pair.comparison.provenance_checks.status, "pass");
    pair.before.run_metadata.run_id = pair.after.run_metadata.run_id = "r";
    pair_compare(&pair, 10);
    assert_string_equal(pair.comparison.provenance_checks.status, "warn");
    arena_done(&pair.arena);
}

static struct track_assessment assess(struct pair *pair)
{
    static const struct track_thresholds thresholds = {
#define TRACK_THRESHOLD_DEFAULT(name, standard, help) .name = (standard),
        TRACK_THRESHOLDS(TRACK_THRESHOLD_DEFAULT)
#undef TRACK_THRESHOLD_DEFAULT
    };
    struct track_assessment assessment;
    struct err err = {0};
    pair_compare(pair, 10);
    assert_true(track_assess(&pair->comparison, &thresholds, &pair->arena, &assessment, &err));
    return assessment;
}

static void fails_only_above_a_threshold(void **state)
{
    (void)state;
    static const struct {
        double median, p90;
        const char *status;
    } cases[] = {
        {100, 100, "pass"},     {105, 110, "pass"}, {105.001, 100, "fail"},
        {100, 110.001, "fail"}, {90, 90, "pass"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct pair pair;
        pair_start(&pair);
        pair.before.step_time.steady_state_steps.median = some_f64(100);
        pair.before.step_time.steady_state_steps.p90 = some_f64(100);
        pair.after.step_time.steady_state_steps.median = some_f64(cases[i].median);
        pair.after.step_time.steady_state_steps.p90 = some_f64(cases[i].p90);
        assert_string_equal(assess(&pair).status, cases[i].status);
        arena_done(&pair.arena);
    }
}

static void passes_without_steps_as_the_reference_does(void **state)
{
    (void)state;
    struct pair pair;
    pair_start(&pair);
    struct track_assessment assessment = assess(&pair);
    assert_string_equal(assessment.status, "pass");
    assert_false(assessment.metrics.steady_state_median_regression_pct.set);
    arena_done(&pair.arena);
}

static void says_what_rose_and_by_how_much(void **state)
{
    (void)state;
    struct pair pair;
    pair_start(&pair);
    pair.before.step_time.steady_state_steps.median = some_f64(200);
    pair.after.step_time.steady_state_steps.median = some_f64(225);
    pair.after.time_breakdown.part[PART_STALL].share_of_total = 0.25;
    pair.after.time_breakdown.part[PART_COMMUNICATION].share_of_total = 0.05;
    struct track_assessment assessment = assess(&pair);
    assert_string_equal(assessment.status, "fail");
    assert_int_equal(assessment.failures.count, 1);
    assert_string_equal(assessment.failures.items[0],
                        "Steady-state median step time regressed by 12.50% (threshold 5.00%).");
    assert_int_equal(assessment.warnings.count, 1); /* .05 is not above .05 */
    assert_string_equal(assessment.warnings.items[0],
                        "Stall share increased by 0.2500 (threshold 0.0500).");
    arena_done(&pair.arena);
}

static void reports_a_budget_that_is_too_small(void **state)
{
    (void)state;
    struct hot_op ops[] = {hot("a", 1), hot("b", 2)};
    struct summary summary = {.hot_ops = ops, .hot_op_count = 2, .source_path = "x"};
    struct comparison comparison;
    struct err err = {0};
    for (size_t budget = 0; budget < 20000; budget += 64) {
        scoped_arena arena;
        arena_init(&arena, budget);
        if (comparison_make(&summary, &summary, 10, &arena, &comparison, &err))
            return;
        assert_int_equal(err.kind, ERR_LIMIT);
    }
    fail_msg("no budget was enough");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joins_ops_by_exact_name),
        cmocka_unit_test(an_op_that_is_not_listed_took_no_more_than_the_last_one),
        cmocka_unit_test(of_a_side_without_times_none_are_compared),
        cmocka_unit_test(cuts_lists_as_python_slices),
        cmocka_unit_test(rebuilds_families_of_older_summaries),
        cmocka_unit_test(compares_step_classes_by_name),
        cmocka_unit_test(checks_provenance_in_order),
        cmocka_unit_test(takes_empty_run_ids_for_none),
        cmocka_unit_test(fails_only_above_a_threshold),
        cmocka_unit_test(passes_without_steps_as_the_reference_does),
        cmocka_unit_test(says_what_rose_and_by_how_much),
        cmocka_unit_test(reports_a_budget_that_is_too_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
