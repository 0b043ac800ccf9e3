/* stepledger db: the embedded PostgreSQL cluster by hand. */
#include "history/cluster.h"
#include "ops/cli/commands.h"
#include "ops/runtime/text_harmless.h"

#include <string.h>

enum { ANSWER_BYTES = 64 << 10 };

static bool print_status(const struct cluster_status *status, struct err *err)
{
    scoped_text out;
    text_init(&out, ANSWER_BYTES);
    text_addf(&out, "state    %s\n",
              !status->exists   ? "not made yet (`stepledger db start` makes it)"
              : status->running ? "running"
                                : "stopped");
    if (status->running)
        text_addf(&out, "process  %ld\n", (long)status->pid);
    harmless_line(&out, "data     %s", status->data_dir);
    harmless_line(&out, "socket   %s", status->socket_dir);
    harmless_line(&out, "log      %s", status->log_file);
    harmless_line(&out, "url      %s", status->url);
    return text_ok(&out, "the status", err) && cli_write(out.data, out.length, err);
}

static bool db_start(struct cli *cli, struct err *err)
{
    struct cluster_status status;
    return cluster_ensure(&cli->arena, &status, err) && print_status(&status, err);
}

static bool db_stop(struct cli *cli, struct err *err)
{
    (void)cli;
    return cluster_stop(err);
}

static bool db_status(struct cli *cli, struct err *err)
{
    struct cluster_status status;
    return cluster_inspect(&cli->arena, &status, err) && print_status(&status, err);
}

static bool db_url(struct cli *cli, struct err *err)
{
    struct cluster_status status;
    if (!cluster_inspect(&cli->arena, &status, err))
        return false;
    char *line = arena_printf(&cli->arena, "%s\n", status.url);
    return line == NULL ? arena_failed(&cli->arena, "the url", err)
                        : cli_write(line, strlen(line), err);
}

static const struct {
    const char *name;
    bool (*run)(struct cli *cli, struct err *err);
} actions[] = {{"start", db_start}, {"stop", db_stop}, {"status", db_status}, {"url", db_url}};

static int run_db(struct cli *cli)
{
    struct err err = {0};
    const char *wanted = cli->operands[0];
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        if (strcmp(actions[i].name, wanted) == 0)
            return actions[i].run(cli, &err) ? EXIT_OK : cli_fail(cli, &err);
    }
    (void)err_set(&err, ERR_USAGE, "unknown action '%s': start, stop, status or url", wanted);
    return cli_fail(cli, &err);
}

static const struct cli_option options[] = {CLI_END};

const struct cli_command cmd_db = {
    .name = "db",
    .line = "start, stop, show the embedded PostgreSQL",
    .operands = "start|stop|status|url",
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .details = "The embedded cluster serves every command when no --db, STEPLEDGER_DB or `db =\n"
               "…` names another database. It listens on a Unix socket only and is started on\n"
               "demand; `stop` ends it in order. `url` prints what psql and other clients\n"
               "connect to.\n\n"
               "exit: 0 done · 2 usage · 69 PostgreSQL is missing or does not start · 75 disk\n"
               "      full",
    .run = run_db,
};
