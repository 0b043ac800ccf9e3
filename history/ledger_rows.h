/* The rows of one profile, written by COPY into the tables of the ledger, for the files of history/
 * only. */
#ifndef HISTORY_LEDGER_ROWS_H
#define HISTORY_LEDGER_ROWS_H

#include "history/canonical.h"
#include "history/db.h"
#include "ops/runtime/arena.h"
#include "schema/summary.h"

#include <stdint.h>

/* Whose rows they are. */
struct rows_owner {
    int64_t profile_id, series_id;
};

/* In the caller's transaction: files, hosts, facts, programs, devices, steps, spans, the
 * dictionary's new ops, op rows, measures. sections[PROFILE_SECTION_COUNT]: those of the tables
 * written are filled. ERR_INPUT: step numbers that do not ascend. */
bool ledger_rows_append(struct db *db, const struct rows_owner *owner,
                        const struct summary *summary, struct arena *arena,
                        struct section_digest *sections, struct err *err);

/* The tracked measures alone. */
bool ledger_measures_append(struct db *db, const struct rows_owner *owner,
                            const struct summary *summary, struct section_digest *ret_digest,
                            struct err *err);

#endif
