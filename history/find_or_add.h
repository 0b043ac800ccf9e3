/* Rows that are found by their natural key or made on first sight, for the files of history/ only.
 */
#ifndef HISTORY_FIND_OR_ADD_H
#define HISTORY_FIND_OR_ADD_H

#include "history/connection.h"

/* find returns at most one row with one bigint, add inserts with ON CONFLICT DO NOTHING; both take
 * args. Safe when several transactions do the same at once. */
bool find_or_add(struct db *db, enum query_id find, enum query_id add, const struct args *args,
                 int64_t *ret_id, struct err *err);

/* The id of a project, made on first sight. */
bool project_find_or_add(struct db *db, const char *name, int64_t *ret_id, struct err *err);

#endif
