/* Proofs from the ledger's tree of entries, and checking them without a ledger. */
#ifndef HISTORY_VERIFY_PROOFS_H
#define HISTORY_VERIFY_PROOFS_H

#include "history/db.h"
#include "schema/documents/checkpoint.h"
#include "schema/documents/proof.h"

/* That an entry ("p12") is in what the checkpoint saw. In the arena. ERR_USAGE: no name of an
 * entry; ERR_MISSING: there is none, or the checkpoint came before it; ERR_INPUT: the tree is not
 * whole. */
bool proof_of_entry(struct db *db, const char *name, const struct checkpoint *checkpoint,
                    struct arena *arena, struct proof *ret_proof, struct err *err);

/* That what the first saw is the beginning of what the second saw. */
struct proof_pair {
    const struct checkpoint *first, *second;
};
bool proof_of_growth(struct db *db, const struct proof_pair *pair, struct arena *arena,
                     struct proof *ret_proof, struct err *err);

/* Whether the proof holds for the checkpoints, whose signatures are the caller's to check: one for
 * an entry, the older and the newer for two. *ret_holds false: it does not lead to their roots.
 * ERR_INPUT: the proof is none for them. name is for messages. */
bool proof_check(const struct proof *proof, const char *name, const struct checkpoint *checkpoints,
                 size_t count, bool *ret_holds, struct err *err);

/* A checkpoint of the ledger ("c5"). ERR_MISSING. */
bool checkpoint_load(struct db *db, const char *name, struct arena *arena,
                     struct checkpoint *ret_checkpoint, struct err *err);

#endif
