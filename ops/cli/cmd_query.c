/* stepledger query: a question about a summary, answered the same way every time. */
#include "ops/cli/commands.h"
#include "ops/cli/documents.h"
#include "ops/cli/pair.h"
#include "ops/present/query.h"

static bool query(struct cli *cli, struct arena *arena, struct err *err)
{
    if (cli_given(cli, "list"))
        return document_print(NULL, query_forms(err), err);
    const char *summary_path = cli_text(cli, "summary");
    const char *question = cli_text(cli, "question");
    if (summary_path == NULL || question == NULL)
        return err_set(err, ERR_USAGE, "option --%s is required (or --list)",
                       summary_path == NULL ? "summary" : "question");
    struct summary summary, baseline;
    const char *baseline_path = cli_text(cli, "baseline");
    if (!document_read_summary(summary_path, arena, &summary, err) ||
        (baseline_path != NULL && !document_read_summary(baseline_path, arena, &baseline, err)))
        return false;
    json_t *answer = query_answer(&summary, baseline_path != NULL ? &baseline : NULL, question,
                                  cli_int(cli, "top-k"), arena, err);
    return document_print(NULL, answer, err);
}

static int run_query(struct cli *cli)
{
    struct err err = {0};
    scoped_arena arena;
    arena_init(&arena, cli_budget(cli));
    return query(cli, &arena, &err) ? EXIT_OK : cli_fail(cli, &err);
}

static const struct cli_option options[] = {
    {"summary", CLI_TEXT, "FILE", NULL, "the summary that is asked about", false},
    {"question", CLI_TEXT, "TEXT", NULL, "the question", false},
    {"baseline", CLI_TEXT, "FILE", NULL, "summary to compare with, for \"what changed\"", false},
    {"list", CLI_FLAG, NULL, NULL, "print the known forms of a question", false},
    CLI_TOP_K,
    CLI_END,
};

const struct cli_command cmd_query = {
    .name = "query",
    .line = "answer a question about a summary",
    .operands = "",
    .options = options,
    .details =
        "The answer is a JSON object with `query_type`. A question that fits no form says so\n"
        "(`recognized: false`) and lists the forms.\n\n"
        "exit: 0 answered · 1 error · 2 usage",
    .run = run_query,
    .compatible = true,
};
