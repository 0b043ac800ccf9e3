/* Implements pipelines. A statement is prepared where it is first used, as outside of a pipeline,
 * but without waiting: the preparation is one more result to read. */
#include "history/client/pipeline.h"

#include "history/client/db_error.h"
#include "history/client/result.h"

#include <assert.h>

bool pipeline_begin(struct pipeline *pipeline, struct db *db, struct err *err)
{
    *pipeline = (struct pipeline){.db = db};
    ahead_wait(&db->ahead);
    return PQenterPipelineMode(db->conn) == 1 ||
           err_set(err, ERR_BUG, "a pipeline is begun while the connection is busy");
}

bool pipeline_add(struct pipeline *pipeline, enum query_id id, const struct args *args,
                  struct err *err)
{
    struct db *db = pipeline->db;
    const struct query *query = &queries[id];
    bool prepares = !db->prepared[id];
    assert(pipeline->count < PIPELINE_MAX);
    if (!query_args_check(query, args, err))
        return false;
    if (prepares && PQsendPrepare(db->conn, query->name, query->text, 0, NULL) != 1)
        return db_error(db->conn, NULL, query->name, err);
    db->prepared[id] = true;
    pipeline->items[pipeline->count].id = id;
    pipeline->items[pipeline->count++].prepares = prepares;
    return PQsendQueryPrepared(db->conn, query->name, args == NULL ? 0 : args->count,
                               args == NULL ? NULL : args->values,
                               args == NULL ? NULL : args->lengths,
                               args == NULL ? NULL : args->formats, 1) == 1 ||
           db_error(db->conn, NULL, query->name, err);
}

static bool item_read(struct pipeline *pipeline, size_t i, struct err *err)
{
    struct db *db = pipeline->db;
    enum query_id id = pipeline->items[i].id;
    if (pipeline->items[i].prepares) {
        scoped_result *prepared = result_next(db->conn);
        db->prepared[id] = PQresultStatus(prepared) == PGRES_COMMAND_OK;
        if (!db->prepared[id]) {
            pipeline->items[i].result = result_next(db->conn);
            return db_error(db->conn, prepared, queries[id].name, err);
        }
    }
    pipeline->items[i].result = result_next(db->conn);
    return query_result_check(db, &queries[id], pipeline->items[i].result, err);
}

bool pipeline_run(struct pipeline *pipeline, struct err *err)
{
    if (PQpipelineSync(pipeline->db->conn) != 1)
        return db_error(pipeline->db->conn, NULL, "a pipeline", err);
    /* Reads everything to the end, so that the connection can be used again. */
    PGconn *conn = pipeline->db->conn;
    struct err ignored;
    bool good = true;
    for (size_t i = 0; i < pipeline->count; i++)
        good = item_read(pipeline, i, good ? err : &ignored) && good;
    /* A statement that could not be sent has no result: then the end may be behind us already. */
    for (int empty = 0, i = 0; empty < 2 && i < PIPELINE_MAX && PQstatus(conn) == CONNECTION_OK;
         i++) {
        scoped_result *result = PQgetResult(conn);
        if (PQresultStatus(result) == PGRES_PIPELINE_SYNC)
            break;
        empty += result == NULL;
    }
    if (PQexitPipelineMode(conn) != 1 && good)
        return db_error(conn, NULL, "a pipeline", err);
    return good;
}

const PGresult *pipeline_result(const struct pipeline *pipeline, enum query_id id)
{
    size_t i = pipeline->count;
    while (i > 0 && pipeline->items[i - 1].id != id)
        i--;
    assert(i > 0);
    return pipeline->items[i - 1].result;
}

void pipeline_done(struct pipeline *pipeline)
{
    if (pipeline->db == NULL)
        return;
    if (PQpipelineStatus(pipeline->db->conn) != PQ_PIPELINE_OFF)
        (void)pipeline_run(pipeline, NULL);
    for (size_t i = 0; i < pipeline->count; i++)
        PQclear(pipeline->items[i].result);
    *pipeline = (struct pipeline){0};
}
