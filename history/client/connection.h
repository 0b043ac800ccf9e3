/* The inside of struct db, for the files of history/ only: running embedded statements on one
 * connection. */
#ifndef HISTORY_CLIENT_CONNECTION_H
#define HISTORY_CLIENT_CONNECTION_H

#include "history/client/ahead.h"
#include "history/client/args.h"
#include "history/db.h"

#include "queries.h"

#include <libpq-fe.h>

enum { MONTH_BYTES = 8 }; /* "2026-11" */

/* The server plans a statement for the values of its parameters, each time; one that says
 * `-- Plan: once` only at its first use. */
struct db {
    PGconn *conn;
    bool plans_once;        /* what the session is set to, */
    bool plans_once_before; /* and was before the open transaction */
    bool all_plans_once;    /* whatever the statement says */
    struct ahead ahead;
    bool prepared[Q_COUNT];
    char
        month[MONTH_BYTES]; /* whose partitions are known to be there (history/profiles/ledger.c) */
    struct due_entry *due;  /* of the open transaction (history/chain/transaction.h) */
    size_t due_count, due_room;
};

static inline void result_cleanup(PGresult **result)
{
    PQclear(*result);
}
#define scoped_result __attribute__((cleanup(result_cleanup))) PGresult

/* Runs one statement of history/sql, prepared on first use; args may be NULL. Checks status, then
 * shape: the number of columns and the type of each are those of the file's header. Results are
 * binary. The caller clears *ret_result. */
bool query_run(struct db *db, enum query_id id, const struct args *args, PGresult **ret_result,
               struct err *err);

/* The same where exactly one row must come back; anything else is ERR_BUG. */
bool query_row(struct db *db, enum query_id id, const struct args *args, PGresult **ret_result,
               struct err *err);

/* The same where the row is one bigint. */
bool query_number(struct db *db, enum query_id id, const struct args *args, int64_t *ret_number,
                  struct err *err);

/* The same where the row is one boolean. */
bool query_bool(struct db *db, enum query_id id, const struct args *args, bool *ret_value,
                struct err *err);

/* query_number where there may be no row: then it is `none`. */
bool query_number_or(struct db *db, enum query_id id, const struct args *args, int64_t none,
                     int64_t *ret_number, struct err *err);

/* The same where rows are of no interest. */
bool query_do(struct db *db, enum query_id id, const struct args *args, struct err *err);

/* Sends a statement, and does not wait: query_run takes its result where it is the same one with
 * the same parameters, and runs it as usual where it is not; whatever else runs meanwhile waits for
 * it first. One at a time; it sees the ledger as it is when it is sent. args need not outlive the
 * call. What goes wrong with it is told to whoever runs the next one. */
bool query_ahead(struct db *db, enum query_id id, const struct args *args, struct err *err);

/* Whether a transaction is open; waits for what was sent ahead. */
PGTransactionStatusType db_transaction_status(struct db *db);

/* Whether a statement went well, and has the columns of the file's header; ERR_BUG names the first
 * that differs. */
bool query_result_check(const struct db *db, const struct query *query, const PGresult *result,
                        struct err *err);

/* Whether the protocol takes the parameters, else ERR_LIMIT. args may be NULL. */
bool query_args_check(const struct query *query, const struct args *args, struct err *err);

/* Starts a COPY of history/sql; history/chain/copy.c or history/client/stream.c goes on from there.
 */
bool query_copy_start(struct db *db, enum query_id id, ExecStatusType direction, struct err *err);

/* Several statements at once, without parameters, for migrations. name is for messages. */
bool query_script(struct db *db, const char *name, const char *text, struct err *err);

#endif
