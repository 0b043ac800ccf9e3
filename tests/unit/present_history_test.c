/* Tests of the history document: line ends, counting, errors. */
#include "ops/present/report/history_report.h"

#include "ops/runtime/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static json_t *history(const char *jsonl, int64_t tail)
{
    struct err err = {0};
    json_t *answer = history_summary(jsonl, strlen(jsonl), "h.jsonl", tail, &err);
    if (answer == NULL)
        fail_msg("%s", err.text);
    return answer;
}

static json_int_t record_count(const json_t *answer)
{
    return json_integer_value(json_object_get(answer, "num_records"));
}

static void ends_lines_where_python_does(void **state)
{
    (void)state;
    static const char *const ends[] = {"\n",       "\r",           "\r\n",        "\v",
                                       "\f",       "\x1c",         "\x1d",        "\x1e",
                                       "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char text[64];
        (void)snprintf(text, sizeof text, "{}%s{\"a\": 1}%s", ends[i], ends[i]);
        scoped_json *answer = history(text, 1);
        assert_int_equal(record_count(answer), 2);
        json_t *latest = json_object_get(answer, "latest_record");
        assert_int_equal(json_integer_value(json_object_get(latest, "a")), 1);
    }
}

static void passes_over_what_is_no_record(void **state)
{
    (void)state;
    scoped_json *answer = history("\n \xc2\xa0 \n[1]\n7\nnull\n\"x\"\n{}\n", 9);
    assert_int_equal(record_count(answer), 1);
    scoped_json *empty = history("", 9);
    assert_int_equal(record_count(empty), 0);
    assert_true(json_is_null(json_object_get(empty, "latest_record")));
}

static void counts_messages_in_order_of_first_appearance(void **state)
{
    (void)state;
    scoped_json *answer =
        history("{\"assessment\": {\"status\": \"fail\", \"failures\": [\"b\", \"a\", 3, null]}}\n"
                "{\"assessment\": {\"status\": \"fail\", \"failures\": [\"a\", \"c\", \"b\"]}}\n"
                "{\"assessment\": {\"status\": 1, \"failures\": \"abc\"}}\n{\"assessment\": 5}\n",
                0);
    scoped_json *wanted = json_pack("[{s:s,s:i},{s:s,s:i},{s:s,s:i}]", "message", "b", "count", 2,
                                    "message", "a", "count", 2, "message", "c", "count", 1);
    assert_true(json_equal(json_object_get(answer, "top_failures"), wanted));
    scoped_json *counts = json_pack("{s:i}", "fail", 2);
    assert_true(json_equal(json_object_get(answer, "status_counts"), counts));
    assert_int_equal(json_array_size(json_object_get(answer, "recent_records")), 0);
}

static void lists_the_last_records(void **state)
{
    (void)state;
    static const struct {
        int64_t tail;
        size_t listed;
    } cases[] = {{-1, 0}, {0, 0}, {2, 2}, {3, 3}, {INT64_MAX, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scoped_json *answer = history("{\"n\": 1}\n{\"n\": 2}\n{\"n\": 3}", cases[i].tail);
        json_t *recent = json_object_get(answer, "recent_records");
        assert_int_equal(json_array_size(recent), cases[i].listed);
        if (cases[i].listed == 2)
            assert_int_equal(json_integer_value(json_object_get(json_array_get(recent, 0), "n")),
                             2);
    }
}

static void names_the_line_that_is_torn(void **state)
{
    (void)state;
    struct err err = {0};
    static const char text[] = "{}\n\n{\"assess";
    assert_null(history_summary(text, sizeof text - 1, "h.jsonl", 5, &err));
    assert_int_equal(err.kind, ERR_INPUT);
    assert_non_null(strstr(err.text, "'h.jsonl:3' is not valid JSON"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_lines_where_python_does),
        cmocka_unit_test(passes_over_what_is_no_record),
        cmocka_unit_test(counts_messages_in_order_of_first_appearance),
        cmocka_unit_test(lists_the_last_records),
        cmocka_unit_test(names_the_line_that_is_torn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
