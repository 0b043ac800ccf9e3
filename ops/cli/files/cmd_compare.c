/* stepledger compare: two summaries side by side, as the reference tool prints them. */
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"

static int run_compare(struct cli *cli)
{
    struct err err = {0};
    scoped_arena arena;
    arena_init_within(&arena, cli->memory);
    struct pair pair = {0};
    if (pair_load(cli, &arena, &pair, &err) &&
        document_print(NULL, comparison_to_json(&pair.comparison, &err), &err))
        return EXIT_OK;
    return cli_fail(cli, &err);
}

static const struct cli_option options[] = {
    CLI_SIDES, CLI_REFERENCE_SCOPE, CLI_DB, CLI_DB_READ, CLI_STRICT_PROVENANCE, CLI_TOP_K, CLI_END,
};

const struct cli_command cmd_compare = {
    .name = "compare",
    .line = "compare two summaries",
    .operands = "[BEFORE AFTER | VERDICT]",
    .operand_max = 2,
    .options = options,
    .details =
        "Prints step times, classes, shares, families and ops of both, and their differences.\n"
        "Each side is a file, or what the ledger calls it: p12, a run, a label, a commit; v4 is\n"
        "the two sides of that verdict. It judges nothing: `gate` does.\n\n"
        "exit: 0 compared · 1 error, or provenance failed with --strict-provenance · 2 usage",
    .run = run_compare,
    .compatible = true,
};
