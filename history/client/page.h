/* Walking a table in the order of its ids, for the files of history/ only. */
#ifndef HISTORY_CLIENT_PAGE_H
#define HISTORY_CLIENT_PAGE_H

#include "history/client/connection.h"

/* Runs a statement that takes an id and a limit: the rows behind the id, at most so many. The
 * caller clears *ret_rows. */
bool page_run(struct db *db, enum query_id id, int64_t after_id, int64_t limit, PGresult **ret_rows,
              struct err *err);

/* What the rows of a page are, and how one is copied out of the result. */
struct page_kind {
    enum query_id query;
    int64_t limit;
    size_t row_bytes;
    bool (*copy)(const PGresult *rows, int row, struct arena *arena, void *out); /* false: budget */
    const char *what; /* of a message: "a page of receipts" */
};

struct page_rows {
    void *items; /* in the arena; row_bytes each */
    size_t count;
};

/* The rows behind an id, copied. ERR_LIMIT beyond the arena's budget, or what the query says. */
bool page_read(struct db *db, const struct page_kind *kind, int64_t after_id, struct arena *arena,
               struct page_rows *ret_page, struct err *err);

#endif
