/* libpq's single-row mode. The result is always read to its end, so that the connection can be used
 * again; an early end cancels the statement first. */
#include "history/stream.h"

#include "history/db_error.h"

static void statement_cancel(struct db *db)
{
    char ignored[256];
    PGcancel *cancel = PQgetCancel(db->conn);
    if (cancel != NULL)
        (void)PQcancel(cancel, ignored, sizeof ignored);
    PQfreeCancel(cancel);
}

/* false: the stream is over. */
static bool result_take(struct db *db, const struct query *query, const PGresult *result,
                        const struct row_sink *sink, struct err *err)
{
    ExecStatusType status = PQresultStatus(result);
    if (status == PGRES_SINGLE_TUPLE)
        return query_shape_check(query, result, err) && sink->read(sink->context, result, err);
    return status == PGRES_TUPLES_OK || db_error(db->conn, result, query->name, err);
}

bool query_stream(struct db *db, enum query_id id, const struct args *args,
                  const struct row_sink *sink, struct err *err)
{
    bool good = true;
    if (!query_send_start(db, id, args, err))
        return false;
    if (PQsetSingleRowMode(db->conn) != 1)
        return err_set(err, ERR_BUG, "query %s: no single-row mode", queries[id].name);
    for (;;) {
        scoped_result *result = PQgetResult(db->conn);
        if (result == NULL)
            return good;
        if (!good || result_take(db, &queries[id], result, sink, err))
            continue;
        good = false;
        statement_cancel(db);
    }
}
