/* Reads and takes over moves and receipts. A move is taken only where it fits: the present state of
 * an alert decides, as for every other move. */
#include "history/alert/alert_log.h"

#include "history/alert/alert_moves.h"
#include "history/chain/chain.h"
#include "history/client/client.h"
#include "ops/runtime/text.h"

#include <inttypes.h>
#include <string.h>

enum { PAGE = 500 };

/* ---- moves ----------------------------------------------------------------------------------- */

static const struct row_kind moves = {ROWS(Q_alert_event_page, struct alert_move_row,
                                           "a page of alerts", id, project, workload, branch, from,
                                           to, action, good_count, verdict_id, reason, until_utc,
                                           origin.recorded_at_utc, origin.by),
                                      .limit = PAGE};

bool alert_moves_after(struct db *db, int64_t after_id, struct arena *arena,
                       struct alert_move_page *ret_page, struct err *err)
{
    return rows_after(db, &moves, after_id, arena, ret_page, err);
}

static const char *from_of(const struct alert_move_row *row)
{
    return row->from == NULL ? alert_state_names[ALERT_NONE] : row->from;
}

/* Its columns: how often it is there, and the series of its verdict. */
static bool count_ask(struct db *db, const struct alert_move_row *row, PGresult **ret_found,
                      struct err *err)
{
    return query_run(db, Q_alert_event_count,
                     ARGS(row->verdict_id, row->branch, from_of(row), row->action, row->reason),
                     ret_found, err) &&
           (PQntuples(*ret_found) == 1 ||
            err_set(err, ERR_MISSING, "the ledger holds no verdict v%" PRId64, row->verdict_id));
}

bool alert_move_count(struct db *db, const struct alert_move_row *row, int64_t *ret_count,
                      struct err *err)
{
    scoped_result *found = NULL;
    if (!count_ask(db, row, &found, err))
        return false;
    *ret_count = result_i64(found, 0, C_alert_event_count_count);
    return true;
}

bool alert_move_take(struct db *db, const struct alert_move_row *row, bool *ret_taken,
                     struct err *err)
{
    struct alert_status status;
    int64_t event_id;
    scoped_transaction *open = NULL;
    scoped_result *found = NULL, *kept = NULL;
    if (!transaction_open(db, &open, err) || !count_ask(db, row, &found, err))
        return false;
    const struct alert_key key = {row->project, row->workload,
                                  result_text(found, 0, C_alert_event_count_series), row->branch};
    struct alert_event event = {.good_count = row->good_count,
                                .verdict_id = row->verdict_id,
                                .reason = row->reason,
                                .by = row->origin.by,
                                .origin = row->origin};
    if (!alert_look(db, &key, &status, err))
        return false;
    /* The move of that name that leads from there to the state it is said to lead to; there may be
     * none any more. */
    enum alert_state to;
    event.action =
        (enum alert_action)text_index(row->action, alert_action_names, ALERT_ACTION_COUNT);
    *ret_taken = strcmp(alert_state_names[status.state], from_of(row)) == 0 &&
                 event.action < ALERT_ACTION_COUNT && alert_move(status.state, event.action, &to) &&
                 strcmp(alert_state_names[to], row->to) == 0;
    return (!*ret_taken ||
            (alert_append(db, &key, status.state, &event, &event_id, err) &&
             (row->until_utc == NULL ||
              (query_row(db, Q_silence_keep, ARGS(event_id, row->until_utc), &kept, err) &&
               entry_due(db, "ledger", ENTRY_SILENCE, result_i64(kept, 0, C_silence_keep_id),
                         err))))) &&
           transaction_close(&open, err);
}

/* ---- receipts -------------------------------------------------------------------------------- */

static const struct row_kind receipts = {ROWS(Q_delivery_page, struct delivery_row,
                                              "a page of receipts", id, message, destination,
                                              dedupe_key, verdict_id, attempt, outcome, http_status,
                                              reason, remote_ref, recorded_at_utc),
                                         .limit = PAGE};

bool deliveries_after(struct db *db, int64_t after_id, struct arena *arena,
                      struct delivery_page *ret_page, struct err *err)
{
    return rows_after(db, &receipts, after_id, arena, ret_page, err);
}

bool delivery_keep(struct db *db, const struct delivery_row *row, bool *ret_new, struct err *err)
{
    /* As the database's CHECK has them. */
    static const char *const outcomes[] = {"done", "retry", "dead", "lease_expired"};
    scoped_transaction *open = NULL;
    scoped_result *kept = NULL;
    if (!text_is_one(row->outcome, outcomes))
        return err_set(err, ERR_INPUT,
                       "a message's outcome is done, retry, dead or lease_expired, not '%.40s'",
                       row->outcome);
    if (!transaction_open(db, &open, err) ||
        !query_run(db, Q_delivery_keep,
                   ARGS(row->message, row->destination, row->dedupe_key, row->verdict_id,
                        row->attempt, row->outcome, row->http_status, row->reason, row->remote_ref,
                        row->recorded_at_utc),
                   &kept, err))
        return false;
    *ret_new = PQntuples(kept) > 0;
    const struct origin origin = {.recorded_at_utc = row->recorded_at_utc};
    return (!*ret_new || added_due(db, ENTRY_DELIVERY, kept, &origin, NULL, err)) &&
           transaction_close(&open, err);
}
