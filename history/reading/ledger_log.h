/* The log of the ledger: its entries as they hang on their chains. */
#ifndef HISTORY_READING_LEDGER_LOG_H
#define HISTORY_READING_LEDGER_LOG_H

#include "history/db.h"
#include "ops/runtime/arena.h"
#include "schema/documents/optional.h"

#include <stddef.h>

struct log_query {
    const char *chain;   /* "s3", "j1", "ledger"; NULL = any */
    const char *project; /* all chains of it; NULL = any */
    int64_t last;
};

struct log_entry {
    const char *chain, *kind, *entry; /* entry: "p12" */
    int64_t position;
    struct opt_i64 supersedes;
    const char *recorded_at_utc, *sha256;
};

struct log_page {
    struct log_entry *items; /* newest first */
    size_t count;
};

/* The last entries; lives in the arena. */
bool ledger_log(struct db *db, const struct log_query *query, struct arena *arena,
                struct log_page *ret_page, struct err *err);

#endif
