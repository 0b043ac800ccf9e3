/* Verifying a ledger with what this machine is configured to trust and has seen. */
#ifndef OPS_FLOW_TRUST_VERIFYING_H
#define OPS_FLOW_TRUST_VERIFYING_H

#include "history/verify/verify.h"
#include "ops/runtime/conf.h"

struct verifying {
    const struct conf *conf;
    struct db *db;
    struct arena *arena; /* of the report */
};

/* ledger_verify, and: the ledger's own last checkpoint carries the signature that
 * `checkpoint_trust` asks for, and is not older than the newest that this machine has seen
 * (ops/flow/trust/seen.h), which is kept when nothing was found. */
bool verifying_run(const struct verifying *verifying, const struct verify_against *against,
                   struct verify_report **ret_report, struct err *err);

/* ledger_verify_since of the checkpoint up to which this machine has verified before, without a
 * finding. *ret_report NULL: there is none yet, which verifying_run makes. */
bool verifying_new(const struct verifying *verifying, struct verify_report **ret_report,
                   struct err *err);

#endif
