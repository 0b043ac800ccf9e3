/* What a transaction owes: entries, for the files of history/ only.
 *
 * Who writes a subject's rows owes its entry; db_commit settles what is owed, last of all. So a
 * chain is held for no longer than it takes, nothing else is waited for while it is held, and who
 * owes to several chains takes them in the order of their names: no two wait for each other.
 */
#ifndef HISTORY_CHAIN_TRANSACTION_H
#define HISTORY_CHAIN_TRANSACTION_H

#include "history/chain/entries.h"
#include "schema/documents/origin.h"

/* Takes down that the subject, whose rows are all written by the end of the open transaction, gets
 * its entry on the chain of that name. ERR_BUG: no transaction is open. */
bool entry_due(struct db *db, const char *chain, enum entry_kind kind, int64_t subject_id,
               struct err *err);

/* The same for what a person or a token asked for; NULL: nobody but the session did. ERR_INPUT: a
 * name of more than 200 bytes. */
bool entry_due_for(struct db *db, const char *chain, enum entry_kind kind, int64_t subject_id,
                   const char *on_behalf_of, struct err *err);

/* The same for what a statement added just now, which gives its id and its chain first, and where
 * it comes from (see below; NULL: from here). */
bool added_due(struct db *db, enum entry_kind kind, const PGresult *added,
               const struct origin *origin, const char *on_behalf_of, struct err *err);

/* ---- rows that owe one ---------------------------------------------------------------------- */

/* find returns at most one row with one bigint, add inserts with ON CONFLICT DO NOTHING; both take
 * the same parameters. What add inserts of the ledger gets its entry: it returns id and chain. */
struct addition {
    enum query_id find, add;
    enum entry_kind kind; /* ENTRY_KIND_COUNT: work state, without entry */
};

/* In the caller's transaction. Safe when several transactions do the same at once. */
bool find_or_add(struct db *db, const struct addition *addition, const struct args *args,
                 int64_t *ret_id, struct err *err);

/* The id of a project, made on first sight. */
bool project_find_or_add(struct db *db, const char *name, int64_t *ret_id, struct err *err);

/* ---- where an entry comes from ------------------------------------------------------------- */

/* The parameters of Q_origin_add. */
void origin_args(struct args *args, enum entry_kind kind, int64_t subject_id,
                 const struct origin *origin);

/* Appends it in the caller's transaction, before the subject's entry is made; NULL, or one without
 * a time, appends nothing. */
bool origin_append(struct db *db, enum entry_kind kind, int64_t subject_id,
                   const struct origin *origin, struct err *err);

#endif
