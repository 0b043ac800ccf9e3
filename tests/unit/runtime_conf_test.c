/* The grammar that configuration, policies and matrices share: places, sections, what is refused.
 */
#include "ops/runtime/conf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { BUDGET_BYTES = 1 << 20 };

static void file_read_text(const char *text, struct arena *arena, struct conf_file *ret_file)
{
    struct err err = {0};
    arena_init(arena, BUDGET_BYTES);
    *ret_file = (struct conf_file){0};
    if (!conf_text_read(text, "team.conf", arena, ret_file, &err))
        fail_msg("%s", err.text);
}

static void knows_the_line_and_section_of_every_key(void **state)
{
    (void)state;
    scoped_arena arena;
    struct conf_file file;
    file_read_text("\xef\xbb\xbf"
                   "top = 1\n\n# key = in a comment\n[one]\nkey = a\n  [two words]  ; why\n"
                   "\tkey = b\r\nkeys = c\n; end\n",
                   &arena, &file);
    static const struct conf_entry wanted[] = {{"", "top", "1", NULL, 1},
                                               {"one", "key", "a", NULL, 5},
                                               {"two words", "key", "b", NULL, 7},
                                               {"two words", "keys", "c", NULL, 8}};
    assert_int_equal(file.count, 4);
    for (size_t i = 0; i < file.count; i++) {
        assert_string_equal(file.entries[i].section, wanted[i].section);
        assert_string_equal(file.entries[i].key, wanted[i].key);
        assert_string_equal(file.entries[i].value, wanted[i].value);
        assert_string_equal(file.entries[i].file, "team.conf");
        assert_int_equal(file.entries[i].line, wanted[i].line);
    }
}

static void keeps_long_names_of_sections_whole(void **state)
{
    (void)state;
    scoped_arena arena;
    struct conf_file file;
    file_read_text(
        "[workload a-very-long-name-of-a-workload-* measure exposed_communication_share]\n"
        "action = warn\n",
        &arena, &file);
    assert_string_equal(
        file.entries[0].section,
        "workload a-very-long-name-of-a-workload-* measure exposed_communication_share");
}

static void refuses_sections_that_hold_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *text, *said; /* NULL: it is good */
    } cases[] = {
        {"[a]\nkey = 1\n[b]\nkey = 2\n", NULL},
        {"key = 1\n", NULL},
        {"", NULL},
        {"[a]\n[b]\nkey = 2\n", "team.conf:1: nothing stands under [a]"},
        {"[a]\nkey = 1\n\n[b]\n# key = 2\n", "team.conf:4: nothing stands under [b]"},
        {"key = 1\n[b]", "team.conf:2: nothing stands under [b]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        scoped_arena arena;
        struct conf_file file;
        struct err err = {0};
        file_read_text(cases[i].text, &arena, &file);
        assert_int_equal(conf_sections_check(&file, &err), cases[i].said == NULL);
        if (cases[i].said != NULL)
            assert_non_null(strstr(err.text, cases[i].said));
    }
}

static void names_the_line_that_is_neither_key_nor_section(void **state)
{
    (void)state;
    static const char *const texts[] = {"a = 1\n[b\nc = 2\n", "a = 1\nwhat\n", "a = 1\n[b ;c]\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        scoped_arena arena;
        struct conf_file file = {0};
        struct err err = {0};
        arena_init(&arena, BUDGET_BYTES);
        assert_false(conf_text_read(texts[i], "team.conf", &arena, &file, &err));
        assert_non_null(strstr(err.text, "team.conf:2: expected"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_the_line_and_section_of_every_key),
        cmocka_unit_test(keeps_long_names_of_sections_whole),
        cmocka_unit_test(refuses_sections_that_hold_nothing),
        cmocka_unit_test(names_the_line_that_is_neither_key_nor_section),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
