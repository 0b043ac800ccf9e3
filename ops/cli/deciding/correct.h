/* What `amend` and `retract` share: one correction of each profile that is named, all in one
 * transaction, and the document that says how they stand then. */
#ifndef OPS_CLI_DECIDING_CORRECT_H
#define OPS_CLI_DECIDING_CORRECT_H

#include "history/profiles/profiles.h"
#include "ops/cli/cli.h"

/* amendment: what is said of each operand; profile_id, reason and by are filled in here. Nothing is
 * appended when one of them cannot be. ERR_MISSING: no such profile; ERR_INPUT: why it cannot be
 * said of it. */
bool correct_profiles(struct cli *cli, const struct amendment *amendment, struct err *err);

#endif
