/* What the server or libpq said, as an err kind: a table from SQLSTATE to what the caller can do.
 */
#ifndef HISTORY_CLIENT_DB_ERROR_H
#define HISTORY_CLIENT_DB_ERROR_H

#include "ops/runtime/err.h"

#include <libpq-fe.h>

/* Fills *err from a failed result (may be NULL: then from the connection). what is for the message:
 * what was done. Returns false. */
bool db_error(PGconn *conn, const PGresult *result, const char *what, struct err *err);

#endif
