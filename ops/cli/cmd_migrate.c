/* stepledger migrate: brings the schema of the ledger's database up to date. */
#include "history/migrate.h"
#include "ops/cli/commands.h"
#include "ops/cli/connect.h"

#include <inttypes.h>
#include <string.h>

static bool migrate(struct cli *cli, struct err *err)
{
    const char *conninfo;
    scoped_db *db = NULL;
    struct migration_report report;
    if (!connect_owner(cli, &conninfo, err) || !db_open_raw(conninfo, &db, err) ||
        !migrate_run(db, &report, err))
        return false;
    char *line = arena_printf(&cli->arena,
                              "{\"applied\": %d, \"chained\": %" PRId64
                              ", \"version_after\": %d, \"version_before\": %d}\n",
                              report.applied_count, report.chained_count, report.version_after,
                              report.version_before);
    return line == NULL ? arena_failed(&cli->arena, "the report", err)
                        : cli_write(line, strlen(line), err);
}

static int run_migrate(struct cli *cli)
{
    struct err err = {0};
    return migrate(cli, &err) ? EXIT_OK : cli_fail(cli, &err);
}

static const struct cli_option options[] = {CLI_DB, CLI_END};

const struct cli_command cmd_migrate = {
    .name = "migrate",
    .line = "bring the database's schema up to date",
    .operands = "",
    .options = options,
    .details =
        "Applies the migrations that are missing, each in one transaction under a lock,\n"
        "so that two at once are safe, then gives entries to rows that older versions wrote\n"
        "without. Prints one JSON line; chained: how many rows. With --db the role needs to\n"
        "own the schema.\n\n"
        "exit: 0 up to date · 69 database away, or newer than this program · 75 disk full",
    .run = run_migrate,
};
