/* Signatures of what leaves the ledger, made with the configured key and checked against the
 * trusted one. What is signed is a text of a few lines; its first says what kind of document it is
 * of, so that no signature fits another kind. */
#ifndef OPS_FLOW_TRUST_SEAL_H
#define OPS_FLOW_TRUST_SEAL_H

#include "ops/runtime/arena.h"
#include "ops/runtime/conf.h"
#include "ops/runtime/text.h"

struct seal {
    const char *signature;  /* base64 of an Ed25519 signature; NULL = unsigned */
    const char *public_key; /* base64 of the 32 bytes of its key */
};

/* Signs with the key in the PEM file; the texts live in the arena. ERR_INPUT: no such key. */
bool seal_make(const char *key_path, const struct text *statement, struct arena *arena,
               struct seal *ret_seal, struct err *err);

/* what: "checkpoint c5". ERR_INPUT: a signature that does not fit, or, when `checkpoint_trust` is
 * configured, none or one of another key. */
bool seal_check(const struct conf *conf, const char *what, const struct text *statement,
                const struct seal *seal, struct err *err);

#endif
