/* stepledger track: one comparison against fixed thresholds, and the JSONL history of such records.
 */
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/cli/files/track_of.h"

static bool track(struct cli *cli, struct err *err)
{
    struct arena *arena = &cli->arena;
    struct pair pair = {0};
    const char *status;
    return pair_load(cli, arena, &pair, err) &&
           document_print(cli_text(cli, "output"), track_of(cli, &pair, arena, &status, err), err);
}

static const struct cli_option options[] = {
    CLI_SIDES,
    CLI_REFERENCE_SCOPE,
    CLI_DB,
    CLI_DB_READ,
    CLI_STRICT_PROVENANCE,
    CLI_TOP_K,
    CLI_THRESHOLDS,
    CLI_TRACK_RECORD,
    {"output", CLI_TEXT, "FILE", NULL, "write the record there and print the path"},
    CLI_END,
};

const struct cli_command cmd_track = {
    .name = "track",
    .line = "assess two summaries by fixed thresholds",
    .operands = "[BEFORE AFTER | VERDICT]",
    .operand_max = 2,
    .options = options,
    .details = "A fail is a median or p90 step that grew by more than its percentage, a warning a\n"
               "share that grew by more than its amount. Two points, no noise model: a gate that\n"
               "blocks should be `gate`. Each side is a file, or what the ledger calls it: p12, a\n"
               "run, a label, a commit; v4 is the two sides of that verdict.\n\n"
               "exit: 0 assessed, also when the status is fail · 1 error · 2 usage",
    .run = track,
    .compatible = true,
};
