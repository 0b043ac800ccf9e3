/* Signatures of checkpoints: made with the configured key, checked against the trusted one. */
#ifndef OPS_CLI_CHECKPOINT_SEAL_H
#define OPS_CLI_CHECKPOINT_SEAL_H

#include "ops/runtime/conf.h"
#include "schema/checkpoint.h"

/* Signs when `checkpoint_key` is configured; what is added lives in the arena. */
bool checkpoint_sign(const struct conf *conf, struct arena *arena, struct checkpoint *checkpoint,
                     struct err *err);

/* ERR_INPUT: a signature that does not fit, or, when `checkpoint_trust` is configured, none or one
 * of another key. */
bool checkpoint_seal_check(const struct conf *conf, const struct checkpoint *checkpoint,
                           struct err *err);

#endif
