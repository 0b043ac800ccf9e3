/* stepledger history: what the track records of a JSONL file, or of the ledger, hold in all. */
#include "history/reading/reading.h"
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/present/report/report.h"
#include "ops/runtime/file.h"

enum { HISTORY_MAX_BYTES = 1 << 30 };

/* The records of the ledger, as the file would hold them. */
static bool ledger_lines(struct cli *cli, struct arena *arena, struct text *out, struct err *err)
{
    scoped_db *db = NULL;
    struct track_query query = {0};
    if (!cli_scope(cli, &query.project, &query.workload, err) || !connect_reader(cli, &db, err))
        return false;
    for (;;) {
        struct track_page page;
        struct arena_mark mark = arena_mark(arena);
        if (!ledger_tracks(db, &query, arena, &page, err))
            return false;
        for (size_t i = 0; i < page.count; i++)
            text_addf(out, "%s\n", page.items[i].document);
        if (page.count == 0)
            return text_ok(out, "the history", err);
        query.after_id = page.items[page.count - 1].id;
        arena_rewind(arena, mark);
    }
}

static bool history(struct cli *cli, struct err *err)
{
    struct arena *arena = &cli->arena;
    if (!cli_given(cli, "history")) {
        scoped_text lines;
        text_init(&lines, HISTORY_MAX_BYTES);
        return ledger_lines(cli, arena, &lines, err) &&
               document_print(cli_text(cli, "output"),
                              history_summary(text_string(&lines), lines.length, "ledger",
                                              cli_int(cli, "tail"), err),
                              err);
    }
    const char *path = path_normal(arena, cli_text(cli, "history"));
    char *data = NULL;
    size_t length = 0;
    /* A file that does not exist yet is a history without records, as the reference has it. */
    if (!file_read(path, HISTORY_MAX_BYTES, arena, &data, &length, err) && err->kind != ERR_MISSING)
        return false;
    return document_print(cli_text(cli, "output"),
                          history_summary(data, length, path, cli_int(cli, "tail"), err), err);
}

static const struct cli_option options[] = {
    {"history", CLI_TEXT, "FILE", NULL, "JSONL file that `track --history` appends to"},
    {"tail", CLI_INT, "N", "20", "records listed"},
    {"output", CLI_TEXT, "FILE", NULL, "write the document there and print the path"},
    CLI_PROJECT,
    CLI_WORKLOAD,
    CLI_DB,
    CLI_DB_READ,
    CLI_END,
};

const struct cli_command cmd_history = {
    .name = "history",
    .line = "sum up track records of a file or of the ledger",
    .operands = "",
    .options = options,
    .details =
        "Counts statuses and messages and lists the last records. A file that does not exist\n"
        "is a history without records. Without --history the ledger's records of the project\n"
        "and workload are read (`import` puts them there).\n\n"
        "exit: 0 done · 1 error, such as a torn line · 2 usage",
    .run = history,
    .compatible = true,
};
