/* Parses a command's options from its table, and prints its help from the same table. */
#include "ops/cli/cli.h"

#include <assert.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

/* Every command has these, behind its own. */
static const struct cli_option common_options[] = {
    {"config", CLI_TEXT, "FILE", NULL, "a configuration file, read after the usual ones"},
    {"log-level", CLI_SETTING, "LEVEL", NULL, NULL},
    CLI_TUNABLE("max-memory-mb"),
    {"help", CLI_FLAG, NULL, NULL, "this text"},
    CLI_END,
};

enum { OPTION_MAX = 64, HELP_COLUMN = 34 };

/* The command's options followed by the common ones, as one list. */
static size_t all_options(const struct cli_command *command, const struct cli_option **list)
{
    size_t count = 0;
    for (const struct cli_option *o = command->options; o->name != NULL; o++)
        list[count++] = o;
    for (const struct cli_option *o = common_options; o->name != NULL; o++)
        list[count++] = o;
    assert(count < OPTION_MAX);
    return count;
}

static size_t option_index(const struct cli *cli, const char *name)
{
    const struct cli_option *list[OPTION_MAX];
    size_t count = all_options(cli->command, list);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i]->name, name) == 0)
            return i;
    }
    assert(false && "the command's table has this option");
    return 0;
}

const struct cli_value *cli_value(const struct cli *cli, const char *name)
{
    return &cli->values[option_index(cli, name)];
}

bool cli_given(const struct cli *cli, const char *name)
{
    return cli_value(cli, name)->given;
}

const char *cli_text(const struct cli *cli, const char *name)
{
    return cli_value(cli, name)->text;
}

int64_t cli_int(const struct cli *cli, const char *name)
{
    return cli_value(cli, name)->integer;
}

double cli_real(const struct cli *cli, const char *name)
{
    return cli_value(cli, name)->real;
}

static enum conf_key setting_key(const struct cli_option *option)
{
    enum conf_key key = conf_key_find(option->name);
    assert(key < CONF_KEY_COUNT && "the option is named like a tunable");
    return key;
}

bool cli_is_choice(const char *choices, const char *word)
{
    size_t length = strlen(word);
    for (const char *p = choices; p != NULL; p = strchr(p, '|')) {
        p += *p == '|';
        if (strncmp(p, word, length) == 0 && (p[length] == '|' || p[length] == '\0'))
            return length > 0;
    }
    return false;
}

/* Numbers have no blanks around them, as Python and C take them: what a script put there by mistake
 * is refused, by whatever name the option goes. */
static bool has_blanks(const char *text)
{
    static const char blanks[] = " \t\r\n\v\f";
    return *text == '\0' || strpbrk(text, blanks) != NULL;
}

static bool value_set(struct cli *cli, const struct cli_option *option, struct cli_value *value,
                      const char *text, struct err *err)
{
    value->text = text;
    switch (option->kind) {
    case CLI_INT:
        if (has_blanks(text) || !text_python_int(text, strlen(text), &value->integer))
            return err_set(err, ERR_USAGE, "option --%s: '%s' is not a whole number", option->name,
                           text);
        return true;
    case CLI_REAL:
        if (has_blanks(text) || !text_parse_double(text, &value->real))
            return err_set(err, ERR_USAGE, "option --%s: '%s' is not a number", option->name, text);
        return true;
    case CLI_CHOICE:
        if (!cli_is_choice(option->metavar, text))
            return err_set(err, ERR_USAGE, "option --%s: '%s' is none of %s", option->name, text,
                           option->metavar);
        return true;
    case CLI_LIST:
        value->list = arena_grow(&cli->arena, value->list, value->count, &value->capacity,
                                 sizeof *value->list);
        value->list[value->count++] = text;
        return true;
    default:
        return true;
    }
}

static bool unknown_option(const struct cli_option *const *list, size_t count, const char *given,
                           struct err *err)
{
    const char *names[OPTION_MAX];
    char word[128];
    (void)snprintf(word, sizeof word, "%.*s", (int)strcspn(given, "="), given);
    const char *bare = word + strspn(word, "-");
    for (size_t i = 0; i < count; i++)
        names[i] = list[i]->name;
    const char *near = text_nearest(bare, names, count);
    return err_set(err, ERR_USAGE, "unknown option '%s'%s%s%s", word,
                   near != NULL ? "; did you mean '--" : "", near != NULL ? near : "",
                   near != NULL ? "'?" : "");
}

static bool scan_options(struct cli *cli, int argc, char **argv, struct err *err)
{
    const struct cli_option *list[OPTION_MAX];
    struct option forms[OPTION_MAX] = {0};
    size_t count = all_options(cli->command, list);
    for (size_t i = 0; i < count; i++)
        forms[i] = (struct option){
            list[i]->name, list[i]->kind == CLI_FLAG ? no_argument : required_argument, NULL, 0};
    opterr = 0;
    optind = 1;
    for (;;) {
        int index = -1, at = optind;
        int got = getopt_long(argc, argv, ":h", forms, &index);
        if (got == -1)
            return true;
        const char *word = argv[at > 0 && at < argc ? at : argc - 1];
        if (got == 'h') {
            cli->values[option_index(cli, "help")].given = true;
            continue;
        }
        if (got == ':')
            return err_set(err, ERR_USAGE, "option '%s' needs a value", argv[optind - 1]);
        if (got == '?' && optopt == 0)
            return unknown_option(list, count, argv[optind - 1], err);
        if (got == '?')
            return err_set(err, ERR_USAGE, "option '%s' is unknown or takes no value", word);
        cli->values[index].given = true;
        if (list[index]->kind != CLI_FLAG &&
            !value_set(cli, list[index], &cli->values[index], optarg, err))
            return false;
    }
}

bool cli_parse(struct cli *cli, int argc, char **argv, bool *ret_help, struct err *err)
{
    const struct cli_option *list[OPTION_MAX];
    const struct cli_command *command = cli->command;
    size_t count = all_options(command, list);
    cli->values = arena_array(&cli->arena, struct cli_value, count);
    for (size_t i = 0; i < count; i++) {
        if (list[i]->standard != NULL &&
            !value_set(cli, list[i], &cli->values[i], list[i]->standard, err))
            return false;
    }
    if (!scan_options(cli, argc, argv, err))
        return false;
    cli->operands = (const char **)(argv + optind);
    cli->operand_count = (size_t)(argc - optind);
    *ret_help = cli->values[option_index(cli, "help")].given;
    if (*ret_help)
        return true;
    if (command->required != NULL && !cli_given(cli, command->required))
        return err_set(err, ERR_USAGE, "option --%s is required", command->required);
    if ((int)cli->operand_count < command->operand_min)
        return err_set(err, ERR_USAGE, "%s is missing; `stepledger %s --help` explains",
                       command->operands, command->name);
    if (command->operand_max >= 0 && (int)cli->operand_count > command->operand_max)
        return err_set(err, ERR_USAGE, "unexpected operand '%s'",
                       cli->operands[command->operand_max]);
    return true;
}

bool cli_settings_apply(struct cli *cli, struct err *err)
{
    const struct cli_option *list[OPTION_MAX];
    size_t count = all_options(cli->command, list);
    for (size_t i = 0; i < count; i++) {
        if (list[i]->kind != CLI_SETTING || !cli->values[i].given)
            continue;
        const char *source = arena_printf(&cli->arena, "option --%s", list[i]->name);
        if (!conf_set(&cli->conf, setting_key(list[i]), cli->values[i].text, source, err))
            return false;
    }
    return true;
}

void cli_help(const struct cli_command *command, struct text *out)
{
    text_addf(out, "stepledger %s: %s\n\nusage: stepledger %s [OPTION]...%s%s\n\noptions\n",
              command->name, command->line, command->name, command->operands[0] != '\0' ? " " : "",
              command->operands);
    const struct cli_option *list[OPTION_MAX];
    size_t count = all_options(command, list);
    for (size_t i = 0; i < count; i++) {
        const struct cli_option *option = list[i];
        const char *help = option->help, *standard = option->standard;
        if (option->kind == CLI_SETTING) {
            help = conf_key_help(setting_key(option));
            standard = conf_key_standard(setting_key(option));
        }
        size_t start = out->length;
        text_addf(out, "  --%s", option->name);
        if (option->kind == CLI_CHOICE)
            text_addf(out, " {%s}", option->metavar);
        else if (option->kind != CLI_FLAG)
            text_addf(out, " %s", option->metavar);
        size_t used = out->length - start;
        if (used + 2 > HELP_COLUMN) {
            text_addc(out, '\n');
            used = 0;
        }
        text_addf(out, "%*s%s", (int)(HELP_COLUMN - used), "", help);
        if (option->kind == CLI_LIST)
            text_add(out, " (may be repeated)");
        if (standard != NULL && standard[0] != '\0')
            text_addf(out, " (default: %s)", standard);
        if (command->required != NULL && strcmp(option->name, command->required) == 0)
            text_add(out, " (required)");
        text_addc(out, '\n');
    }
    text_addf(out, "\n%s\n", command->details);
}
