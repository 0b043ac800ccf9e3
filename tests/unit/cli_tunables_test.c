/* Tests of the tunables on the command line: the limits of reading are options of every command
 * that reads profiles, and --help shows what the one table says of them.
 */
#include "ops/cli/cli.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

enum { HELP_BYTES = 64 << 10 };

static const struct cli_command *const readers[] = {&cmd_summarize, &cmd_ingest, &cmd_gate,
                                                    &cmd_bundle, &cmd_work};

static const enum conf_key limits[] = {CONF_max_memory_mb, CONF_threads,
#define LIMIT_KEY(name, type, standard, min, max, help) CONF_##name,
                                       CONF_LIMITS(LIMIT_KEY)
#undef LIMIT_KEY
};

/* The option's row of the help, with what the table knows of the tunable. */
static void row_check(const struct cli_command *command, enum conf_key key)
{
    scoped_text help, name, tail;
    text_init(&help, HELP_BYTES);
    text_init(&name, HELP_BYTES);
    text_init(&tail, HELP_BYTES);
    cli_help(command, &help);
    text_addf(&name, "  --%s N ", conf_key_name(key));
    for (char *c = name.data; *c != '\0'; c++)
        *c = *c == '_' ? '-' : *c;
    text_addf(&tail, " %s (default: %s)\n", conf_key_help(key), conf_key_standard(key));
    const char *row = strstr(text_string(&help), text_string(&name));
    if (row == NULL)
        fail_msg("%s has no option%s", command->name, text_string(&name));
    const char *end = strchr(row, '\n');
    assert_non_null(end);
    if ((size_t)(end + 1 - row) < tail.length ||
        memcmp(end + 1 - tail.length, tail.data, tail.length) != 0)
        fail_msg("%s: '%.*s'", command->name, (int)(end - row), row);
}

static void every_limit_is_an_option_of_what_reads_profiles(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
        for (size_t k = 0; k < sizeof limits / sizeof limits[0]; k++)
            row_check(readers[i], limits[k]);
    }
}

/* Parses a command line of summarize on top of the built-in defaults. */
static bool command_line(struct cli *cli, const char *const *words, struct err *err)
{
    enum { WORDS_MOST = 8 };
    bool help;
    int count = 0;
    *cli = (struct cli){.command = &cmd_summarize};
    arena_init(&cli->arena, 1 << 20);
    char **copies = arena_array(&cli->arena, char *, WORDS_MOST);
    for (; words[count] != NULL; count++)
        copies[count] = arena_strdup(&cli->arena, words[count]);
    return cli_parse(cli, count, copies, &help, err) &&
           conf_load(&cli->conf, &cli->arena, NULL, err) && cli_settings_apply(cli, err);
}

static void an_option_overrides_the_configuration_and_says_so(void **state)
{
    (void)state;
    struct cli cli;
    struct err err = {0};
    static const char *const words[] = {"summarize", "--max-events", "12", "--max-memory-mb=64",
                                        NULL};
    assert_true(command_line(&cli, words, &err));
    assert_int_equal(conf_int(&cli.conf, CONF_max_events), 12);
    assert_string_equal(cli.conf.values[CONF_max_events].source, "option --max-events");
    assert_int_equal(conf_int(&cli.conf, CONF_max_memory_mb), 64);
    assert_int_equal(conf_int(&cli.conf, CONF_max_lines), conf_standard_int(CONF_max_lines));
    arena_done(&cli.arena);
}

static void a_value_out_of_range_names_the_option(void **state)
{
    (void)state;
    static const char *const values[] = {"0", "-1", "many", "9223372036854775808", ""};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct cli cli;
        struct err err = {0};
        const char *const words[] = {"summarize", "--max-events", values[i], NULL};
        assert_false(command_line(&cli, words, &err));
        assert_int_equal(err.kind, ERR_USAGE);
        assert_non_null(strstr(err.text, "option --max-events"));
        arena_done(&cli.arena);
    }
}

static void names_of_tunables_are_found_in_both_forms(void **state)
{
    (void)state;
    assert_int_equal(conf_key_find("max-string-bytes"), CONF_max_string_bytes);
    assert_int_equal(conf_key_find("max_string_bytes"), CONF_max_string_bytes);
    assert_int_equal(conf_key_find("max-string"), CONF_KEY_COUNT);
    assert_int_equal(conf_key_find("max-string-bytes-"), CONF_KEY_COUNT);
    assert_int_equal(conf_key_find(""), CONF_KEY_COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_limit_is_an_option_of_what_reads_profiles),
        cmocka_unit_test(an_option_overrides_the_configuration_and_says_so),
        cmocka_unit_test(a_value_out_of_range_names_the_option),
        cmocka_unit_test(names_of_tunables_are_found_in_both_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
