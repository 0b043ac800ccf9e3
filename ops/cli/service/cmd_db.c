/* stepledger db: the embedded PostgreSQL cluster by hand. */
#include "history/cluster/cluster.h"
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/cli/service/db_actions.h"
#include "ops/runtime/text_harmless.h"

#include <string.h>

enum { ANSWER_BYTES = 64 << 10 };

static bool print_status(struct cli *cli, const struct cluster_status *status, struct err *err)
{
    scoped_text out;
    text_init(&out, ANSWER_BYTES);
    struct backup_memory last;
    if (!backup_memory_read(&cli->arena, &last, err))
        return false;
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
    if (last.path != NULL)
        harmless_line(&out, "backup   %s (%s)", last.path, last.begun_at_utc);
    return text_ok(&out, "the status", err) && cli_write(out.data, out.length, err);
}

static bool db_start(struct cli *cli, struct err *err)
{
    struct cluster_status status;
    return cluster_ensure(&cli->arena, &status, err) && print_status(cli, &status, err);
}

static bool db_stop(struct cli *cli, struct err *err)
{
    (void)cli;
    return cluster_stop(err);
}

static bool db_status(struct cli *cli, struct err *err)
{
    struct cluster_status status;
    return cluster_inspect(&cli->arena, &status, err) && print_status(cli, &status, err);
}

static bool db_url(struct cli *cli, struct err *err)
{
    struct cluster_status status;
    if (!cluster_inspect(&cli->arena, &status, err))
        return false;
    const char *line = arena_printf(&cli->arena, "%s\n", status.url);
    return cli_write(line, strlen(line), err);
}

static const struct action {
    const char *name;
    bool (*run)(struct cli *cli, struct err *err);
    size_t operands;
    bool of_embedded; /* refused where another database is configured */
} actions[] = {
    {"start", db_start, 1, false}, {"stop", db_stop, 1, false},    {"status", db_status, 1, false},
    {"url", db_url, 1, false},     {"backup", db_backup, 2, true}, {"restore", db_restore, 2, true},
};

static bool action_check(const struct cli *cli, const struct action *action, struct err *err)
{
    if (action->of_embedded && connect_configured(cli) != NULL)
        return err_set(err, ERR_USAGE,
                       "`db %s` is for the embedded database, and another one is configured: back "
                       "that one up with its own means, pg_basebackup or pg_dump "
                       "(STEPLEDGER_DB= for the embedded one)",
                       action->name);
    if (cli->operand_count < action->operands)
        return err_set(err, ERR_USAGE, "`db %s` needs the folder of the backup", action->name);
    return cli->operand_count == action->operands ||
           err_set(err, ERR_USAGE, "`db %s` takes nothing like '%s'", action->name,
                   cli->operands[action->operands]);
}

static bool db(struct cli *cli, struct err *err)
{
    const char *wanted = cli->operands[0];
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
        if (strcmp(actions[i].name, wanted) == 0)
            return action_check(cli, &actions[i], err) && actions[i].run(cli, err);
    return err_set(err, ERR_USAGE,
                   "unknown action '%s': start, stop, status, url, backup or restore", wanted);
}

static const struct cli_option options[] = {
    {"replace", CLI_FLAG, NULL, NULL, "restore: move the ledger that is there aside"},
    {"despite-findings", CLI_FLAG, NULL, NULL, "restore: also what `verify` finds something in"},
    {"db", CLI_TEXT, "CONNINFO", NULL, "of no use here: this is about the embedded database"},
    CLI_END,
};

const struct cli_command cmd_db = {
    .name = "db",
    .line = "start, stop, show, back up, restore the embedded PostgreSQL",
    .operands = "start|stop|status|url|backup DIR|restore DIR",
    .operand_min = 1,
    .operand_max = 2,
    .options = options,
    .details =
        "The embedded cluster serves every command when no --db, STEPLEDGER_DB or `db =\n"
        "…` names another database. It listens on a Unix socket only and is started on\n"
        "demand; `stop` ends it in order. `url` prints what psql and other clients\n"
        "connect to.\n\n"
        "`backup DIR` writes the ledger as it is now to a new folder, while others work on:\n"
        "all that was acknowledged before it began is in it. Its note, backup.json, says how\n"
        "far every chain is, and is signed when checkpoint_key is configured. Under its name a\n"
        "backup is whole and verified; the folder in which it lies must be there.\n\n"
        "`restore DIR` makes the ledger of a backup that of this data home (XDG_DATA_HOME).\n"
        "It copies, runs and verifies the backup first. A ledger that is there is refused, or\n"
        "with --replace moved aside and kept; the answer says where. It says, too, when this\n"
        "machine has seen more of the ledger than the backup holds.\n\n"
        "exit: 0 done · 2 usage, another database is configured · 6 no such folder or backup ·\n"
        "      65 the folder is taken, a ledger is there, the backup is not what was taken, or\n"
        "      `verify` finds something in it · 69 PostgreSQL is missing, of another major\n"
        "      version, or does not start · 75 disk full, or another command is making that\n"
        "      backup",
    .run = db,
};
