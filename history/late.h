/* Entries for rows that older versions wrote without, for the files of history/ only. */
#ifndef HISTORY_LATE_H
#define HISTORY_LATE_H

#include "history/db.h"

#include <stdint.h>

/* Gives entries to what migrations found without (and measures to profiles of before 0005), each
 * subject in a transaction of its own; begun again, it goes on where it was killed. *ret_count of
 * them. */
bool late_start_fill(struct db *db, int64_t *ret_count, struct err *err);

#endif
