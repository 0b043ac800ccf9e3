/* A connection to the ledger's database. The only folder that knows libpq is history/.
 *
 * struct db prepares statements of history/sql on first use, keeps SQLSTATE in errors, and turns
 * server replies into err kinds: connection trouble and shutdown -> ERR_UNAVAILABLE, disk full ->
 * ERR_FULL, serialization/deadlock -> ERR_CONFLICT, …
 */
#ifndef HISTORY_DB_H
#define HISTORY_DB_H

#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"

#include <stdbool.h>

struct db;

/* The conninfo holds a password, rather than leaving it to a password file or the environment. */
bool db_conninfo_has_password(const char *conninfo);

/* Connects to a libpq conninfo or URI and checks that the schema is exactly ours: a missing, too
 * old or too new one is ERR_UNAVAILABLE that says which it is and what to run (`stepledger
 * migrate`). */
bool db_open(const char *conninfo, struct db **ret_db, struct err *err);
/* Without the schema check: for migrate. */
bool db_open_raw(const char *conninfo, struct db **ret_db, struct err *err);
void db_close(struct db *db);

/* Where the ledger is reached: hosts, ports and name of the database, a line each, in the arena.
 * Not which of several hosts answered. */
const char *db_address(const struct db *db, struct arena *arena);

/* What somebody on the way to the server can do. */
enum db_way {
    DB_WAY_CLOSED,   /* nothing: it is this machine, or its certificate (or Kerberos) proves it */
    DB_WAY_UNPROVEN, /* answer in its place: encrypted, for whoever it is (sslmode=require) */
    DB_WAY_OPEN,     /* have it sent without encryption, too (libpq's default, `prefer`) */
};
/* *ret_host is the server's name or address, for as long as the connection. */
enum db_way db_way(const struct db *db, const char **ret_host);

/* Transactions: db_begin … db_commit, which also gives what was written its entries; db_rollback is
 * harmless when none is open. For tests that look in between; whoever else needs one has a
 * scoped_transaction. */
bool db_begin(struct db *db, struct err *err);
bool db_commit(struct db *db, struct err *err);
void db_rollback(struct db *db);

/* A transaction that is taken back where its block ends before transaction_close, which commits:
 *
 *     scoped_transaction *open = NULL;
 *     if (!transaction_open(db, &open, err))
 *         return false;
 *     ...
 *     return transaction_close(&open, err);
 *
 * It stands behind the scoped_db whose it is. */
bool transaction_open(struct db *db, struct db **ret_open, struct err *err);
bool transaction_close(struct db **open, struct err *err);
/* One that sees the ledger as it is now, to its end, and writes nothing: it needs no close. */
bool snapshot_open(struct db *db, struct db **ret_open, struct err *err);

static inline void transaction_cleanup(struct db **open)
{
    db_rollback(*open);
}
#define scoped_transaction __attribute__((cleanup(transaction_cleanup))) struct db

static inline void db_cleanup(struct db **db)
{
    db_close(*db);
}
#define scoped_db __attribute__((cleanup(db_cleanup))) struct db

#endif
