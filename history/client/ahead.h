/* A statement that is sent before its result is asked for, for the files of history/ only: the
 * server works on it while the program works on something else. query_ahead sends it, query_run
 * takes its result (history/client/connection.h).
 *
 * libpq takes one statement at a time and says nothing of it: so the connection remembers what was
 * sent, and waits for it before anything else is.
 */
#ifndef HISTORY_CLIENT_AHEAD_H
#define HISTORY_CLIENT_AHEAD_H

#include "history/client/args.h"

#include "queries.h"

#include <libpq-fe.h>

struct ahead { /* start with {0} */
    PGconn *conn;
    enum query_id id;
    bool is_sent; /* and its result not read yet */
    PGresult *result;
    uint8_t *args; /* its parameters; NULL: there is none */
    size_t args_bytes;
};

/* Sends a prepared statement; args need not outlive the call. One that was sent before and not
 * asked for is forgotten. Fails with what the connection says. */
bool ahead_send(struct ahead *ahead, PGconn *conn, enum query_id id, const struct args *args,
                struct err *err);

/* Waits for the one that was sent, where one was: the connection is free then. */
void ahead_wait(struct ahead *ahead);

/* Its result, of the statement *id with args, or of another one that failed: *id is which. NULL:
 * none of these was sent; the connection is free. The caller clears it. */
PGresult *ahead_take(struct ahead *ahead, enum query_id *id, const struct args *args);

/* Waits for it, and forgets it. Accepts a zeroed one. */
void ahead_drop(struct ahead *ahead);

#endif
