/* When and by whom something was recorded that came from another ledger, for the files of history/
 * only. What this ledger recorded itself has none. */
#ifndef HISTORY_CHAIN_ORIGIN_H
#define HISTORY_CHAIN_ORIGIN_H

#include "history/chain/entry_kinds.h"
#include "schema/origin.h"

/* The parameters of Q_origin_add. */
void origin_args(struct args *args, enum entry_kind kind, int64_t subject_id,
                 const struct origin *origin);

/* Appends it in the caller's transaction, before the subject's entry is made; NULL, or one without
 * a time, appends nothing. */
bool origin_append(struct db *db, enum entry_kind kind, int64_t subject_id,
                   const struct origin *origin, struct err *err);

#endif
