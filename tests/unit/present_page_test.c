/* Tests of pages and their three printers. */
#include "ops/present/page/page_blocks.h"

#include "ops/present/picture/picture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { ARENA_BYTES = 1 << 20, TEXT_BYTES = 1 << 20 };

static const struct table_column COLUMNS[] = {
    {"op", COLUMN_NAME}, {"kind", COLUMN_TEXT}, {"time", COLUMN_NUMBER}};

static void page_start(struct page *page, struct arena *arena, struct text *out)
{
    arena_init(arena, ARENA_BYTES);
    text_init(out, TEXT_BYTES);
    page_init(page, arena, "t");
}

static void add_rows(struct page *page)
{
    struct table *table = page_table(page, COLUMNS, 3);
    table_add(table, TONE_PLAIN, "a_very_long_name_of_an_op_that_does_not_fit.123");
    table_add(table, TONE_BAD, "slower");
    table_addf(table, TONE_PLAIN, "%d ms", 7);
    table_add(table, TONE_PLAIN, "日本");
    table_add(table, TONE_PLAIN, NULL);
    table_add(table, TONE_PLAIN, "1234 ms");
}

static void aligns_columns_by_display_width(void **state)
{
    (void)state;
    struct page page;
    scoped_arena arena;
    scoped_text out;
    page_start(&page, &arena, &out);
    add_rows(&page);
    assert_true(page_ok(&page, "it", NULL));
    page_print_text(&page, &(struct text_style){false, 40}, &out);
    assert_string_equal(text_string(&out), "op                       kind       time\n"
                                           "a_very_long…not_fit.123  slower     7 ms\n"
                                           "日本                     -       1234 ms");
}

static void colours_only_when_asked(void **state)
{
    (void)state;
    struct page page;
    scoped_arena arena;
    scoped_text out;
    page_start(&page, &arena, &out);
    add_rows(&page);
    page_print_text(&page, &(struct text_style){false, 0}, &out);
    assert_null(strchr(text_string(&out), '\033'));
    page_print_text(&page, &(struct text_style){true, 0}, &out);
    assert_non_null(strstr(text_string(&out), "\033[31mslower\033[0m"));
}

static void breaks_lines_between_words(void **state)
{
    (void)state;
    struct page page;
    scoped_arena arena;
    scoped_text out;
    page_start(&page, &arena, &out);
    page_headline(&page, TONE_BAD, "FAIL", "one two three four five six");
    page_heading(&page, false, "Why");
    page_item(&page, TONE_PLAIN, "code", "one two three four");
    page_item(&page, TONE_PLAIN, "longer_code", "x");
    page_print_text(&page, &(struct text_style){false, 24}, &out);
    assert_string_equal(text_string(&out), "FAIL  one two three four\n"
                                           "      five six\n"
                                           "\n"
                                           "Why\n"
                                           "  code         one two\n"
                                           "               three\n"
                                           "               four\n"
                                           "  longer_code  x");
}

static void lets_no_name_become_markdown(void **state)
{
    (void)state;
    struct page page;
    scoped_arena arena;
    scoped_text out;
    page_start(&page, &arena, &out);
    struct table *table = page_table(&page, COLUMNS, 3);
    table_add(table, TONE_PLAIN, "a|b `c`` <b>\n# d");
    table_add(table, TONE_PLAIN, "*x* [l](http://e.vil) @you #12 <i>|");
    table_add(table, TONE_PLAIN, "-");
    page_paragraph(&page, TONE_PLAIN, "see www.e.vil & ~~all~~ \\");
    page_print_markdown(&page, &out);
    assert_string_equal(
        text_string(&out),
        "| op | kind | time |\n|---|---|---:|\n"
        "| `a\\|b 'c'' <b> # d` | \\*x\\* \\[l\\](http:<!-- -->//e.vil) @<!-- -->you "
        "#<!-- -->12 \\<i>\\| | - |\n\n"
        "see w<!-- -->ww.e.vil \\& \\~\\~all\\~\\~ \\\\");
}

/* What stands between single backticks is code already: a backslash in it would show. */
static void keeps_code_of_a_sentence_in_markdown(void **state)
{
    (void)state;
    scoped_arena arena;
    scoped_text out;
    struct page page;
    static const struct table_column columns[] = {{"what", COLUMN_TEXT}};
    arena_init(&arena, PAGE_BUDGET_BYTES);
    text_init(&out, 1 << 16);
    page_init(&page, &arena, "t");
    page_paragraph(&page, TONE_PLAIN, "`gate --a_b <x>` makes it; a_b, ``c`` and one ` alone");
    table_add(page_table(&page, columns, 1), TONE_PLAIN, "`a|b_c` d_e");
    page_print_markdown(&page, &out);
    assert_string_equal(text_string(&out),
                        "`gate --a_b <x>` makes it; a\\_b, \\`\\`c\\`\\` and one \\` alone\n\n"
                        "| what |\n|---|\n| `a\\|b_c` d\\_e |");
}

static void folds_details_in_markdown(void **state)
{
    (void)state;
    struct page page;
    scoped_arena arena;
    scoped_text out;
    page_start(&page, &arena, &out);
    page_heading(&page, true, "More");
    page_paragraph(&page, TONE_PLAIN, "a");
    page_heading(&page, false, "Open");
    page_heading(&page, true, "Last");
    page_item(&page, TONE_PLAIN, NULL, "b");
    page_print_markdown(&page, &out);
    assert_string_equal(text_string(&out), "<details><summary>More</summary>\n\na\n\n</details>\n\n"
                                           "**Open**\n\n<details><summary>Last</summary>\n\n- b\n\n"
                                           "</details>");
}

static void lets_no_name_become_html(void **state)
{
    (void)state;
    struct page page;
    scoped_arena arena;
    scoped_text out;
    page_start(&page, &arena, &out);
    struct table *table = page_table(&page, COLUMNS, 3);
    table_add(table, TONE_PLAIN, "<script>\"'&");
    table_add(table, TONE_WARN, "<i>");
    table_add(table, TONE_PLAIN, "");
    struct bar bar = {"<b>", 3, TONE_PLAIN};
    page_chart(&page, &(struct chart){.title = "<t>", .bars = &bar, .bar_count = 1});
    page_print_html(&page, &out);
    const char *html = text_string(&out);
    assert_non_null(strstr(html, "title=\"&lt;script&gt;&quot;&#39;&amp;\""));
    assert_non_null(strstr(html, "<td class=\"warn\">&lt;i&gt;</td>"));
    assert_non_null(strstr(html, "<title>&lt;b&gt;: 3.0000 µs</title>"));
    assert_null(strstr(html, "<script"));
    assert_null(strstr(html, "http"));
}

static void refuses_to_pass_its_budget(void **state)
{
    (void)state;
    for (size_t budget = 0; budget < 40000; budget += 37) {
        struct err err = {0};
        struct page page;
        scoped_arena arena;
        arena_init(&arena, budget);
        page_init(&page, &arena, "title");
        page_headline(&page, TONE_BAD, "FAIL", "%s", "sentence");
        page_heading(&page, true, "h");
        page_item(&page, TONE_PLAIN, "label", "%d", 7);
        add_rows(&page);
        struct bar bars[100] = {{"b", 1, TONE_PLAIN}};
        for (size_t i = 1; i < 100; i++)
            bars[i] = bars[0];
        page_chart(&page, &(struct chart){.title = "c", .bars = bars, .bar_count = 100});
        if (page_ok(&page, "the page", &err))
            return;
        assert_int_equal(err.kind, ERR_LIMIT);
        assert_non_null(strstr(err.text, "the page"));
    }
    fail_msg("%s", "a small page needs more than 40 kB");
}

static void draws_sparklines_of_the_slowest(void **state)
{
    (void)state;
    struct bar bars[8];
    for (size_t i = 0; i < 8; i++)
        bars[i] = (struct bar){"", i == 5 ? 200 : 100, TONE_PLAIN};
    bars[0] = (struct bar){"", 900, TONE_DIM}; /* warm-up: cut, not counted */
    scoped_text out;
    text_init(&out, TEXT_BYTES);
    chart_sparkline(&(struct chart){.bars = bars, .bar_count = 8}, 4, &out);
    assert_string_equal(text_string(&out), "█▁█▁  100.0 µs .. 200.0 µs");
}

static void draws_bars_in_eighths(void **state)
{
    (void)state;
    static const struct {
        double share;
        const char *bar;
    } cases[] = {{0, ""}, {0.5, "██"}, {1.0 / 32, "▏"}, {7, "████"}, {-1, ""}, {0.2, "▊"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scoped_text out;
        text_init(&out, TEXT_BYTES);
        chart_bar(cases[i].share, 4, &out);
        assert_string_equal(text_string(&out), cases[i].bar);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aligns_columns_by_display_width),
        cmocka_unit_test(colours_only_when_asked),
        cmocka_unit_test(breaks_lines_between_words),
        cmocka_unit_test(lets_no_name_become_markdown),
        cmocka_unit_test(keeps_code_of_a_sentence_in_markdown),
        cmocka_unit_test(folds_details_in_markdown),
        cmocka_unit_test(lets_no_name_become_html),
        cmocka_unit_test(refuses_to_pass_its_budget),
        cmocka_unit_test(draws_sparklines_of_the_slowest),
        cmocka_unit_test(draws_bars_in_eighths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
