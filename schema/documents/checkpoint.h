/* A checkpoint: checkpoint.v1. Where every chain of the ledger ended at one moment, the root of the
 * Merkle tree over that, and that of the tree over all entries. Kept elsewhere, it shows later that
 * no chain was cut or made anew, and what a proof (schema/documents/proof.h) leads to.
 */
#ifndef SCHEMA_DOCUMENTS_CHECKPOINT_H
#define SCHEMA_DOCUMENTS_CHECKPOINT_H

#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"
#include "ops/runtime/text.h"
#include "schema/documents/record.h"

#include <jansson.h>

struct checkpoint_head {
    const char *chain;
    int64_t position;
    const char *sha256; /* hex, of the entry there */
};

struct checkpoint {
    const char *schema_version; /* "checkpoint.v1" */
    const char *id;             /* "c5" */
    const char *recorded_at_utc;
    const char *root_sha256;       /* hex */
    struct checkpoint_head *heads; /* in the byte order of names */
    size_t head_count;
    int64_t tree_size;             /* entries in the tree over all of them; 0: none was made */
    const char *tree_root_sha256;  /* hex; NULL without a tree */
    struct string_list tree_peaks; /* hex: the roots of the perfect trees that it consists of */
    const char *signature;  /* base64 of an Ed25519 signature over checkpoint_statement; NULL */
    const char *public_key; /* base64 of the 32 bytes of its key; NULL */
};

/* The tables of their members, which the JSON schema is checked against. */
extern const struct record checkpoint_record, checkpoint_head_record;

/* The JSON form; a new reference. */
json_t *checkpoint_to_json(const struct checkpoint *checkpoint);

/* ERR_INPUT names the member that is wrong. Whether the root fits the heads is the ledger's to say.
 */
bool checkpoint_from_json(const json_t *root, const char *name, struct arena *arena,
                          struct checkpoint *ret_checkpoint, struct err *err);

/* What is signed: "checkpoint.v1", id, time and root, each on a line; then, when there is a tree,
 * its size and root on one. */
void checkpoint_statement(const struct checkpoint *checkpoint, struct text *out);

#endif
