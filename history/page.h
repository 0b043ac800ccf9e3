/* Walking a table in the order of its ids, for the files of history/ only. */
#ifndef HISTORY_PAGE_H
#define HISTORY_PAGE_H

#include "history/connection.h"

/* Runs a statement that takes an id and a limit: the rows behind the id, at most so many. The
 * caller clears *ret_rows. */
bool page_run(struct db *db, enum query_id id, int64_t after_id, int64_t limit, PGresult **ret_rows,
              struct err *err);

#endif
