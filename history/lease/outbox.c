/* The outbox, seen from the worker: each call is one transaction, so nothing is held while the
 * network is waited for. A receipt gets its entry in it. */
#include "history/lease/outbox.h"

#include "history/chain/chain.h"
#include "history/client/client.h"

#include <inttypes.h>
#include <string.h>

static void item_finish(const PGresult *rows, int row, struct arena *arena, void *item)
{
    struct outbox_item *out = item;
    out->body = result_copy_bytes(rows, row, C_outbox_claim_body, arena, &out->body_length);
}

static const struct row_field claimed_fields[] = {
    ROW_FIELDS(struct outbox_item, id, destination, order_key, dedupe_key, content_type,
               lease_token),
    {ROW_SKIPPED, 0}, /* the body */
    ROW_FIELDS(struct outbox_item, attempt, max_attempts, lifetime_left_ms, phase, thread_ref,
               created_us, settled, is_whole),
    {ROW_END, 0},
};
static const struct row_kind claimed = {
    ROWS_BY(Q_outbox_claim, struct outbox_item, "a message", claimed_fields),
    .finish = item_finish};

bool outbox_claim(struct db *db, int64_t lease_ms, struct arena *arena,
                  struct outbox_item *ret_item, bool *ret_found, struct err *err)
{
    return row_find(db, &claimed, ARGS(lease_ms), arena, (struct row_found){ret_item, ret_found},
                    err);
}

bool outbox_extend(struct db *db, const struct outbox_item *item, int64_t lease_ms, struct err *err)
{
    scoped_result *result = NULL;
    return query_run(db, Q_outbox_extend, ARGS(item->id, item->lease_token, lease_ms), &result,
                     err) &&
           (PQntuples(result) == 1 ||
            err_set(err, ERR_CONFLICT, "the lease of message %" PRId64 " to \"%s\" ran out",
                    item->id, item->destination));
}

/* How an attempt ended. */
struct ending {
    const char *outcome; /* of deliveries: done, retry, dead */
    int64_t delay_ms;
    int http_status;
    const char *reason, *remote_ref, *settled;
    int64_t pause_ms; /* the destination is closed for so long */
    int refusals;     /* of the destination */
};

/* How long a destination that refuses everything is left alone; at each further refusal twice as
 * long. One that has taken nothing for days is given the same rest. */
static const int64_t disabled_ms = INT64_C(3600) * 1000;
static const int64_t failing_ms = INT64_C(5) * 24 * 3600 * 1000;

/* The entries of receipts that were written just now: each row's id and chain from column first on.
 */
static bool receipts_owe(struct db *db, const PGresult *receipts, int first, struct err *err)
{
    for (int row = 0; row < PQntuples(receipts); row++)
        if (!entry_due(db, result_text(receipts, row, first + 1), ENTRY_DELIVERY,
                       result_i64(receipts, row, first), err))
            return false;
    return true;
}

static bool attempt_finish(struct db *db, const struct outbox_item *item,
                           const struct ending *ending, bool *ret_dead, struct err *err)
{
    struct opt_i64 status = {ending->http_status != 0, ending->http_status};
    scoped_transaction *open = NULL;
    scoped_result *result = NULL;
    if (!transaction_open(db, &open, err) ||
        !query_run(db, Q_outbox_finish,
                   ARGS(item->id, item->lease_token, ending->outcome, ending->delay_ms, status,
                        ending->reason, ending->remote_ref, ending->pause_ms, ending->refusals,
                        OUTBOX_REFUSALS_MAX, disabled_ms, failing_ms, ending->settled),
                   &result, err))
        return false;
    if (PQntuples(result) != 1)
        return err_set(err, ERR_CONFLICT,
                       "the lease of message %" PRId64
                       " to \"%s\" ran out before attempt %d was recorded",
                       item->id, item->destination, item->attempt);
    *ret_dead = strcmp(result_text(result, 0, C_outbox_finish_outcome), "dead") == 0;
    return receipts_owe(db, result, 1, err) &&
           (!*ret_dead || query_do(db, Q_outbox_void, NULL, err)) && transaction_close(&open, err);
}

bool outbox_delivered(struct db *db, const struct outbox_item *item,
                      const struct outbox_success *success, struct err *err)
{
    bool dead;
    const struct ending ending = {.outcome = "done",
                                  .http_status = success->http_status,
                                  .remote_ref = success->remote_ref,
                                  .pause_ms = success->pause_ms};
    return attempt_finish(db, item, &ending, &dead, err);
}

bool outbox_retry(struct db *db, const struct outbox_item *item,
                  const struct outbox_failure *failure, bool *ret_dead, struct err *err)
{
    const struct ending ending = {.outcome = "retry",
                                  .delay_ms = failure->delay_ms,
                                  .http_status = failure->http_status,
                                  .reason = failure->reason,
                                  .settled = failure->settled,
                                  .pause_ms = failure->pause ? failure->delay_ms : 0};
    return attempt_finish(db, item, &ending, ret_dead, err);
}

bool outbox_dead(struct db *db, const struct outbox_item *item,
                 const struct outbox_failure *failure, struct err *err)
{
    bool dead;
    const struct ending ending = {.outcome = "dead",
                                  .http_status = failure->http_status,
                                  .reason = failure->reason,
                                  .refusals = failure->refusals};
    return attempt_finish(db, item, &ending, &dead, err);
}

bool outbox_pause_left(struct db *db, int64_t *ret_ms, struct err *err)
{
    return query_number_or(db, Q_outbox_pause_left, NULL, -1, ret_ms, err);
}

bool outbox_reap(struct db *db, int64_t *ret_count, struct err *err)
{
    /* Each ends messages and writes their receipts. */
    static const enum query_id endings[] = {Q_outbox_reap, Q_outbox_expire};
    *ret_count = 0;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        scoped_transaction *open = NULL;
        scoped_result *receipts = NULL;
        if (!transaction_open(db, &open, err) || !query_run(db, endings[i], NULL, &receipts, err) ||
            !receipts_owe(db, receipts, 0, err) || !transaction_close(&open, err))
            return false;
        *ret_count += PQntuples(receipts);
    }
    return query_do(db, Q_outbox_void, NULL, err);
}
