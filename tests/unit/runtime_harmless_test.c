/* Tests of foreign text in each form: what drives a terminal, a CI system, a browser or a table. */
#include "ops/runtime/text_harmless.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { ARENA_BYTES = 1 << 20, TEXT_BYTES = 1 << 16 };

#define LOST "\xef\xbf\xbd"

struct example {
    const char *text, *shown;
};

static void check_form(enum harmless_form form, const struct example *examples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        scoped_text out;
        text_init(&out, TEXT_BYTES);
        harmless_add(&out, form, examples[i].text);
        assert_false(out.failed);
        assert_string_equal(text_string(&out), examples[i].shown);
    }
}

#define CHECK(form, examples) check_form(form, examples, sizeof examples / sizeof *examples)

static void takes_away_what_drives_a_terminal(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"plain", "plain"},
        {"", ""},
        {"a\033[31mred", "a" LOST "[31mred"},
        {"line\nbreak\ttab\rreturn\x85next", "line break tab return" LOST "next"},
        {"\xc2\x85\xc2\x9b"
         "31m",
         " " LOST "31m"}, /* C1: NEL, and CSI in one */
        {"\xe2\x80\xae"
         "abc\xe2\x81\xa6",
         LOST "abc" LOST},                            /* directions turned */
        {"a\xe2\x80\x8b\xef\xbb\xbf", "a" LOST LOST}, /* takes no room */
        {"bad\xff\xfe", "bad" LOST LOST},             /* no UTF-8 */
        {"\x7f", LOST},
        {"\xe2\x80\xa8", " "}, /* line separator */
        {"日本 e\xcc\x81 ✅", "日本 e\xcc\x81 ✅"},
    };
    CHECK(HARMLESS_LINE, examples);
}

static void breaks_commands_of_ci_systems(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"::error::no", "\\::error::no"},
        {"a\n::add-mask::b", "a \\::add-mask::b"},
        {"a \xc2\xa0::group::b", "a \xc2\xa0\\::group::b"}, /* a blank of .NET's Trim */
        {"std::vector::at a::b", "std::vector::at a::b"},
        {":: ::: ::1", ":: ::: ::1"},
        {"x ##[error]y", "x ##\\[error]y"},
        {"###[group]", "###\\[group]"},
        {"##vso[task.setvariable]", "##vso\\[task.setvariable]"},
        {"##teamcity[x ##[y", "##teamcity\\[x ##\\[y"},
        {"# [x] #[y] ##x y[", "# [x] #[y] ##x y["},
        {"\\::error::no ##\\[x", "\\::error::no ##\\[x"}, /* again */
    };
    CHECK(HARMLESS_LINE, examples);
}

static void keeps_a_log_to_one_value(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"plain", "plain"},
        {"", "\"\""},
        {"a b", "\"a b\""},
        {"a=\"b\\", "\"a=\\\"b\\\\\""},
        {"back\\slash", "back\\slash"},
        {"x\nlevel=error", "\"x\\x0alevel=error\""},
        {"\xc2\x9b"
         "31m",
         "\"\\xc2\\x9b31m\""},
        {"\xe2\x80\xae", "\"\\xe2\\x80\\xae\""},
        {"\xff", "\"\\xff\""},
        {LOST, LOST},
        {"##[error]x", "\"##\\x5berror]x\""},
    };
    CHECK(HARMLESS_LOG, examples);
}

static void lets_nothing_become_markup(void **state)
{
    (void)state;
    static const struct example markup[] = {
        {"<a href='x'>\"&\x01", "&lt;a href=&#39;x&#39;&gt;&quot;&amp;" LOST},
        {"\xef\xbf\xbf\n", LOST " "}};
    static const struct example title[] = {{"50%: a,b\n::x", "50%25%3A a%2Cb \\%3A%3Ax"}};
    static const struct example text[] = {{"50%: a,b\r\n", "50%25: a,b  "}};
    CHECK(HARMLESS_MARKUP, markup);
    CHECK(HARMLESS_ANNOTATION_TITLE, title);
    CHECK(HARMLESS_ANNOTATION, text);
}

static void keeps_code_within_its_span_and_cell(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"<lambda>", "<lambda>"},
        {"a`<script>`", "a'<script>'"},
        {"a|b", "a\\|b"},
        {"a\\|<script>", "a\\\\\\|<script>"}, /* two backslashes would end the cell */
        {"a\\\\|b\\", "a\\\\\\|b\\"},
    };
    CHECK(HARMLESS_CODE, examples);
}

static void lets_names_end_no_sentence_of_ours(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"`a|<b>` takes 5 % of f32[8,128]", "`a|<b>` takes 5 % of f32[8,128]"},
        {"x <script>alert(1)</script>", "x &lt;script>alert(1)&lt;/script>"},
        {"\\<b>", "&#92;&lt;b>"},
        {"[x](javascript:y) [z]: javascript:y [r][z]",
         "[x&#93;(javascript:y) [z&#93;: javascript:y [r&#93;[z]"},
        {"`x``y`<b>`z`", "&#96;x&#96;&#96;y`<b>`z&#96;"}, /* the one span left is a span */
        {"\\`<b>`", "&#92;`<b>`"},
        {"@all http://e.vil www.e.vil #1",
         "@<!-- -->all http:<!-- -->//e.vil w<!-- -->ww.e.vil #1"},
    };
    CHECK(HARMLESS_PROSE, examples);
}

static void makes_lines_of_what_it_is_given(void **state)
{
    (void)state;
    scoped_text out;
    text_init(&out, TEXT_BYTES);
    harmless_line(&out, "%-4s%d: %s", "a", 7, "b\n::error::c");
    assert_string_equal(text_string(&out), "a   7: b \\::error::c\n");
}

static void is_cut_at_its_maximum(void **state)
{
    (void)state;
    scoped_text out;
    text_init(&out, 4);
    harmless_add(&out, HARMLESS_MARKUP, "<<<<");
    assert_true(out.failed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_away_what_drives_a_terminal),
        cmocka_unit_test(breaks_commands_of_ci_systems),
        cmocka_unit_test(keeps_a_log_to_one_value),
        cmocka_unit_test(lets_nothing_become_markup),
        cmocka_unit_test(keeps_code_within_its_span_and_cell),
        cmocka_unit_test(lets_names_end_no_sentence_of_ours),
        cmocka_unit_test(makes_lines_of_what_it_is_given),
        cmocka_unit_test(is_cut_at_its_maximum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
