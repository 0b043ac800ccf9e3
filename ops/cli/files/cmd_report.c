/* stepledger report: a summary, or what moved in a project, for people. */
#include "ops/cli/cli.h"
#include "ops/cli/files/trend_reports.h"
#include "ops/cli/operand/operand.h"
#include "ops/present/report/report.h"
#include "ops/runtime/json.h"

#include <string.h>
#include <unistd.h>

enum { DOCUMENT_MAX_BYTES = 512 << 20, REPORT_MAX_BYTES = 256 << 20 };

static bool summary_report(struct cli *cli, const struct summary *summary, struct err *err)
{
    scoped_text out;
    text_init(&out, REPORT_MAX_BYTES);
    const char *format = cli_text(cli, "format");
    int64_t top_k = cli_int(cli, "top-k");
    bool to_terminal = cli_text(cli, "output") == NULL && cli_colour(STDOUT_FILENO);
    const struct text_style style = {to_terminal, cli_columns(STDOUT_FILENO)};
    if (strcmp(format, "md") != 0 && strcmp(format, "text") != 0 && strcmp(format, "html") != 0)
        return err_set(err, ERR_USAGE,
                       "--format %s is for reports of trends; `stepledger summarize` and `show` "
                       "print summaries as JSON",
                       format);
    bool made = strcmp(format, "md") == 0     ? report_markdown(summary, top_k, &out, err)
                : strcmp(format, "html") == 0 ? report_html(summary, top_k, &out, err)
                                              : report_text(summary, top_k, &style, &out, err);
    return made && cli_emit(cli_text(cli, "output"), &out, err);
}

/* Either kind, by what it says that it is. */
static bool file_print(struct cli *cli, const char *path, struct arena *arena, struct err *err)
{
    struct summary summary;
    struct trend_report report;
    reference_file_log(path);
    scoped_json *root = json_read_file(path, DOCUMENT_MAX_BYTES, err);
    if (root == NULL)
        return false;
    const char *version = json_string_value(json_object_get(root, "schema_version"));
    if (version != NULL && strcmp(version, TREND_REPORT_VERSION) == 0)
        return trend_report_from_json(root, path, arena, &report, err) &&
               trend_report_print(cli, &report, err);
    return summary_from_json(root, path, arena, &summary, err) &&
           summary_report(cli, &summary, err);
}

static bool report(struct cli *cli, struct arena *arena, struct err *err)
{
    struct summary summary;
    const char *name = cli_text(cli, "summary");
    const struct reference_scope scope = reference_scope_of(cli);
    if (name != NULL && cli->operand_count > 0)
        return err_set(err, ERR_USAGE, "unexpected operand '%s'", cli->operands[0]);
    if (trend_report_wanted(cli))
        return name == NULL && cli->operand_count == 0
                   ? trend_report_show(cli, arena, err)
                   : err_set(err, ERR_USAGE,
                             "--period, --since and --until make a report of a project; a summary "
                             "has none");
    if (name == NULL && cli->operand_count == 0)
        return err_set(err, ERR_USAGE,
                       "nothing says what to report: give a SUMMARY (a file, p12, a run), the id "
                       "of a report (rp7), or --project P with --period week");
    int64_t id;
    bool of_ledger = name == NULL; /* --summary r7 is a run or a label of that name */
    if (name == NULL)
        name = cli->operands[0];
    if (reference_is_file(name))
        return file_print(cli, name, arena, err);
    if (of_ledger && trend_report_is_id(name, &id))
        return trend_report_show_recorded(cli, id, arena, err);
    return reference_summary(cli, &scope, name, arena, &summary, err) &&
           summary_report(cli, &summary, err);
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
    {"format", CLI_CHOICE, "md|text|html|csv|json|png", "md",
     "the form of the report; csv, json and png (its first picture): of a report of trends", false},
    CLI_TOP_K,
    {"output", CLI_TEXT, "FILE", NULL, "write the report there and print the path", false},
    TREND_REPORT_OPTIONS,
    CLI_REFERENCE_SCOPE,
    CLI_DB,
    CLI_DB_READ,
    CLI_END,
};

const struct cli_command cmd_report = {
    .name = "report",
    .line = "report a summary, or what moved in a project, to people",
    .operands = "[SUMMARY]",
    .operand_max = 1,
    .options = options,
    .details =
        "md is the reference tool's report; text and html are ours, with charts.\n"
        "SUMMARY is a file, or what the ledger calls it: p12, v4 (its candidate), a run, a\n"
        "label, a commit.\n\n"
        "With --period, --since or --until it says what moved in a project; --record keeps it\n"
        "as an entry, rp7. A recorded one is printed by that name (r7 for short; in `log` and\n"
        "`rebaseline` r2 is a re-baseline, which is no operand here).\n\n"
        "csv has a line for each finding, and in `after` the counts of what was looked at (kinds\n"
        "runs, workloads, workloads_with_runs, ...); runs and windows are those that a line rests\n"
        "on.\n\n" CLI_CSV_DETAILS "exit: 0 reported · 1 error · 2 usage",
    .run = run_report,
    .compatible = true,
};
