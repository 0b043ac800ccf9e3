/* A proof: proof.v1. That an entry is in the ledger that a checkpoint saw, or that the ledger of
 * one checkpoint is the beginning of that of another. It is checked with nothing but itself and the
 * checkpoints (RFC 9162 §2.1.3 and §2.1.4).
 */
#ifndef SCHEMA_DOCUMENTS_PROOF_H
#define SCHEMA_DOCUMENTS_PROOF_H

#include "schema/documents/record.h"

struct proof_entry {
    const char *name; /* "p12" */
    const char *chain, *kind;
    int64_t position, subject_id;
    struct opt_i64 supersedes;
    int64_t version;
    const char *content_sha256, *previous_sha256; /* hex */
    int64_t recorded_us;                          /* since 1970 */
    const char *recorded_by, *on_behalf_of;       /* NULL */
};

struct proof {
    const char *schema_version; /* "proof.v1" */
    struct proof_entry entry;   /* its hash is the leaf */
    bool has_entry;             /* false: of two checkpoints */
    int64_t from;               /* the leaf; without an entry, the size of the first tree */
    int64_t tree_size;          /* of the tree that the path leads to the root of */
    struct string_list path;    /* hex, from the leaf up */
};

/* The table of its members, which the JSON schema is checked against. */
extern const struct record proof_record;

/* The JSON form; a new reference. */
json_t *proof_to_json(const struct proof *proof);

/* ERR_INPUT names the member that is wrong. */
bool proof_from_json(const json_t *root, const char *name, struct arena *arena,
                     struct proof *ret_proof, struct err *err);

#endif
