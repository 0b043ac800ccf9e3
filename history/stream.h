/* Results of any length, row by row, for the files of history/ only. */
#ifndef HISTORY_STREAM_H
#define HISTORY_STREAM_H

#include "history/connection.h"

/* Called with a result of one row; false with *err filled ends the stream. */
typedef bool row_reader(void *context, const PGresult *row, struct err *err);

struct row_sink {
    row_reader *read;
    void *context;
};

/* Runs one statement and hands over its rows as they come; memory does not grow with them. No other
 * statement can run meanwhile. */
bool query_stream(struct db *db, enum query_id id, const struct args *args,
                  const struct row_sink *sink, struct err *err);

#endif
