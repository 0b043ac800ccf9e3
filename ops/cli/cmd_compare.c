/* stepledger compare: two summaries side by side, as the reference tool prints them. */
#include "ops/cli/commands.h"
#include "ops/cli/documents.h"
#include "ops/cli/pair.h"

static int run_compare(struct cli *cli)
{
    struct err err = {0};
    scoped_arena arena;
    arena_init(&arena, cli_budget(cli));
    struct pair pair = {.before_path = cli_text(cli, "before"),
                        .after_path = cli_text(cli, "after")};
    if (pair_load(cli, &arena, &pair, &err) &&
        document_print(NULL, comparison_to_json(&pair.comparison, &err), &err))
        return EXIT_OK;
    return cli_fail(cli, &err);
}

static const struct cli_option options[] = {
    {"before", CLI_TEXT, "FILE", NULL, "summary of the baseline", true},
    {"after", CLI_TEXT, "FILE", NULL, "summary of the candidate", true},
    CLI_STRICT_PROVENANCE,
    CLI_TOP_K,
    CLI_END,
};

const struct cli_command cmd_compare = {
    .name = "compare",
    .line = "compare two summary files",
    .operands = "",
    .options = options,
    .details =
        "Prints step times, classes, shares, families and ops of both, and their differences.\n"
        "It judges nothing: `gate` does.\n\n"
        "exit: 0 compared · 1 error, or provenance failed with --strict-provenance · 2 usage",
    .run = run_compare,
    .compatible = true,
};
