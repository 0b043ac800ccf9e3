/* Rows that are found by their natural key or made on first sight, for the files of history/ only.
 */
#ifndef HISTORY_CHAIN_FIND_OR_ADD_H
#define HISTORY_CHAIN_FIND_OR_ADD_H

#include "history/chain/entry_kinds.h"

/* find returns at most one row with one bigint, add inserts with ON CONFLICT DO NOTHING; both take
 * the same parameters. What add inserts of the ledger gets its entry: it returns id and chain. */
struct addition {
    enum query_id find, add;
    enum entry_kind kind; /* ENTRY_KIND_COUNT: work state, without entry */
};

/* In the caller's transaction. Safe when several transactions do the same at once. */
bool find_or_add(struct db *db, const struct addition *addition, const struct args *args,
                 int64_t *ret_id, struct err *err);

/* The id of a project, made on first sight. */
bool project_find_or_add(struct db *db, const char *name, int64_t *ret_id, struct err *err);

#endif
