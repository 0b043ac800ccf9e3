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

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_about_several_steps),
        cmocka_unit_test(knows_no_time_of_a_name_that_nothing_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
