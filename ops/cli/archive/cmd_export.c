/* stepledger export: the whole ledger as lines of JSON, for `import` and for other programs; or a
 * month of it as an archive. */
#include "history/archive/archive.h"
#include "ops/cli/archive/export.h"
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/runtime/file.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static bool lines_write(struct cli *cli, struct export *export, struct err *err)
{
    scoped_db *db = NULL;
    scoped_transaction *open = NULL;
    if (!connect_reader(cli, &db, err))
        return false;
    export->db = db;
    export->conf = &cli->conf;
    export->manifest.arena = &cli->arena;
    return snapshot_open(db, &open, err) && export_lines(export, err);
}

/* ---- a month --------------------------------------------------------------------------------- */

/* Writes the file of --output, with --detach takes the month out, and prints what was done. */
static bool export_month(struct cli *cli, struct err *err)
{
    int64_t archive_id = 0;
    struct archive_file file;
    scoped_db *db = NULL;
    char whole[PATH_MAX], id[24], hex[SHA256_HEX_BYTES];
    const char *path = cli_text(cli, "output");
    if (path == NULL)
        return err_set(err, ERR_USAGE, "option --month: name the file with --output");
    const char *month = cli_text(cli, "month"), *conninfo;
    if (!(cli_given(cli, "detach")
              ? connect_owner(cli, &conninfo, err) && db_open(conninfo, &db, err) &&
                    archive_detachable(db, month, err)
              : connect_reader(cli, &db, err)) ||
        !archive_write(db, month, path, &file, err))
        return false;
    /* The file is named by its whole path in the ledger: who looks for it in years is somebody
     * else, elsewhere. */
    if (realpath(path, whole) != NULL)
        path = whole;
    if (cli_given(cli, "detach") && !archive_detach(db, path, &file, &archive_id, err))
        return false;
    (void)snprintf(id, sizeof id, "x%" PRId64, archive_id);
    text_hex(file.sha256, SHA256_BYTES, hex);
    return document_print(NULL,
                          json_pack("{ss, ss, so, ss, sI, sI, sI, so}", "schema_version",
                                    "archive_receipt.v1", "month", file.month, "file",
                                    json_text(path), "sha256", hex, "bytes", (json_int_t)file.bytes,
                                    "profiles", (json_int_t)file.profile_count, "rows",
                                    (json_int_t)file.row_count, "archive",
                                    archive_id == 0 ? json_null() : json_string(id)),
                          err);
}

/* ---- the command ----------------------------------------------------------------------------- */

static bool export(struct cli *cli, struct err *err)
{
    if (cli_given(cli, "detach") && !cli_given(cli, "month"))
        return err_set(err, ERR_USAGE, "option --detach: name the month with --month");
    if (cli_given(cli, "month"))
        return export_month(cli, err);
    struct export export = {.path = cli_text(cli, "output"), .memory = cli->memory};
    if (export.path == NULL)
        return lines_write(cli, &export, err);
    scoped_file_output output;
    if (!file_output_open(&output, export.path, &cli->arena, err))
        return false;
    export.fd = output.fd;
    return lines_write(cli, &export, err) && file_output_finish(&output, err);
}

static const struct cli_option options[] = {
    {"format", CLI_CHOICE, "jsonl", "jsonl", "lines of JSON"},
    {"output", CLI_TEXT, "FILE", NULL, "write there (default: standard output)"},
    {"month", CLI_TEXT, "YYYY-MM", NULL, "the contents of one month, as an archive"},
    {"detach", CLI_FLAG, NULL, NULL, "take the month out of the ledger when its file is whole"},
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
        "Series, profiles, verdicts, acceptances, re-baselines, change points, reports, moves of\n"
        "alerts, receipts of messages and track records, as one snapshot. The last line seals\n"
        "it: how many lines of each kind there are, their hashes and, when checkpoint_key is\n"
        "configured, a signature. `stepledger import` reads it into another ledger, and refuses\n"
        "one that was changed or cut off.\n\n"
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
    .run = export,
};
