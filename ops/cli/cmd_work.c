/* stepledger work: one worker's loop by hand. */
#include "ops/cli/commands.h"
#include "ops/cli/connect.h"
#include "ops/runtime/json.h"
#include "ops/serve/worker_alert.h"

#include <string.h>

static bool work_alert(struct cli *cli, struct db *db, struct err *err)
{
    struct worker_report report = {0};
    if (!worker_alert_once(db, &cli->conf, &report, err))
        return false;
    char *line = arena_printf(
        &cli->arena, "{\"dead\": %lld, \"delivered\": %lld, \"retried\": %lld}\n",
        (long long)report.dead, (long long)report.delivered, (long long)report.retried);
    return line == NULL ? arena_failed(&cli->arena, "the report", err)
                        : cli_write(line, strlen(line), err);
}

static int run_work(struct cli *cli)
{
    struct err err = {0};
    scoped_db *db = NULL;
    if (strcmp(cli->operands[0], "alert") != 0)
        (void)err_set(&err, ERR_USAGE, "unknown worker '%s': alert", cli->operands[0]);
    else if (!cli_given(cli, "once"))
        (void)err_set(&err, ERR_USAGE,
                      "--once is missing: this worker handles what is due and ends");
    else if (connect_ledger(cli, &db, &err) && work_alert(cli, db, &err))
        return EXIT_OK;
    return cli_fail(cli, &err);
}

static const struct cli_option options[] = {
    {"once", CLI_FLAG, NULL, NULL, "handle what is due, then end", false},
    CLI_DB,
    CLI_END,
};

const struct cli_command cmd_work = {
    .name = "work",
    .line = "run a worker: deliver messages",
    .operands = "alert",
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .details = "`work alert --once` delivers every message of the outbox that is due to its\n"
               "destination ([destination NAME] in the configuration) and prints how many were\n"
               "delivered, set back for a retry, or given up.\n\n"
               "exit: 0 the outbox was worked through · 2 usage · 69 database away",
    .run = run_work,
};
