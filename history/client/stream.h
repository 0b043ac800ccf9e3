/* Rows of COPY ... TO STDOUT (FORMAT binary), one at a time, for the files of history/ only: the
 * bytes that the ledger hashes are those that the server sends. */
#ifndef HISTORY_CLIENT_STREAM_H
#define HISTORY_CLIENT_STREAM_H

#include "history/client/connection.h"

/* Called with one row: its number of columns (16 bits), then each one's length (32 bits, -1 = NULL)
 * and value. false with *err filled ends the stream. */
typedef bool row_reader(void *context, const uint8_t *row, size_t length, struct err *err);

struct row_sink {
    row_reader *read;
    void *context;
};

/* Runs one statement and hands over its rows as they come; memory does not grow with their number.
 * Each has as many columns as the file's `-- Copies:` line says, and they end where the row ends.
 * No other statement can run meanwhile. */
bool query_copy_out(struct db *db, enum query_id id, const struct row_sink *sink, struct err *err);

#endif
