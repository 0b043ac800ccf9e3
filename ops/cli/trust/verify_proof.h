/* `verify --proof` and `verify --check-proof`. */
#ifndef OPS_CLI_TRUST_VERIFY_PROOF_H
#define OPS_CLI_TRUST_VERIFY_PROOF_H

#include "history/verify/verify.h"
#include "ops/cli/cli.h"

/* Writes the proof that --proof asks for: of an entry, for the checkpoint of --against or the
 * ledger's last one; or of two checkpoints ("c3..c9"). */
bool verify_proof_write(struct cli *cli, const struct verify_against *against, struct arena *arena,
                        struct err *err);

/* Whether the proof of --check-proof holds for the checkpoints of --against; says so. Needs no
 * ledger. */
bool verify_proof_check(struct cli *cli, const struct verify_against *against, struct arena *arena,
                        bool *ret_holds, struct err *err);

#endif
