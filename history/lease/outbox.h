/* The outbox: claim, lease and record deliveries. Sending is alerts/; the loop that joins them is
 * ops/serve/workers/worker_alert.c.
 *
 * At-least-once: a message that the receiver took, but whose success could not be recorded, is sent
 * again under the same dedupe key.
 */
#ifndef HISTORY_LEASE_OUTBOX_H
#define HISTORY_LEASE_OUTBOX_H

#include "history/db.h"
#include "ops/runtime/arena.h"

#include <stddef.h>
#include <stdint.h>

struct outbox_item {
    int64_t id;
    const char *destination, *order_key, *dedupe_key, *content_type, *lease_token;
    const char *body;
    size_t body_length;
    int attempt;              /* this one: 1 = the first */
    int max_attempts;         /* policy of the row: after this one it is dead */
    int64_t lifetime_left_ms; /* and after this time */
    const char *phase;        /* of schema/documents/alert_phase.h */
    const char *thread_ref;   /* what the receiver calls the alert's message on top; NULL = none */
    int64_t created_us;       /* when it was enqueued */
    const char *settled; /* who needs it no more, as an earlier attempt said; NULL = none did */
    bool is_whole;       /* false: it is not what its verdict caused, and must not be sent */
};

/* After so many refusals in a row a destination is disabled, for an hour at first. A success, its
 * time, or a person (`alert retry`) opens it again. */
enum { OUTBOX_REFUSALS_MAX = 3 };

/* Claims at most one due item whose predecessors of the same (destination, order_key) are finished;
 * committed before it returns. *ret_found false when nothing is due. */
bool outbox_claim(struct db *db, int64_t lease_ms, struct arena *arena,
                  struct outbox_item *ret_item, bool *ret_found, struct err *err);

/* The lease lasts for lease_ms from now. ERR_CONFLICT: it was lost. */
bool outbox_extend(struct db *db, const struct outbox_item *item, int64_t lease_ms,
                   struct err *err);

/* Each of the next three ends an attempt, is fenced by its lease (ERR_CONFLICT when that was lost)
 * and appends a receipt to the ledger's deliveries. http_status 0 = no answer. */

/* The receiver took it. */
struct outbox_success {
    int http_status;
    const char *remote_ref; /* what it calls the message; NULL = nothing that is worth keeping */
    int64_t pause_ms;       /* the destination takes nothing for so long */
};
bool outbox_delivered(struct db *db, const struct outbox_item *item,
                      const struct outbox_success *success, struct err *err);
/* Sets the item back for delay_ms, or to dead (*ret_dead) when that would be after its attempts or
 * its time are used up (policy in the row, see the item). */
struct outbox_failure {
    int64_t delay_ms;
    int http_status;
    const char *reason;  /* redacted text */
    const char *settled; /* who needs no further attempt; NULL = as it was */
    bool pause;          /* the whole destination is closed for delay_ms */
    int refusals;        /* counts so often towards OUTBOX_REFUSALS_MAX: what is refused is the
                            destination, not this message */
};
bool outbox_retry(struct db *db, const struct outbox_item *item,
                  const struct outbox_failure *failure, bool *ret_dead, struct err *err);
/* Permanent failure: dead at once. */
bool outbox_dead(struct db *db, const struct outbox_item *item,
                 const struct outbox_failure *failure, struct err *err);

/* How long until a destination opens for which a due message waits; -1 = none does. */
bool outbox_pause_left(struct db *db, int64_t *ret_ms, struct err *err);

/* Takes expired leases back (to pending, or dead after the last attempt), gives up items whose time
 * is over, and voids the ends of alerts whose beginnings never arrived; *ret_count of the first
 * two. */
bool outbox_reap(struct db *db, int64_t *ret_count, struct err *err);

#endif
