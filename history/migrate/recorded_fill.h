/* Digests of the sections of profiles that older versions stored, for the files of history/ only.
 */
#ifndef HISTORY_MIGRATE_RECORDED_FILL_H
#define HISTORY_MIGRATE_RECORDED_FILL_H

#include "history/db.h"

/* Reads the rows of every profile of whose sections no digests are kept (history/chain/recorded.h),
 * and keeps those that make the hash of its entry; begun again, it goes on where it was killed. */
bool recorded_fill(struct db *db, struct err *err);

#endif
