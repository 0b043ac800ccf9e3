/* stepledger log: the entries of the ledger as they hang on their chains. */
#include "history/reading/reading.h"
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/runtime/text_harmless.h"

#include <inttypes.h>
#include <string.h>

enum { LOG_MAX_BYTES = 1 << 30 };

static const struct member entry_members[] = {
    M_FIELDS(log_entry, chain, kind, entry, supersedes, position, recorded_at_utc, sha256),
};
static const struct record entry_record = RECORD_OF(log_entry, entry_members);

struct log_document {
    const char *schema_version;
    struct log_page page;
};

static const struct member log_members[] = {
    M_TEXT(log_document, schema_version),
    M_LIST("entries", log_document, page.items, page.count, log_entry, entry_record),
};
static const struct record log_record = RECORD_OF(log_document, log_members);

static bool log_show(struct cli *cli, struct err *err)
{
    struct arena *arena = &cli->arena;
    struct log_page page;
    scoped_db *db = NULL;
    const struct log_query query = {
        .chain = cli_text(cli, "series"),
        .project = cli_text(cli, "project"),
        .last = cli_int(cli, "last"),
    };
    if (query.last < 1)
        return err_set(err, ERR_USAGE, "--last takes a number from 1 on");
    if (!connect_reader(cli, &db, err) || !ledger_log(db, &query, arena, &page, err))
        return false;
    if (page.count == 0 && (query.chain != NULL || query.project != NULL))
        return err_set(err, ERR_MISSING, "the ledger holds no entry of %s",
                       query.chain != NULL ? query.chain : query.project);
    if (strcmp(cli_text(cli, "format"), "json") == 0)
        return record_emit(&log_record, &(struct log_document){"log.v1", page}, err);
    scoped_text out;
    text_init(&out, LOG_MAX_BYTES);
    for (size_t i = 0; i < page.count; i++) {
        const struct log_entry *entry = &page.items[i];
        harmless_line(&out, "%s  %-8s %6" PRId64 "  %-10s %-8s %.16s", entry->recorded_at_utc,
                      entry->chain, entry->position, entry->kind, entry->entry, entry->sha256);
    }
    return text_ok(&out, "the log", err) && cli_write(text_string(&out), out.length, err);
}

static const struct cli_option options[] = {
    {"series", CLI_TEXT, "CHAIN", NULL, "one chain: s3 of a series, j1 of a project, ledger"},
    {"project", CLI_TEXT, "P", NULL, "all chains of a project"},
    {"last", CLI_INT, "N", "20", "entries listed"},
    {"format", CLI_CHOICE, "text|json", "text", "what to print"},
    CLI_DB,
    CLI_DB_READ,
    CLI_END,
};

const struct cli_command cmd_log = {
    .name = "log",
    .line = "list the last entries of the ledger's chains",
    .operands = "",
    .options = options,
    .details = "Newest first: time, chain, position in it, kind, id and hash of each entry.\n\n"
               "exit: 0 shown · 2 usage · 6 no entry · 69 database away",
    .run = log_show,
};
