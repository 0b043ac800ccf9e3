/* stepledger history: what a JSONL file of track records holds in all. */
#include "ops/cli/commands.h"
#include "ops/cli/documents.h"
#include "ops/present/history_report.h"
#include "ops/runtime/file.h"

enum { HISTORY_MAX_BYTES = 1 << 30 };

static bool history(struct cli *cli, struct arena *arena, struct err *err)
{
    const char *path = path_normal(arena, cli_text(cli, "history"));
    if (path == NULL)
        return arena_failed(arena, "the history", err);
    char *data = NULL;
    size_t length = 0;
    /* A file that does not exist yet is a history without records, as the reference has it. */
    if (!file_read(path, HISTORY_MAX_BYTES, arena, &data, &length, err) && err->kind != ERR_MISSING)
        return false;
    return document_print(cli_text(cli, "output"),
                          history_summary(data, length, path, cli_int(cli, "tail"), err), err);
}

static int run_history(struct cli *cli)
{
    struct err err = {0};
    scoped_arena arena;
    arena_init(&arena, cli_budget(cli));
    return history(cli, &arena, &err) ? EXIT_OK : cli_fail(cli, &err);
}

static const struct cli_option options[] = {
    {"history", CLI_TEXT, "FILE", NULL, "JSONL file that `track --history` appends to", true},
    {"tail", CLI_INT, "N", "20", "records listed", false},
    {"output", CLI_TEXT, "FILE", NULL, "write the document there and print the path", false},
    CLI_END,
};

const struct cli_command cmd_history = {
    .name = "history",
    .line = "sum up a file of track records",
    .operands = "",
    .options = options,
    .details =
        "Counts statuses and messages and lists the last records. A file that does not exist\n"
        "is a history without records.\n\n"
        "exit: 0 done · 1 error, such as a torn line · 2 usage",
    .run = run_history,
    .compatible = true,
};
