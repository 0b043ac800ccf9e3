/* Putting messages into the outbox, in the caller's transaction.
 *
 * The keys are locked first: so one key has one producer at a time, and what is read about a thread
 * is true until the transaction ends.
 */
#ifndef HISTORY_LEASE_OUTBOX_ENQUEUE_H
#define HISTORY_LEASE_OUTBOX_ENQUEUE_H

#include "history/db.h"
#include "schema/documents/alert_phase.h"

#include <stddef.h>
#include <stdint.h>

/* A message to be sent because of a verdict: frozen bytes for one destination. */
struct outbox_message {
    const char *destination; /* name in the configuration; never a URL or secret */
    const char *order_key;   /* alert identity: strict order within (destination, order_key) */
    const char *dedupe_key;
    const char *content_type;
    const char *body;
    size_t body_length;
    int max_attempts;       /* then it is dead; 0 = 12 */
    int64_t lifetime_ms;    /* then it is dead too: a day-old alarm is noise; 0 = 24 hours */
    enum alert_phase phase; /* what it changes about the alert, as this destination knows it */
    int generation;         /* how often the alert was opened; 0: the thread stays as it is */
    const char *headline;   /* one clean line, for lists and digests; NULL = none */
    int64_t wait_ms;        /* due only then */
    bool in_digest;         /* may be joined with others that are due together */
    bool replaces;          /* voids what waits under the same key */
    bool standalone;        /* told even if what came before it under its key never arrived */
};

struct message_list {
    struct outbox_message *items;
    size_t count;
};

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
