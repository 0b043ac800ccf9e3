/* stepledger explain: why a profile's steps take as long as they do, on one page. */
#include "ops/cli/cli.h"
#include "ops/cli/files/peaks_file.h"
#include "ops/cli/operand/operand.h"
#include "ops/present/summary/summary.h"

#include <string.h>
#include <unistd.h>

enum { PAGE_MAX_BYTES = 64 << 20 };

/* What explains the steps is in no summary: it is read from the files that it was made of. */
static bool profile_find(struct cli *cli, struct arena *arena, struct profile_files *ret_profile,
                         struct ingest_options *options, struct err *err)
{
    struct summary summary;
    const char *name = cli->operands[0];
    const struct reference_scope scope = reference_scope_of(cli);
    if (!reference_is_summary(name))
        return summarize_operand(cli, name, ret_profile, err);
    if (!reference_summary(cli, &scope, name, arena, &summary, err))
        return false;
    return recorded_files(&summary, arena, ret_profile, options, err)
               ? summarize_output_check(cli, ret_profile, err)
               : err_prefix(err, "'%s' is explained by its files alone; give them where they lie",
                            name);
}

static bool explain(struct cli *cli, struct err *err)
{
    struct arena *arena = &cli->arena;
    struct profile_files profile;
    struct ingest_options options;
    struct explanation explanation;
    scoped_text out;
    const char *format = cli_text(cli, "format");
    text_init(&out, PAGE_MAX_BYTES);
    ingest_options_init(&options);
    ingest_options_configure(&options, &cli->conf);
    options.strict_input = cli_given(cli, "strict-input");
    options.warn = summarize_warn;
    options.capture_key = cli_text(cli, "capture");
    if (cli_given(cli, "step-range") &&
        !ingest_options_name_steps(&options, cli_text(cli, "step-range"), err))
        return false;
    if (cli_given(cli, "peaks") &&
        !peaks_file_read(cli_text(cli, "peaks"), arena, &options.peaks, err))
        return false;
    if (format == NULL)
        format = isatty(STDOUT_FILENO) ? "text" : "json";
    const char *output = cli_text(cli, "output");
    if (!profile_find(cli, arena, &profile, &options, err) ||
        !ingest_explain(&profile, &options, arena, &explanation, err))
        return false;
    if (strcmp(format, "json") == 0)
        return document_print(output, explanation_to_json(&explanation), err);
    struct page page;
    scoped_arena drawn;
    arena_init(&drawn, PAGE_BUDGET_BYTES);
    page_init(&page, &drawn, "explanation");
    explanation_page_add(&explanation, &page);
    return cli_page_add(&page, format, "the explanation", &out, err) && cli_emit(output, &out, err);
}

static const struct cli_option options[] = {
    {"format", CLI_CHOICE, "text|json|md", NULL,
     "what to print (default: text on a terminal, else json)"},
    {"output", CLI_TEXT, "FILE", NULL, "write the page there and print the path"},
    CLI_PEAKS("what one device can do: lines `tflops = 989`, `hbm_gb_per_s = 3350` (findings)"),
    CLI_REFERENCE_SCOPE,
    CLI_DB,
    CLI_DB_READ,
    CLI_CAPTURE,
    CLI_STEP_RANGE,
    CLI_STRICT_INPUT,
    CLI_READING,
    CLI_END,
};

const struct cli_command cmd_explain = {
    .name = "explain",
    .line = "say where the step's time went and what is worth doing",
    .operands = "PROFILE",
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .details =
        "One page: the parts of a step, which add up to it (of the slowest device of each\n"
        "steady step: what the device did and, while it did nothing, what its host did), the\n"
        "three findings that take most of it with evidence and remedy, and what the profile\n"
        "could not tell. `table steps`, `table overview` and `table findings` have the rows.\n\n"
        "PROFILE is a file, or a directory with one capture; a summary, or what the ledger\n"
        "calls a profile (p12, a run, a commit, ...), whose files are read where they still\n"
        "lie unchanged.\n\n"
        "exit: 0 printed · 2 usage · 6 no such path or profile · 65 nothing to explain in it,\n"
        "      or it cannot be read",
    .run = explain,
};
