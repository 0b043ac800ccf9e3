/* Putting messages into the outbox, in the caller's transaction.
 *
 * The keys are locked first: so one key has one producer at a time, and what is read about a thread
 * is true until the transaction ends.
 */
#ifndef HISTORY_OUTBOX_ENQUEUE_H
#define HISTORY_OUTBOX_ENQUEUE_H

#include "history/db.h"
#include "history/ledger.h"

/* Locks the (destination, order_key) of these messages until the end of the transaction; the rest
 * of them may still be unset. */
bool outbox_keys_lock(struct db *db, const struct outbox_message *messages, size_t count,
                      struct arena *arena, struct err *err);

/* Adds a message, moves its thread on, and voids what it replaces. verdict_id 0 = none. *ret_new
 * false: its dedupe key was known, nothing has changed. */
bool outbox_enqueue(struct db *db, int64_t verdict_id, const struct outbox_message *message,
                    bool *ret_new, struct err *err);

/* What a destination was told last about an alert. */
struct alert_thread {
    bool known;
    enum alert_phase phase;
    int generation;
    int64_t age_ms;
};

/* As this transaction sees it. */
bool thread_find(struct db *db, const char *destination, const char *order_key,
                 struct alert_thread *ret_thread, struct err *err);

#endif
