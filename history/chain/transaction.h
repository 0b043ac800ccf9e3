/* What a transaction owes: entries, for the files of history/ only.
 *
 * Who writes a subject's rows owes its entry; db_commit settles what is owed, last of all. So a
 * chain is held for no longer than it takes, nothing else is waited for while it is held, and who
 * owes to several chains takes them in the order of their names: no two wait for each other.
 */
#ifndef HISTORY_CHAIN_TRANSACTION_H
#define HISTORY_CHAIN_TRANSACTION_H

#include "history/chain/entries.h"

/* Takes down that the subject, whose rows are all written by the end of the open transaction, gets
 * its entry on the chain of that name. ERR_BUG: no transaction is open. */
bool entry_owe(struct db *db, const char *chain, enum entry_kind kind, int64_t subject_id,
               struct err *err);

/* The same for what a person or a token asked for; NULL: nobody but the session did. ERR_INPUT: a
 * name of more than 200 bytes. */
bool entry_owe_for(struct db *db, const char *chain, enum entry_kind kind, int64_t subject_id,
                   const char *on_behalf_of, struct err *err);

#endif
