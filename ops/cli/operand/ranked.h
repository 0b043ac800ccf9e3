/* Many profiles side by side: what `compare` of more than two, or of a label, begins with. */
#ifndef OPS_CLI_OPERAND_RANKED_H
#define OPS_CLI_OPERAND_RANKED_H

#include "ops/cli/cli.h"
#include "schema/documents/ranking.h"

/* Whether the command line asks for that, and not for two summaries: by --format or --policy, by
 * more than two operands, or by one that is a name in the ledger and no id. */
bool ranked_is_meant(const struct cli *cli);

/* Loads every profile of what the operands name (files, or what the ledger calls them) and ranks
 * them, by --policy where that is given. ERR_USAGE without operands, or of the policy; ERR_MISSING,
 * ERR_INPUT; ERR_LIMIT: they are too many. */
bool ranked_load(struct cli *cli, struct arena *arena, struct ranking *ret_ranking,
                 struct err *err);

#endif
