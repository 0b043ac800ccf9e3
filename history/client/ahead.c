/* Implements statements that are sent ahead. */
#include "history/client/ahead.h"

#include "history/client/db_error.h"
#include "history/client/result.h"

#include <stdlib.h>
#include <string.h>

/* Each parameter's format, length (-1: NULL) and bytes; to be freed. */
static uint8_t *args_pack(const struct args *args, size_t *ret_bytes)
{
    size_t bytes = 1; /* never none */
    int64_t lengths[ARGS_MAX];
    for (int i = 0; i < args->count; i++) {
        bool is_text = args->values[i] != NULL && args->formats[i] == 0;
        lengths[i] = args->values[i] == NULL ? -1
                     : is_text               ? (int64_t)strlen(args->values[i])
                                             : args->lengths[i];
        bytes += 2 * sizeof *lengths + (size_t)(lengths[i] > 0 ? lengths[i] : 0);
    }
    uint8_t *packed = memory_zalloc(1, bytes), *at = packed;
    for (int i = 0; i < args->count; i++) {
        const int64_t said[2] = {args->formats[i], lengths[i]};
        memcpy(at, said, sizeof said);
        at += sizeof said;
        if (lengths[i] > 0) {
            memcpy(at, args->values[i], (size_t)lengths[i]);
            at += lengths[i];
        }
    }
    *ret_bytes = bytes;
    return packed;
}

void ahead_wait(struct ahead *ahead)
{
    if (ahead->is_sent)
        ahead->result = result_next(ahead->conn);
    ahead->is_sent = false;
}

void ahead_drop(struct ahead *ahead)
{
    ahead_wait(ahead);
    PQclear(ahead->result);
    free(ahead->args);
    *ahead = (struct ahead){0};
}

bool ahead_send(struct ahead *ahead, PGconn *conn, enum query_id id, const struct args *args,
                struct err *err)
{
    const char *name = queries[id].name;
    ahead_drop(ahead);
    *ahead = (struct ahead){.conn = conn, .id = id};
    ahead->args = args_pack(args, &ahead->args_bytes);
    ahead->is_sent = PQsendQueryPrepared(conn, name, args->count, args->values, args->lengths,
                                         args->formats, 1) == 1;
    return ahead->is_sent || db_error(conn, NULL, name, err);
}

PGresult *ahead_take(struct ahead *ahead, enum query_id *id, const struct args *args)
{
    PGresult *result = NULL;
    size_t bytes = 0;
    ahead_wait(ahead);
    if (ahead->args == NULL)
        return NULL;
    uint8_t *packed = ahead->id == *id && args != NULL ? args_pack(args, &bytes) : NULL;
    bool is_same =
        packed != NULL && bytes == ahead->args_bytes && memcmp(packed, ahead->args, bytes) == 0;
    free(packed);
    if (is_same || PQresultStatus(ahead->result) != PGRES_TUPLES_OK) {
        *id = ahead->id;
        result = ahead->result;
        ahead->result = NULL;
        ahead_drop(ahead);
    }
    return result;
}
