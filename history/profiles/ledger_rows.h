/* The rows of one profile, written into the tables of the ledger, for the files of history/ only.
 */
#ifndef HISTORY_PROFILES_LEDGER_ROWS_H
#define HISTORY_PROFILES_LEDGER_ROWS_H

#include "history/chain/chain.h"
#include "history/client/client.h"
#include "history/profiles/ledger.h"
#include "history/profiles/op_signatures.h"
#include "ops/runtime/arena.h"
#include "schema/documents/summary.h"

#include <stdint.h>

/* Whose rows they are. */
struct rows_owner {
    int64_t profile_id, series_id;
};

/* The tables of a few rows each, in the caller's pipeline: files, hosts, facts, programs, devices.
 * sections[PROFILE_SECTION_COUNT]: those of the tables written are filled, here and below. */
bool ledger_few_rows_add(struct pipeline *pipeline, const struct rows_owner *owner,
                         const struct summary *summary, struct arena *arena,
                         struct section_digest *sections, struct err *err);

/* The tracked measures, in the caller's pipeline. */
bool ledger_measures_add(struct pipeline *pipeline, const struct rows_owner *owner,
                         const struct summary *summary, struct section_digest *ret_digest,
                         struct err *err);

/* The tables of many rows, by COPY in the caller's transaction: steps, spans, op rows. ERR_INPUT:
 * step numbers that do not ascend. */
bool ledger_many_rows_copy(struct db *db, const struct rows_owner *owner,
                           const struct op_dictionary *dictionary, struct section_digest *sections,
                           struct err *err);

#endif
