/* Writes archives. The file is named by its whole path in the ledger: who looks for it in years is
 * somebody else, elsewhere. */
#include "ops/cli/cli.h"
#include "ops/cli/archive/export_month.h"

#include "history/archive/archive.h"
#include "ops/cli/operand/operand.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *whole_path(struct cli *cli, const char *path)
{
    char *whole = realpath(path, NULL);
    const char *copy = whole == NULL ? path : arena_strdup(&cli->arena, whole);
    free(whole);
    return copy;
}

static bool receipt_print(const struct archive_file *file, const char *path, int64_t archive_id,
                          struct err *err)
{
    char id[24], hex[SHA256_HEX_BYTES];
    (void)snprintf(id, sizeof id, "x%" PRId64, archive_id);
    text_hex(file->sha256, SHA256_BYTES, hex);
    return document_print(
        NULL,
        json_pack("{ss, ss, so, ss, sI, sI, sI, so}", "schema_version", "archive_receipt.v1",
                  "month", file->month, "file", json_text(path), "sha256", hex, "bytes",
                  (json_int_t)file->bytes, "profiles", (json_int_t)file->profile_count, "rows",
                  (json_int_t)file->row_count, "archive",
                  archive_id == 0 ? json_null() : json_string(id)),
        err);
}

static bool month_open(struct cli *cli, struct db **ret_db, struct err *err)
{
    const char *conninfo;
    if (!cli_given(cli, "detach"))
        return connect_reader(cli, ret_db, err);
    return connect_owner(cli, &conninfo, err) && db_open(conninfo, ret_db, err);
}

bool export_month(struct cli *cli, struct err *err)
{
    int64_t id = 0;
    struct archive_file file;
    scoped_db *db = NULL;
    const char *path = cli_text(cli, "output");
    if (path == NULL)
        return err_set(err, ERR_USAGE, "option --month: name the file with --output");
    if (!month_open(cli, &db, err) || !archive_write(db, cli_text(cli, "month"), path, &file, err))
        return false;
    path = whole_path(cli, path);
    if (path == NULL)
        return arena_failed(&cli->arena, "the path", err);
    if (cli_given(cli, "detach") && !archive_detach(db, path, &file, &id, err))
        return false;
    return receipt_print(&file, path, id, err);
}
