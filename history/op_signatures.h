/* The dictionary of ops, for the files of history/ only. */
#ifndef HISTORY_OP_SIGNATURES_H
#define HISTORY_OP_SIGNATURES_H

#include "history/args.h"
#include "history/db.h"
#include "schema/summary.h"

/* In the caller's transaction: adds the ops that the dictionary lacks. *ret_ids[op_count]: the id
 * of each op of the summary, the first 16 bytes of SHA-256(signature); in the arena. */
bool op_signatures_append(struct db *db, const struct summary *summary, struct arena *arena,
                          const struct uuid **ret_ids, struct err *err);

#endif
