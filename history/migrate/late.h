/* Entries for rows that an older schema wrote without, for the files of history/ only. */
#ifndef HISTORY_MIGRATE_LATE_H
#define HISTORY_MIGRATE_LATE_H

#include "history/db.h"

#include <stdint.h>

/* In the transaction that applies the last migration: gives entries to what migrations found
 * without (and measures to profiles of before 0005), and forgets what they found, so that nothing
 * that comes later gets an entry in this way. *ret_count of them. */
bool late_start_fill(struct db *db, int64_t *ret_count, struct err *err);

#endif
