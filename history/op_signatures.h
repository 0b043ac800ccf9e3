/* The dictionary of ops, for the files of history/ only. */
#ifndef HISTORY_OP_SIGNATURES_H
#define HISTORY_OP_SIGNATURES_H

#include "history/args.h"
#include "history/canonical.h"
#include "history/db.h"
#include "schema/summary.h"

/* The ids of a summary's ops, and what of them was new. */
struct op_dictionary {
    const struct uuid *ids; /* [op_count], the first 16 bytes of SHA-256(signature); in the arena */
    struct section_digest added; /* the rows that came into the dictionary with this profile */
};

/* In the caller's transaction: adds the ops that the dictionary lacks, brought by that profile. */
bool op_signatures_append(struct db *db, int64_t profile_id, const struct summary *summary,
                          struct arena *arena, struct op_dictionary *ret_dictionary,
                          struct err *err);

#endif
