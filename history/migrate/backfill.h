/* What older schemas stored without: entries, digests of sections. For the files of history/ only.
 */
#ifndef HISTORY_MIGRATE_BACKFILL_H
#define HISTORY_MIGRATE_BACKFILL_H

#include "history/db.h"

#include <stdint.h>

/* In the transaction that applies the last migration: gives entries to what migrations found
 * without (and measures to profiles of before 0005), and forgets what they found, so that nothing
 * that comes later gets an entry in this way. *ret_count of them. */
bool backfill_entries(struct db *db, int64_t *ret_count, struct err *err);

/* Reads the rows of every profile of whose sections no digests are kept (history/chain/recorded.h),
 * and keeps those that make the hash of its entry; begun again, it goes on where it was killed. */
bool backfill_digests(struct db *db, struct err *err);

#endif
