/* Tests of ops/net/wandb/loose_json: what Python writes and strict JSON refuses goes in and comes
 * out. The wanted texts are those of Python 3.11: json.dumps(json.loads(TEXT), sort_keys=True). */
#include "ops/net/wandb/loose_json.h"

#include <stdlib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void expect_print(const char *text, enum loose_json_form form, const char *wanted)
{
    struct err err = {0};
    scoped_json *value = loose_json_parse(text, strlen(text), "test", &err);
    if (value == NULL)
        fail_msg("%s: %s", text, err.text);
    scoped_text out;
    text_init(&out, 1 << 16);
    loose_json_print(value, form, &out);
    assert_string_equal(text_string(&out), wanted);
}

static void prints_as_python_does(void **state)
{
    (void)state;
    static const struct {
        const char *text, *wanted;
    } cases[] = {
        {"{}", "{}"},
        {"{\"b\":1,\"a\":[NaN,Infinity,-Infinity]}",
         "{\"a\": [NaN, Infinity, -Infinity], \"b\": 1}"},
        {"[123456789012345678, 1234567890123456789, -12345678901234567890]",
         "[123456789012345678, 1234567890123456789, -12345678901234567890]"},
        {"[1e999, -1e999, 1e5, 1.0, 1e-05, -0.0, 0]",
         "[Infinity, -Infinity, 100000.0, 1.0, 1e-05, -0.0, 0]"},
        {"[\"NaN\", \"a NaN b\", \"\\\"NaN\", \"\\\\\"]",
         "[\"NaN\", \"a NaN b\", \"\\\"NaN\", \"\\\\\"]"},
        {"[\"\u00fc\U0001F600\", true, null]", "[\"\\u00fc\\ud83d\\ude00\", true, null]"},
        {"[\"\uE000x\"]", "[\"\\ue000x\"]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_print(cases[i].text, LOOSE_JSON_PYTHON, cases[i].wanted);
}

static void prints_strict_json_for_the_service(void **state)
{
    (void)state;
    expect_print("{\"a\": NaN, \"b\": -Infinity, \"c\": 12345678901234567890, \"d\": \"x\"}",
                 LOOSE_JSON_STRICT,
                 "{\"a\": \"NaN\", \"b\": \"-Infinity\", \"c\": 12345678901234567890, \"d\": "
                 "\"x\"}");
}

static void refuses_what_python_refuses(void **state)
{
    (void)state;
    static const char *const cases[] = {"",
                                        "{",
                                        "[NaN",
                                        "[nan]",
                                        "[Infinit]",
                                        "\"",
                                        "\"\\",
                                        "[01]",
                                        "[--1]",
                                        "[1 2]",
                                        "[+Infinity]",
                                        "[NaNNaN]",
                                        "[012345678901234567890]"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct err err = {0};
        assert_null(loose_json_parse(cases[i], strlen(cases[i]), "test", &err));
        assert_int_equal(err.kind, ERR_INPUT);
    }
}

static void tells_literals_from_strings(void **state)
{
    (void)state;
    static const char text[] = "[NaN, 1234567890123456789012, \"NaN\", \"1\", 1]";
    scoped_json *value = loose_json_parse(text, sizeof text - 1, "test", NULL);
    assert_string_equal(loose_json_literal(json_array_get(value, 0)), "NaN");
    assert_string_equal(loose_json_literal(json_array_get(value, 1)), "1234567890123456789012");
    for (size_t i = 2; i < 5; i++)
        assert_null(loose_json_literal(json_array_get(value, i)));
}

static void fails_where_the_text_is_bounded(void **state)
{
    (void)state;
    scoped_json *value = loose_json_parse("[NaN, NaN]", 10, "test", NULL);
    scoped_text out;
    text_init(&out, 5);
    loose_json_print(value, LOOSE_JSON_PYTHON, &out);
    assert_true(out.failed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_as_python_does),
        cmocka_unit_test(prints_strict_json_for_the_service),
        cmocka_unit_test(refuses_what_python_refuses),
        cmocka_unit_test(tells_literals_from_strings),
        cmocka_unit_test(fails_where_the_text_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
