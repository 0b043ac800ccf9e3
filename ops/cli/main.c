/* stepledger: finds the command, loads the configuration, runs it. */
#include "ops/cli/cli.h"
#include "ops/cli/help/help.h"
#include "ops/runtime/log.h"
#include "ops/runtime/text_harmless.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COMMAND_MEMORY_BYTES = 256 << 20, HELP_BYTES = 256 << 10, HELP_TOPICS_MAX = 16 };

static const struct entry {
    const char *group;
    const struct cli_command *command;
} entries[] = {
#define CLI_ENTRY(group, name) {group, &cmd_##name},
    CLI_COMMANDS(CLI_ENTRY)
#undef CLI_ENTRY
};
enum { ENTRY_COUNT = sizeof entries / sizeof entries[0] };

static const struct cli_command *find_command(const char *name, struct err *err)
{
    const char *names[ENTRY_COUNT];
    for (size_t i = 0; i < ENTRY_COUNT; i++) {
        names[i] = entries[i].command->name;
        if (strcmp(names[i], name) == 0)
            return entries[i].command;
    }
    (void)err_set(err, ERR_USAGE, "unknown command '%s'%s; `stepledger --help` lists them", name,
                  text_suggestion(name, names, ENTRY_COUNT).words);
    return NULL;
}

static bool set_log_level(const struct cli *cli, struct err *err)
{
    static const struct {
        const char *name;
        enum log_level level;
    } levels[] = {
        {"error", LOG_ERROR}, {"warn", LOG_WARN}, {"info", LOG_INFO}, {"debug", LOG_DEBUG}};
    const char *wanted = conf_text(&cli->conf, CONF_log_level);
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        if (strcmp(levels[i].name, wanted) == 0) {
            log_set_level(levels[i].level);
            return true;
        }
    }
    return err_set(err, ERR_USAGE, "%s: log_level = '%s' must be error, warn, info or debug",
                   cli->conf.values[CONF_log_level].source, wanted);
}

static int help_end(const struct text *help, struct err *err)
{
    if (text_ok(help, "the help", err) && cli_write(help->data, help->length, err))
        return EXIT_OK;
    harmless_say("stepledger help: %s", err->text);
    return (int)exit_code_of(err->kind);
}

static int print_overview(void)
{
    struct err err = {0};
    scoped_text out;
    text_init(&out, HELP_BYTES);
    text_addf(&out,
              "stepledger %s: an append-only ledger of training-step performance\n\n"
              "usage: stepledger COMMAND [OPTION]... [OPERAND]...\n",
              STEPLEDGER_VERSION);
    const char *group = "";
    for (size_t i = 0; i < ENTRY_COUNT; i++) {
        if (strcmp(group, entries[i].group) != 0)
            text_addf(&out, "\n%s\n", entries[i].group);
        group = entries[i].group;
        text_addf(&out, "  %-11s %s\n", entries[i].command->name, entries[i].command->line);
    }
    text_add(&out, "\n`stepledger COMMAND --help` explains one. `stepledger help TOPIC`:\n");
    for (size_t i = 0; i < help_topic_count; i++)
        text_addf(&out, "  %-11s %s\n", help_topics[i].name, help_topics[i].line);
    return help_end(&out, &err);
}

static int print_version(void)
{
    struct err err = {0};
    scoped_text out;
    text_init(&out, HELP_BYTES);
    text_addf(&out, "stepledger %s\n", STEPLEDGER_VERSION);
    return help_end(&out, &err);
}

static int print_help(const struct cli_command *command)
{
    struct err err = {0};
    scoped_text help;
    text_init(&help, HELP_BYTES);
    cli_help(command, &help);
    return help_end(&help, &err);
}

/* A topic or a command. */
static int help(const char *name)
{
    const char *names[ENTRY_COUNT + HELP_TOPICS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < help_topic_count; i++) {
        if (strcmp(help_topics[i].name, name) == 0) {
            struct err err = {0};
            scoped_arena arena;
            scoped_text out;
            arena_init(&arena, COMMAND_MEMORY_BYTES);
            text_init(&out, HELP_BYTES);
            help_topics[i].print(&arena, &out);
            return help_end(&out, &err);
        }
        names[count++] = help_topics[i].name;
    }
    for (size_t i = 0; i < ENTRY_COUNT; i++) {
        if (strcmp(entries[i].command->name, name) == 0)
            return print_help(entries[i].command);
        names[count++] = entries[i].command->name;
    }
    harmless_say("stepledger help: '%s' is neither a topic nor a command%s; `stepledger help` "
                 "lists them",
                 name, text_suggestion(name, names, count).words);
    return EXIT_USAGE;
}

static int run_command(struct cli *cli, int argc, char **argv)
{
    struct err err = {0};
    bool help = false;
    if (!cli_parse(cli, argc, argv, &help, &err))
        return cli_fail(cli, &err);
    if (help)
        return print_help(cli->command);
    if (!conf_load(&cli->conf, &cli->arena, cli_text(cli, "config"), &err) ||
        !cli_settings_apply(cli, &err) || !set_log_level(cli, &err))
        return cli_fail(cli, &err);
    cli->memory->budget_bytes = conf_memory_bytes(&cli->conf);
    cli->arena.budget_bytes = cli->memory->budget_bytes;
    return cli->command->run(cli, &err) ? (int)cli->code : cli_fail(cli, &err);
}

/* A file that grows beyond the limit of the shell fails its write, which removes what it began. */
static void file_limit_pass(int signal_number)
{
    (void)signal_number; /* a handler, not SIG_IGN, which the commands of `interleave` would inherit
                          */
}

/* What stood in the environment at the start is shown by /proc/PID/environ and `ps e` for as long
 * as the process lives, passwords and keys with it: getenv gets a copy, the original is wiped. Each
 * child does the same with what it is handed. */
static void environment_hide(void)
{
    size_t count = 0, bytes = 0;
    for (; environ != NULL && environ[count] != NULL; count++)
        bytes += strlen(environ[count]) + 1;
    char **copy = memory_alloc((count + 1) * sizeof *copy + bytes);
    char *at = (char *)(copy + count + 1);
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(environ[i]) + 1;
        copy[i] = memcpy(at, environ[i], length);
        at += length;
        explicit_bzero(environ[i], length);
    }
    copy[count] = NULL;
    environ = copy;
}

/* Who starts the program may have closed its input, output or errors, and the next file that it
 * opens would get that number: documents and lines of the log would go to the server's socket. What
 * takes the place is opened the other way round, so that each use of it fails as of a closed one.
 */
static void streams_hold_places(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            _exit(EXIT_TRY_LATER);
}

int main(int argc, char **argv)
{
    streams_hold_places();
    memory_share();
    environment_hide();
    (void)signal(SIGXFSZ, file_limit_pass);
    if (argc < 2) {
        harmless_say("stepledger: a command is missing; `stepledger --help` lists them");
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0)
        return argc > 2 ? help(argv[2]) : print_overview();
    if (strcmp(argv[1], "--version") == 0)
        return print_version();
    struct err err = {0};
    struct arena memory;
    struct cli cli = {.command = find_command(argv[1], &err), .memory = &memory};
    if (cli.command == NULL) {
        harmless_say("stepledger: %s", err.text);
        return EXIT_USAGE;
    }
    arena_init(&memory, COMMAND_MEMORY_BYTES); /* until the configuration is read */
    arena_init_within(&cli.arena, &memory);
    json_memory_within(&memory);
    int code = run_command(&cli, argc - 1, argv + 1);
    arena_done(&cli.arena);
    return code;
}
