/* stepledger serve: all workers under one supervisor. */
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/serve/process/process.h"

static bool serve(struct cli *cli, struct err *err)
{
    const struct supervised kinds[] = {
        {.kind = "ingest", .count = (int)conf_int(&cli->conf, CONF_workers)},
        {.kind = "compare", .count = 1},
        {.kind = "alert", .count = 1},
        {.kind = "schedule", .count = 1},
        {.kind = "metrics", .count = conf_int(&cli->conf, CONF_metrics_port) != 0},
    };
    const struct supervisor_setting setting = {
        .conf = &cli->conf,
        .conninfo = connect_configured(cli),
        .config_file = cli_text(cli, "config"),
        .log_level = cli_text(cli, "log-level"),
        .kinds = kinds,
        .kind_count = sizeof kinds / sizeof kinds[0],
    };
    return supervisor_run(&setting, err);
}

static const struct cli_option options[] = {CLI_DB, CLI_END};

const struct cli_command cmd_serve = {
    .name = "serve",
    .line = "run all workers under one supervisor",
    .operands = "",
    .options = options,
    .details =
        "Starts `work ingest` (as many as `workers` says), `work compare`, `work alert`, `work\n"
        "schedule` and, when metrics_port is set, `work metrics`; starts again what ends, after\n"
        "a backoff.\n"
        "Stays in the foreground and speaks systemd's protocol (READY, WATCHDOG); `stepledger\n"
        "status` shows what it does. SIGTERM ends all of it in order, SIGHUP stops the workers\n"
        "and starts them with the configuration of then.\n\n"
        "exit: 0 stopped · 2 usage · 70 internal error",
    .run = serve,
};
