/* stepledger migrate: brings the schema of the ledger's database up to date. */
#include "history/migrate/migrate.h"
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/runtime/log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WHAT_BYTES = 300, LARGE_BYTES = 64 << 20 };

static bool migrate(struct cli *cli, struct err *err)
{
    const char *conninfo;
    scoped_db *db = NULL;
    struct migration_plan plan;
    struct migration_report report;
    if (!connect_owner(cli, &conninfo, err) || !db_open_raw(conninfo, &db, err) ||
        !migrate_look(db, &plan, err))
        return false;
    if (plan.missing_count > 0) {
        /* Before it takes its time: what is to be done, and what that needs. */
        char what[WHAT_BYTES];
        int used = snprintf(what, sizeof what, "%d migrations from version %d", plan.missing_count,
                            plan.version_before);
        if (plan.moved_bytes > LARGE_BYTES)
            (void)snprintf(what + used, sizeof what - (size_t)used,
                           "; about %" PRId64 " rows, %" PRId64 " MB, are moved into months in one "
                           "transaction: it needs as much room again, and others wait",
                           plan.moved_rows, plan.moved_bytes / 1000000);
        log_event(LOG_INFO, LOG_migration_begun, "what", what, NULL);
    }
    if (!migrate_run(db, &report, err))
        return false;
    char *line = arena_printf(&cli->arena,
                              "{\"applied\": %d, \"chained\": %" PRId64
                              ", \"version_after\": %d, \"version_before\": %d}\n",
                              report.applied_count, report.chained_count, report.version_after,
                              report.version_before);
    return cli_write(line, strlen(line), err);
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
        "own the schema. Killed anywhere, it goes on when it is run again. A ledger of before\n"
        "version 42 is written anew by month, in one transaction: log says how many rows and\n"
        "bytes; until it ends, readers and writers wait, and the disk holds it twice.\n\n"
        "exit: 0 up to date · 69 database away, or newer than this program · 75 disk full",
    .run = migrate,
};
