/* Tests of ops/runtime/text: the buffer, numbers as Python prints them, UTF-8, Python's text rules.
 */
#include "ops/runtime/text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void fails_stickily_beyond_its_maximum(void **state)
{
    (void)state;
    scoped_text text;
    text_init(&text, 8);
    text_add(&text, "12345678");
    assert_true(text_ok(&text, "it", NULL));
    text_addc(&text, '9');
    text_add(&text, "");
    struct err err = {0};
    assert_false(text_ok(&text, "the report", &err));
    assert_int_equal(err.kind, ERR_LIMIT);
    assert_non_null(strstr(err.text, "the report"));
    assert_string_equal(text_string(&text), "12345678");
}

static void a_text_in_a_place_holds_what_fits_there(void **state)
{
    (void)state;
    char place[5] = "....";
    struct text text;
    text_init_in(&text, place, sizeof place);
    assert_string_equal(text_string(&text), "");
    text_add(&text, "1234");
    assert_false(text.failed);
    text_addc(&text, '5');
    assert_true(text.failed);
    assert_ptr_equal(text_string(&text), place);
    assert_string_equal(place, "1234");
}

static void what_is_made_of_a_text_fails_as_it_has(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, 1 << 16);
    scoped_text part, whole;
    text_init(&part, 100);
    text_init(&whole, 100);
    text_add(&part, "half");
    assert_string_equal(text_keep(&part, &arena), "half");
    part.failed = true;
    assert_null(text_keep(&part, &arena));
    assert_string_equal(text_keep_start(&part, &arena), "half");
    assert_string_equal(text_shown(&part), "half");
    text_add_text(&whole, &part);
    struct err err = {0};
    assert_false(text_ok(&whole, "the report", &err));
    assert_int_equal(err.kind, ERR_LIMIT);
}

static void is_an_empty_string_before_the_first_append(void **state)
{
    (void)state;
    scoped_text text;
    text_init(&text, 8);
    assert_string_equal(text_string(&text), "");
}

static void prints_doubles_as_python_does(void **state)
{
    (void)state;
    /* Python 3.11: repr(x) of each. */
    static const struct {
        double value;
        const char *form;
    } cases[] = {
        {100.0, "100.0"},
        {0.1, "0.1"},
        {1e-05, "1e-05"},
        {0.0001, "0.0001"},
        {1e16, "1e+16"},
        {1e15, "1000000000000000.0"},
        {-0.0, "-0.0"},
        {0.0, "0.0"},
        {1.0 / 3.0, "0.3333333333333333"},
        {2.0 / 3.0, "0.6666666666666666"},
        {123456789.125, "123456789.125"},
        {5e-324, "5e-324"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {1e100, "1e+100"},
        {9007199254740993.0, "9007199254740992.0"},
        {0.30000000000000004, "0.30000000000000004"},
    };
    char buffer[TEXT_DOUBLE_BYTES];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(text_double(cases[i].value, buffer), cases[i].form);
    assert_string_equal(text_double(INFINITY, buffer), "inf");
    assert_string_equal(text_double(-INFINITY, buffer), "-inf");
    assert_string_equal(text_double(NAN, buffer), "nan");
}

static void finds_the_longest_valid_utf8_prefix(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t length, valid;
    } cases[] = {
        {"plain", 5, 5},
        {"\xC3\xA9", 2, 2},
        {"a\xC3", 2, 1},
        {"\xC0\x80", 2, 0},
        {"\xED\xA0\x80", 3, 0},
        {"\xF0\x9F\x98\x80", 4, 4},
        {"\xF4\x90\x80\x80", 4, 0},
        {"\xE0\x9F\xBF", 3, 0},
        {"ab\xFF"
         "cd",
         5, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(text_utf8_valid(cases[i].bytes, cases[i].length), cases[i].valid);
}

static void replaces_invalid_sequences_as_python_does(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, 1 << 16);
    /* Python 3.11: b"a\xe2\x82b\xffc".decode(errors="replace") == "a\ufffdb\ufffdc" */
    assert_string_equal(text_utf8_repair(&arena,
                                         "a\xE2\x82"
                                         "b\xFF"
                                         "c",
                                         6),
                        "a\xEF\xBF\xBD"
                        "b\xEF\xBF\xBD"
                        "c");
    assert_string_equal(text_utf8_repair(&arena, "\xED\xA0\x80", 3),
                        "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
}

static void reads_integers_as_python_does(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool valid;
        int64_t value;
    } cases[] = {
        {"12", true, 12},
        {" +1_000 ", true, 1000},
        {"-7", true, -7},
        {"1__0", false, 0},
        {"_1", false, 0},
        {"1_", false, 0},
        {"", false, 0},
        {"- 1", false, 0},
        {"1.0", false, 0},
        {"\xD9\xA3", true, 3} /* ARABIC-INDIC DIGIT THREE */,
        {"\xE2\x80\x83"
         "5",
         true, 5} /* EM SPACE */,
        {"\xC2\x85 7\v\f", true, 7} /* NEXT LINE */,
        {"7\x1F", false, 0} /* trimmed by strip() alone */,
        {"\x1C"
         "7",
         false, 0},
        {"9223372036854775807", true, INT64_MAX},
        {"-9223372036854775808", true, INT64_MIN},
        {"9223372036854775808", false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t value = 0;
        assert_int_equal(text_python_int(cases[i].text, strlen(cases[i].text), &value),
                         cases[i].valid);
        assert_int_equal(value, cases[i].value);
    }
}

static void strips_unicode_white_space_at_both_ends(void **state)
{
    (void)state;
    const char *start = "\xE2\x80\x83 a b\x1F\xC2\x85";
    size_t length = strlen(start);
    text_strip(&start, &length);
    assert_int_equal(length, 3);
    assert_memory_equal(start, "a b", 3);
}

static void lowers_ascii_and_the_kelvin_sign_only(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, 1 << 16);
    assert_string_equal(text_lower(&arena, "AbC\xE2\x84\xAA\xC3\x89"), "abck\xC3\x89");
}

static void suggests_the_nearest_word_only_when_it_is_near(void **state)
{
    (void)state;
    static const char *const words[] = {"summarize", "compare", "ingest"};
    assert_string_equal(text_nearest("sumarize", words, 3), "summarize");
    assert_string_equal(text_nearest("ingset", words, 3), "ingest");
    assert_null(text_nearest("zzzz", words, 3));
    const struct text_choices near = text_choices("ingset", words, 3);
    const struct text_choices far = text_choices("zzzz", words, 3);
    assert_string_equal(near.words,
                        "; did you mean 'ingest'? There are: summarize, compare, ingest");
    assert_string_equal(far.words, "; there are: summarize, compare, ingest");
}

static void refuses_numbers_with_anything_around_them(void **state)
{
    (void)state;
    int64_t integer;
    double real;
    assert_true(text_parse_i64("-5", &integer) && integer == -5);
    assert_false(text_parse_i64(" 5", &integer));
    assert_false(text_parse_i64("5x", &integer));
    assert_false(text_parse_i64("99999999999999999999", &integer));
    assert_true(text_parse_double("2.5e-1", &real) && real == 0.25);
    assert_false(text_parse_double("nan", &real));
    assert_false(text_parse_double("1e999", &real));
    assert_false(text_parse_double("0x10", &real));
    assert_false(text_parse_double("", &real));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fails_stickily_beyond_its_maximum),
        cmocka_unit_test(a_text_in_a_place_holds_what_fits_there),
        cmocka_unit_test(what_is_made_of_a_text_fails_as_it_has),
        cmocka_unit_test(is_an_empty_string_before_the_first_append),
        cmocka_unit_test(prints_doubles_as_python_does),
        cmocka_unit_test(finds_the_longest_valid_utf8_prefix),
        cmocka_unit_test(replaces_invalid_sequences_as_python_does),
        cmocka_unit_test(reads_integers_as_python_does),
        cmocka_unit_test(strips_unicode_white_space_at_both_ends),
        cmocka_unit_test(lowers_ascii_and_the_kelvin_sign_only),
        cmocka_unit_test(suggests_the_nearest_word_only_when_it_is_near),
        cmocka_unit_test(refuses_numbers_with_anything_around_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
