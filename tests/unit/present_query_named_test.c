/* Answers about steps by their numbers, and about names. */
#include "ops/present/query/query.h"

#include "ops/runtime/json.h"
#include "tests/support/document_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { TOP_K = 10 };

static json_t *ask(const char *question)
{
    struct err err = {0};
    struct summary summary;
    scoped_arena arena;
    document_summary("present/slower.summary.json", &arena, &summary);
    json_t *answer = query_answer(&summary, NULL, question, TOP_K, &arena, &err);
    if (answer == NULL)
        fail_msg("%s: %s", question, err.text);
    return answer;
}

/* All steps that are named, and no other. */
static void answers_about_several_steps(void **state)
{
    (void)state;
    static const struct {
        const char *question;
        size_t count;
        int64_t last;
    } cases[] = {
        {"steps 3 to 5", 3, 5},          {"steps 3-5", 3, 5},     {"step 5 until 3", 3, 5},
        {"steps 3 and 5", 2, 5},         {"steps 3..5", 3, 5},    {"steps #10 through 99", 2, 11},
        {"from step 3 to step 5", 3, 5}, {"steps 50 to 60", 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scoped_json *answer = ask(cases[i].question);
        const json_t *rows = json_object_get(answer, "results");
        if (json_array_size(rows) != cases[i].count)
            fail_msg("'%s': %zu rows", cases[i].question, json_array_size(rows));
        const json_t *last = json_array_get(rows, cases[i].count - 1);
        if (cases[i].count > 0)
            assert_int_equal(json_integer_value(json_object_get(last, "number")), cases[i].last);
        else
            assert_non_null(json_object_get(answer, "details"));
    }
    scoped_json *mfu = ask("MFU of step 3");
    assert_string_equal(json_string_value(json_object_get(mfu, "result")),
                        "unknown_from_this_file");
}

/* Of a name that nothing has no time is known, and it is not answered for another question. */
static void knows_no_time_of_a_name_that_nothing_has(void **state)
{
    (void)state;
    scoped_json *name = ask("how much time is data_load");
    assert_string_equal(json_string_value(json_object_get(name, "target")), "data_load");
    assert_true(json_is_null(json_object_get(name, "self_us_per_step")));
}

/* An op that fills its steps fills them once, however long one of them takes. */
static void shares_are_of_the_mean_step_of_which_times_are(void **state)
{
    (void)state;
    static const char *const questions[] = {"where does the time go?", "how long does dot take?"};
    static const int64_t lengths_ps[] = {100000000, 100000000, 400000000};
    enum { STEPS = sizeof lengths_ps / sizeof *lengths_ps, TEXT_BYTES = 1 << 20 };
    struct err err = {0};
    struct step_row rows[STEPS];
    struct step_span spans[STEPS];
    struct op_row op = {.name = "dot", .signature = "dot", .steady_self_ps = 600000000};
    const struct summary summary = {.has_ours = true,
                                    .ops = &op,
                                    .op_count = 1,
                                    .steps = {.rows = rows,
                                              .count = STEPS,
                                              .steady_count = STEPS,
                                              .steady_spans = STEPS,
                                              .steady_median_us = {true, 100}}};
    for (int i = 0; i < STEPS; i++) {
        spans[i] = (struct step_span){.duration_ps = lengths_ps[i]};
        rows[i] = (struct step_row){
            .number = i, .max_ps = lengths_ps[i], .spans = &spans[i], .span_count = 1};
    }
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
        scoped_arena arena;
        arena_init(&arena, TEXT_BYTES);
        scoped_json *answer = query_answer(&summary, NULL, questions[i], TOP_K, &arena, &err);
        const json_t *told = i == 0 ? json_array_get(json_object_get(answer, "ops"), 0) : answer;
        assert_float_equal(json_number_value(json_object_get(told, "self_us_per_step")), 200, 1e-9);
        assert_float_equal(json_number_value(json_object_get(told, "share_of_step")), 1, 1e-9);
    }
}

/* The reference's rule counts events; what is known of the file is said beside it. */
static void says_that_a_file_was_cut_whatever_the_rule_on_counts_says(void **state)
{
    (void)state;
    enum { TEXT_BYTES = 1 << 20 };
    static const char *warnings[] = {"1 of 4 planes hold no ops.", "'a.pb' ends early: 28 bytes"};
    struct err err = {0};
    struct summary summary = {.has_ours = true};
    for (size_t count = 1; count <= 2; count++) {
        scoped_arena arena;
        arena_init(&arena, TEXT_BYTES);
        summary.coverage.warnings = (struct string_list){warnings, count};
        scoped_json *answer = query_answer(&summary, NULL, "is it truncated?", TOP_K, &arena, &err);
        const json_t *says = json_object_get(answer, "answer");
        assert_true(json_is_false(json_object_get(answer, "suspected_truncation")));
        assert_int_equal(says != NULL, count == 2);
        if (count == 2)
            assert_string_equal(json_string_value(says), "Not all of the profile was read: 'a.pb' "
                                                         "ends early: 28 bytes");
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_about_several_steps),
        cmocka_unit_test(shares_are_of_the_mean_step_of_which_times_are),
        cmocka_unit_test(says_that_a_file_was_cut_whatever_the_rule_on_counts_says),
        cmocka_unit_test(knows_no_time_of_a_name_that_nothing_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
