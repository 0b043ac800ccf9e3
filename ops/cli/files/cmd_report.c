/* stepledger report: a summary for people. */
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/present/report/report.h"

#include <string.h>
#include <unistd.h>

enum { REPORT_MAX_BYTES = 256 << 20 };

static bool report(struct cli *cli, struct arena *arena, struct err *err)
{
    struct summary summary;
    const char *name = cli_text(cli, "summary");
    const struct reference_scope scope = reference_scope_of(cli);
    if (name != NULL && cli->operand_count > 0)
        return err_set(err, ERR_USAGE, "unexpected operand '%s'", cli->operands[0]);
    if (name == NULL && cli->operand_count == 0)
        return err_set(err, ERR_USAGE, "option --summary is required (or SUMMARY)");
    if (!reference_summary(cli, &scope, name != NULL ? name : cli->operands[0], arena, &summary,
                           err))
        return false;
    scoped_text out;
    text_init(&out, REPORT_MAX_BYTES);
    const char *format = cli_text(cli, "format");
    int64_t top_k = cli_int(cli, "top-k");
    bool to_terminal = cli_text(cli, "output") == NULL && cli_colour(STDOUT_FILENO);
    const struct text_style style = {to_terminal, cli_columns(STDOUT_FILENO)};
    bool made = strcmp(format, "md") == 0     ? report_markdown(&summary, top_k, &out, err)
                : strcmp(format, "html") == 0 ? report_html(&summary, top_k, &out, err)
                                              : report_text(&summary, top_k, &style, &out, err);
    return made && cli_emit(cli_text(cli, "output"), &out, err);
}

static int run_report(struct cli *cli)
{
    struct err err = {0};
    scoped_arena arena;
    arena_init_within(&arena, cli->memory);
    return report(cli, &arena, &err) ? EXIT_OK : cli_fail(cli, &err);
}

static const struct cli_option options[] = {
    {"summary", CLI_TEXT, "SUMMARY", NULL, "the summary to report: a file, p12, a run, ...", false},
    {"format", CLI_CHOICE, "md|text|html", "md", "the form of the report", false},
    CLI_TOP_K,
    {"output", CLI_TEXT, "FILE", NULL, "write the report there and print the path", false},
    CLI_REFERENCE_SCOPE,
    CLI_DB,
    CLI_DB_READ,
    CLI_END,
};

const struct cli_command cmd_report = {
    .name = "report",
    .line = "report a summary as Markdown, text or HTML",
    .operands = "[SUMMARY]",
    .operand_max = 1,
    .options = options,
    .details = "md is the reference tool's report; text and html are ours, with charts.\n"
               "SUMMARY is a file, or what the ledger calls it: p12, v4 (its candidate), a run, a\n"
               "label, a commit.\n\n"
               "exit: 0 reported · 1 error · 2 usage",
    .run = run_report,
    .compatible = true,
};
