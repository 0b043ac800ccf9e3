/* Signatures of checkpoints: made with the configured key, checked against the trusted one. */
#ifndef OPS_FLOW_TRUST_CHECKPOINT_SEAL_H
#define OPS_FLOW_TRUST_CHECKPOINT_SEAL_H

#include "history/verify/verify.h"
#include "ops/runtime/conf.h"

/* checkpoint_append, signed when `checkpoint_key` is configured. A last one that is handed out
 * again carries the signature of the present key, though it may be stored with another's. */
bool checkpoint_make(struct db *db, const struct conf *conf, struct arena *arena,
                     struct checkpoint *ret_checkpoint, bool *ret_new, struct err *err);

/* ERR_INPUT: a signature that does not fit, or, when `checkpoint_trust` is configured, none or one
 * of another key. */
bool checkpoint_seal_check(const struct conf *conf, const struct checkpoint *checkpoint,
                           struct err *err);

#endif
