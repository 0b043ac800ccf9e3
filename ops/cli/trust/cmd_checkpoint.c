/* stepledger checkpoint: appends a checkpoint and hands it out, to be kept elsewhere. */
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/runtime/log.h"
#include "ops/flow/trust/trust.h"

static bool checkpoint(struct cli *cli, struct err *err)
{
    struct arena *arena = &cli->arena;
    bool fresh;
    struct checkpoint made;
    scoped_db *db = NULL;
    if (!connect_ledger(cli, &db, err) ||
        !checkpoint_make(db, &cli->conf, arena, &made, &fresh, err))
        return false;
    /* What this machine cannot remember is still handed out. */
    struct err fault = {0};
    if (!seen_keep(&cli->conf, db, SEEN_NEWEST, &made, &fault))
        log_event(LOG_WARN, LOG_checkpoint_not_kept, "why", fault.text, NULL);
    return document_print(cli_text(cli, "output"), checkpoint_to_json(&made), err);
}

static const struct cli_option options[] = {
    {"output", CLI_TEXT, "FILE", NULL, "write the document there and print the path"},
    CLI_DB,
    CLI_END,
};

const struct cli_command cmd_checkpoint = {
    .name = "checkpoint",
    .line = "record where every chain of the ledger ends",
    .operands = "",
    .options = options,
    .details =
        "Appends a checkpoint: the heads of all chains and the root of the Merkle tree over\n"
        "them; when nothing was appended since the last one, that one is printed. Keep the\n"
        "document where who can change the database cannot: `verify --against` finds a cut\n"
        "tail by it. Signed when checkpoint_key is configured.\n\n"
        "exit: 0 done · 2 usage · 65 no Ed25519 key · 69 database away",
    .run = checkpoint,
};
