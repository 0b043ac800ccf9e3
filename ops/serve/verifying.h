/* Verifying a ledger with what this machine is configured to trust and has seen. */
#ifndef OPS_SERVE_VERIFYING_H
#define OPS_SERVE_VERIFYING_H

#include "history/verify.h"
#include "ops/runtime/conf.h"

struct verifying {
    const struct conf *conf;
    struct db *db;
    struct arena *arena; /* of the report */
};

/* ledger_verify, and: the ledger's own last checkpoint carries the signature that
 * `checkpoint_trust` asks for, and is not older than the newest that this machine has seen
 * (ops/serve/seen.h), which is kept when nothing was found. */
bool verifying_run(const struct verifying *verifying, const struct verify_against *against,
                   struct verify_report **ret_report, struct err *err);

#endif
