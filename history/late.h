/* Entries for rows that have none yet, for the files of history/ only: those that were there before
 * there were chains, and those of kinds whose rows are written where no hash is at hand. */
#ifndef HISTORY_LATE_H
#define HISTORY_LATE_H

#include "history/db.h"

#include <stdint.h>

/* Gives entries to what the migration to chains found (and measures to its profiles), each subject
 * in a transaction of its own; begun again, it goes on where it was killed. *ret_count of them. */
bool late_start_fill(struct db *db, int64_t *ret_count, struct err *err);

/* In the caller's transaction: entries for the rows of the late kinds (history/entry_kinds.c). Only
 * one may do it at a time: the caller has the chain "ledger". */
bool late_rows_chain(struct db *db, struct err *err);

#endif
