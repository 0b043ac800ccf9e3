/* Tests of texts made fit to be shown: width, cleaning, cutting. */
#include "ops/present/shown.h"

#include "ops/present/code_points.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { ARENA_BYTES = 1 << 20 };

static void counts_columns(void **state)
{
    (void)state;
    assert_int_equal(shown_columns(""), 0);
    assert_int_equal(shown_columns("fusion.7"), 8);
    assert_int_equal(shown_columns("日本語"), 6);
    assert_int_equal(shown_columns("e\xcc\x81"), 1); /* e, combining acute accent */
    assert_int_equal(shown_columns("µs…"), 3);
    assert_int_equal(shown_columns("✅"), 2);
    assert_int_equal(shown_columns("a\xe2\x80\x8b"), 1); /* zero width space */
}

static void takes_away_what_drives_a_terminal(void **state)
{
    (void)state;
    static const struct {
        const char *text, *shown;
    } cases[] = {
        {"plain", "plain"},
        {"a\033[31mred", "a\xef\xbf\xbd[31mred"},
        {"line\nbreak\ttab\rreturn", "line break tab return"},
        {"\xc2\x9b"
         "31m",
         "\xef\xbf\xbd"
         "31m"}, /* C1: CSI in one character */
        {"\xe2\x80\xae"
         "abc",
         "\xef\xbf\xbd"
         "abc"},                                        /* right-to-left override */
        {"bad\xff\xfe", "bad\xef\xbf\xbd\xef\xbf\xbd"}, /* no UTF-8 */
        {"\x7f", "\xef\xbf\xbd"},
        {"日本", "日本"},
    };
    scoped_arena arena;
    arena_init(&arena, ARENA_BYTES);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(shown_clean(&arena, cases[i].text), cases[i].shown);
}

static void cuts_in_the_middle(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t columns;
        const char *shown;
    } cases[] = {
        {"fusion.123", 10, "fusion.123"}, {"fusion.123", 9, "fusi….123"},
        {"fusion.123", 2, "…3"},          {"fusion.123", 1, "…"},
        {"日本語文字", 10, "日本語文字"}, {"日本語文字", 9, "日本…文字"},
        {"日本語文字", 8, "日…文字"},     {"ab日本", 5, "ab…本"},
    };
    scoped_arena arena;
    arena_init(&arena, ARENA_BYTES);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *cut = shown_cut(&arena, cases[i].text, cases[i].columns);
        assert_string_equal(cut, cases[i].shown);
        assert_true(shown_columns(cut) <= cases[i].columns);
    }
}

static void refuses_to_pass_its_budget(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, 64);
    assert_null(shown_clean(&arena, "a text that does not fit into the budget of this arena"));
}

static void cuts_paths_at_their_start(void **state)
{
    (void)state;
    scoped_arena arena;
    arena_init(&arena, ARENA_BYTES);
    assert_string_equal(shown_cut_start(&arena, "net/mlp/dot", 11), "net/mlp/dot");
    assert_string_equal(shown_cut_start(&arena, "net/mlp/dot", 8), "…mlp/dot");
    assert_string_equal(shown_cut_start(&arena, "net/mlp/dot", 1), "…");
    assert_string_equal(shown_cut_start(&arena, "日本語", 4), "…語");
}

static void knows_words_of_every_script(void **state)
{
    (void)state;
    static const uint32_t word[] = {'a', 'Z', '0', '_', 0xE9, 0x4E2D, 0x660, 0xB2, 0x1D7CE};
    static const uint32_t other[] = {' ', '.', '-', 0xA0, 0x2192, 0x300, 0x2014, 0x1F600};
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        assert_true(text_is_word(word[i]));
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        assert_false(text_is_word(other[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_columns),
        cmocka_unit_test(takes_away_what_drives_a_terminal),
        cmocka_unit_test(cuts_in_the_middle),
        cmocka_unit_test(refuses_to_pass_its_budget),
        cmocka_unit_test(cuts_paths_at_their_start),
        cmocka_unit_test(knows_words_of_every_script),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
