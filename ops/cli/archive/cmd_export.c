/* stepledger export: the whole ledger as lines of JSON, for `import` and for other programs; or a
 * month of it as an archive. */
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/cli/archive/export_lines.h"
#include "ops/cli/archive/export_month.h"
#include "ops/runtime/file.h"

static bool lines_write(struct cli *cli, struct export *export, struct err *err)
{
    scoped_db *db = NULL;
    if (!connect_reader(cli, &db, err))
        return false;
    export->db = db;
    export->conf = &cli->conf;
    export->manifest.arena = &cli->arena;
    bool done = db_begin_snapshot(db, err) && export_lines(export, err);
    db_rollback(db);
    return done;
}

static bool export_to(struct cli *cli, struct err *err)
{
    struct export export = {.path = cli_text(cli, "output"), .memory = cli->memory};
    if (export.path == NULL)
        return lines_write(cli, &export, err);
    scoped_file_output output;
    if (!file_output_open(&output, export.path, &cli->arena, err))
        return false;
    export.fd = output.fd;
    return lines_write(cli, &export, err) && file_output_finish(&output, err);
}

static int run_export(struct cli *cli)
{
    struct err err = {0};
    bool done;
    if (cli_given(cli, "detach") && !cli_given(cli, "month"))
        done = err_set(&err, ERR_USAGE, "option --detach: name the month with --month");
    else
        done = cli_given(cli, "month") ? export_month(cli, &err) : export_to(cli, &err);
    return done ? EXIT_OK : cli_fail(cli, &err);
}

static const struct cli_option options[] = {
    {"format", CLI_CHOICE, "jsonl", "jsonl", "lines of JSON", false},
    {"output", CLI_TEXT, "FILE", NULL, "write there (default: standard output)", false},
    {"month", CLI_TEXT, "YYYY-MM", NULL, "the contents of one month, as an archive", false},
    {"detach", CLI_FLAG, NULL, NULL, "take the month out of the ledger when its file is whole",
     false},
    CLI_DB,
    CLI_DB_READ,
    CLI_END,
};

const struct cli_command cmd_export = {
    .name = "export",
    .line = "write the whole ledger as lines of JSON, or a month as an archive",
    .operands = "",
    .options = options,
    .details =
        "Profiles, verdicts, acceptances, re-baselines, change points, moves of alerts, receipts\n"
        "of messages and track records, as one snapshot. The last line seals it: how many lines\n"
        "of each kind there are, their hashes and, when checkpoint_key is configured, a\n"
        "signature. `stepledger import` reads it into another ledger, and refuses one that was\n"
        "changed or cut off.\n\n"
        "--month writes what that month's profiles are made of (documents, devices, steps, ops)\n"
        "with the hashes that tie it to the chain, reads the file again, and prints its\n"
        "SHA-256. With --detach the month then leaves the ledger: an entry says where it went,\n"
        "`verify` stays clean, `verify --archive FILE` checks the file, `import FILE` brings the\n"
        "month back. Headers, measures, events and verdicts stay. The detached tables stay\n"
        "beside the others until their owner drops them. Needs the role that owns the ledger.\n\n"
        "exit: 0 done · 2 usage, not the owner · 6 no profile in that month, or it is gone\n"
        "      already · 65 cannot write there; the month is not over, or not what was\n"
        "      recorded · 69 database away, or readers do not let go · 75 disk full, or\n"
        "      profiles came meanwhile",
    .run = run_export,
};
