/* The outbox: claim, lease and record deliveries. Sending is alerts/; the loop that joins them is
 * ops/serve/worker_alert.c.
 *
 * At-least-once: a message that the receiver took, but whose success could not be recorded, is sent
 * again under the same dedupe key. Design: spec/wire.md §13, spec/wire_outbox.sql.
 */
#ifndef HISTORY_OUTBOX_H
#define HISTORY_OUTBOX_H

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
};

/* Claims at most one due item whose predecessors of the same (destination, order_key) are finished;
 * committed before it returns. *ret_found false when nothing is due. */
bool outbox_claim(struct db *db, int64_t lease_ms, struct arena *arena,
                  struct outbox_item *ret_item, bool *ret_found, struct err *err);

/* Each of the next three ends an attempt, is fenced by its lease (ERR_CONFLICT when that was lost)
 * and appends a receipt to the ledger's deliveries. http_status 0 = no answer. */

/* The receiver took it; remote_ref is what it calls the message, or NULL. */
bool outbox_delivered(struct db *db, const struct outbox_item *item, int http_status,
                      const char *remote_ref, struct err *err);
/* Sets the item back for delay_ms, or to dead when that would be after its attempts or its time are
 * used up (policy in the row, see the item). An answer 429 closes the whole destination for that
 * time. reason is redacted text. */
bool outbox_retry(struct db *db, const struct outbox_item *item, int64_t delay_ms, int http_status,
                  const char *reason, struct err *err);
/* Permanent failure: dead at once. */
bool outbox_dead(struct db *db, const struct outbox_item *item, int http_status, const char *reason,
                 struct err *err);

/* Takes expired leases back (to pending, or dead after the last attempt) and gives up items whose
 * time is over; *ret_count of them. */
bool outbox_reap(struct db *db, int64_t *ret_count, struct err *err);

#endif
