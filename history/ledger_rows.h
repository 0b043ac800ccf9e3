/* The rows of one profile, written by COPY into the tables of the ledger, for the files of history/
 * only. */
#ifndef HISTORY_LEDGER_ROWS_H
#define HISTORY_LEDGER_ROWS_H

#include "history/db.h"
#include "ops/runtime/arena.h"
#include "schema/summary.h"

#include <stdint.h>

/* In the caller's transaction: files, hosts, facts, programs, devices, steps, spans, the
 * dictionary's new ops, op rows. */
bool ledger_rows_append(struct db *db, int64_t profile_id, const struct summary *summary,
                        struct arena *arena, struct err *err);

#endif
