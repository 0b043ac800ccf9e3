/* stepledger trend: the course of a measure over the last runs, with their verdicts. */
#include "history/reading/reading.h"
#include "ops/cli/commands.h"
#include "ops/cli/connect.h"
#include "ops/present/trend/trend.h"
#include "ops/runtime/json.h"

#include <string.h>
#include <unistd.h>

enum { DOCUMENT_MAX_BYTES = 64 << 20, RUNS_MAX = 10000 };

static bool print_json(const struct trend *trend, struct text *out, struct err *err)
{
    scoped_json *root = trend_to_json(trend, err);
    if (root == NULL)
        return false;
    json_print(root, JSON_STYLE_INDENTED, out);
    return true;
}

static bool print_text(const struct trend *trend, struct text *out, struct err *err)
{
    const struct text_style style = {cli_colour(STDOUT_FILENO), cli_columns(STDOUT_FILENO)};
    return trend_text(trend, &style, out, err);
}

static const struct {
    const char *name;
    bool (*print)(const struct trend *trend, struct text *out, struct err *err);
} formats[] = {{"json", print_json},
               {"text", print_text},
               {"md", trend_markdown},
               {"csv", trend_csv},
               {"svg", trend_svg}};

static bool print(struct cli *cli, const struct trend *trend, struct err *err)
{
    const char *wanted = cli_text(cli, "format");
    scoped_text out;
    text_init(&out, DOCUMENT_MAX_BYTES);
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (strcmp(formats[i].name, wanted) == 0)
            return formats[i].print(trend, &out, err) &&
                   cli_emit(cli_text(cli, "output"), &out, err);
    }
    return err_set(err, ERR_BUG, "no printer for --format %s", wanted);
}

static bool show(struct cli *cli, struct db **db, struct err *err)
{
    struct trend trend;
    struct trend_query query = {
        .branch = cli_text(cli, "branch"),
        .series = cli_text(cli, "series"),
        .measure = cli_text(cli, "measure"),
        .run_limit = cli_int(cli, "last"),
    };
    bool names_none = query.branch == NULL && !cli_given(cli, "all-branches");
    if (query.branch != NULL && cli_given(cli, "all-branches"))
        return err_set(err, ERR_USAGE, "--branch and --all-branches exclude each other");
    if (!cli_scope(cli, &query.project, &query.workload, err))
        return false;
    if (names_none)
        query.branch = conf_text(&cli->conf, CONF_judge_baseline_branch);
    if (query.run_limit < 1 || query.run_limit > RUNS_MAX)
        return err_set(err, ERR_USAGE, "option --last: %lld must be from 1 to %d",
                       (long long)query.run_limit, RUNS_MAX);
    if (!connect_reader(cli, db, err))
        return false;
    if (!ledger_trend(*db, &query, &cli->arena, &trend, err)) {
        const struct err why = *err; /* err_set writes where it would read */
        return names_none && why.kind == ERR_MISSING
                   ? err_set(err, ERR_MISSING,
                             "%s; --branch B shows another, --all-branches every run", why.text)
                   : false;
    }
    trend.branch_why = names_none ? "the baseline branch (judge_baseline_branch); --branch B shows "
                                    "another, --all-branches every run"
                                  : NULL;
    return print(cli, &trend, err);
}

static int run_trend(struct cli *cli)
{
    struct err err = {0};
    struct db *db = NULL;
    bool done = show(cli, &db, &err);
    db_close(db);
    return done ? EXIT_OK : cli_fail(cli, &err);
}

static const struct cli_option options[] = {
    CLI_PROJECT,
    CLI_WORKLOAD,
    {"branch", CLI_TEXT, "B", NULL, "only runs of this branch (default: the baseline branch)",
     false},
    {"all-branches", CLI_FLAG, NULL, NULL, "runs of every branch, and of none", false},
    {"series", CLI_TEXT, "S", NULL, "only this series (s3)", false},
    {"measure", CLI_TEXT, "M", "steady_step_median", "which measure (an unknown name lists them)",
     false},
    {"last", CLI_INT, "N", "50", "runs", false},
    {"format", CLI_CHOICE, "json|text|md|csv|svg", "json", "what to print", false},
    {"output", CLI_TEXT, "FILE", NULL, "write there and print the path", false},
    CLI_DB,
    CLI_DB_READ,
    CLI_END,
};

const struct cli_command cmd_trend = {
    .name = "trend",
    .line = "the course of a measure over the last runs",
    .operands = "",
    .operand_min = 0,
    .operand_max = 0,
    .options = options,
    .details =
        "One value per run (the median over its profiles) with the newest verdict on it. Another\n"
        "series and a re-baseline begin a level of their own: nothing is compared across.\n"
        "\n" CLI_CSV_DETAILS
        "exit: 0 shown · 2 usage, or no such measure · 6 no run has it · 69 database away",
    .run = run_trend,
};
