/* Tests of texts made fit for their room: width, cutting. */
#include "ops/present/words/shown.h"

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
        cmocka_unit_test(cuts_in_the_middle),
        cmocka_unit_test(cuts_paths_at_their_start),
        cmocka_unit_test(knows_words_of_every_script),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
