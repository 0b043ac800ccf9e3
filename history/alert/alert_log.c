/* Reads and takes over moves and receipts. A move is taken only where it fits: the present state of
 * an alert decides, as for every other move. */
#include "history/alert/alert_log.h"

#include "history/alert/alert_moves.h"
#include "history/chain/chain.h"
#include "history/client/client.h"

#include <inttypes.h>
#include <string.h>

enum { PAGE = 500 };

/* ---- moves ----------------------------------------------------------------------------------- */

static bool move_copy(const PGresult *rows, int row, struct arena *arena, void *item)
{
    struct alert_move_row *out = item;
    out->id = result_i64(rows, row, 0);
    out->good_count = result_i32(rows, row, 7);
    out->verdict_id = result_opt_i64(rows, row, 8).value;
    return result_copy_text(rows, row, 1, arena, &out->project) &&
           result_copy_text(rows, row, 2, arena, &out->workload) &&
           result_copy_text(rows, row, 3, arena, &out->branch) &&
           result_copy_text(rows, row, 4, arena, &out->from) &&
           result_copy_text(rows, row, 5, arena, &out->to) &&
           result_copy_text(rows, row, 6, arena, &out->action) &&
           result_copy_text(rows, row, 9, arena, &out->reason) &&
           result_copy_time(rows, row, 10, arena, &out->until_utc) &&
           origin_copy(rows, row, 11, arena, &out->origin);
}

bool alert_moves_after(struct db *db, int64_t after_id, struct arena *arena,
                       struct alert_move_page *ret_page, struct err *err)
{
    static const struct page_kind kind = {Q_alert_event_page, PAGE, sizeof(struct alert_move_row),
                                          move_copy, "a page of alerts"};
    struct page_rows page;
    if (!page_read(db, &kind, after_id, arena, &page, err))
        return false;
    *ret_page = (struct alert_move_page){page.items, page.count};
    return true;
}

static const char *from_of(const struct alert_move_row *row)
{
    return row->from == NULL ? alert_state_names[ALERT_NONE] : row->from;
}

/* Its columns: how often it is there, and the series of its verdict. */
static bool count_ask(struct db *db, const struct alert_move_row *row, PGresult **ret_found,
                      struct err *err)
{
    struct args args = {0};
    args_i64(&args, row->verdict_id);
    args_text(&args, row->branch);
    args_text(&args, from_of(row));
    args_text(&args, row->action);
    args_text(&args, row->reason);
    return query_run(db, Q_alert_event_count, &args, ret_found, err) &&
           (PQntuples(*ret_found) == 1 ||
            err_set(err, ERR_MISSING, "the ledger holds no verdict v%" PRId64, row->verdict_id));
}

bool alert_move_count(struct db *db, const struct alert_move_row *row, int64_t *ret_count,
                      struct err *err)
{
    scoped_result *found = NULL;
    if (!count_ask(db, row, &found, err))
        return false;
    *ret_count = result_i64(found, 0, 0);
    return true;
}

/* The move of that name that leads from `from` to the state it is said to lead to; false: there is
 * none (any more). */
static bool action_find(const struct alert_move_row *row, enum alert_state from,
                        enum alert_action *ret_action)
{
    enum alert_state to;
    for (int action = 0; action < ALERT_ACTION_COUNT; action++)
        if (strcmp(alert_action_names[action], row->action) == 0) {
            *ret_action = (enum alert_action)action;
            return alert_move(from, *ret_action, &to) &&
                   strcmp(alert_state_names[to], row->to) == 0;
        }
    return false;
}

static bool silence_keep(struct db *db, int64_t event_id, const char *until_utc, struct err *err)
{
    struct args args = {0};
    args_i64(&args, event_id);
    args_text(&args, until_utc);
    return until_utc == NULL || query_do(db, Q_silence_keep, &args, err);
}

static bool take_within(struct db *db, const struct alert_move_row *row, bool *ret_taken,
                        struct err *err)
{
    struct alert_status status;
    int64_t event_id;
    scoped_result *found = NULL;
    if (!count_ask(db, row, &found, err))
        return false;
    const struct alert_key key = {row->project, row->workload, result_text(found, 0, 1),
                                  row->branch};
    struct alert_event event = {.good_count = row->good_count,
                                .verdict_id = row->verdict_id,
                                .reason = row->reason,
                                .by = row->origin.by,
                                .origin = row->origin};
    if (!alert_look(db, &key, &status, err))
        return false;
    *ret_taken = strcmp(alert_state_names[status.state], from_of(row)) == 0 &&
                 action_find(row, status.state, &event.action);
    return !*ret_taken || (alert_append(db, &key, status.state, &event, &event_id, err) &&
                           silence_keep(db, event_id, row->until_utc, err));
}

bool alert_move_take(struct db *db, const struct alert_move_row *row, bool *ret_taken,
                     struct err *err)
{
    return db_begin(db, err) && db_end(db, take_within(db, row, ret_taken, err), err);
}

/* ---- receipts -------------------------------------------------------------------------------- */

static bool delivery_copy(const PGresult *rows, int row, struct arena *arena, void *item)
{
    struct delivery_row *out = item;
    out->id = result_i64(rows, row, 0);
    out->message = result_i64(rows, row, 1);
    out->verdict_id = result_opt_i64(rows, row, 4);
    out->attempt = result_i32(rows, row, 5);
    out->http_status = (struct opt_i64){0};
    if (!result_is_null(rows, row, 7))
        out->http_status = some_i64(result_i32(rows, row, 7));
    return result_copy_text(rows, row, 2, arena, &out->destination) &&
           result_copy_text(rows, row, 3, arena, &out->dedupe_key) &&
           result_copy_text(rows, row, 6, arena, &out->outcome) &&
           result_copy_text(rows, row, 8, arena, &out->reason) &&
           result_copy_text(rows, row, 9, arena, &out->remote_ref) &&
           result_copy_time(rows, row, 10, arena, &out->recorded_at_utc);
}

bool deliveries_after(struct db *db, int64_t after_id, struct arena *arena,
                      struct delivery_page *ret_page, struct err *err)
{
    static const struct page_kind kind = {Q_delivery_page, PAGE, sizeof(struct delivery_row),
                                          delivery_copy, "a page of receipts"};
    struct page_rows page;
    if (!page_read(db, &kind, after_id, arena, &page, err))
        return false;
    *ret_page = (struct delivery_page){page.items, page.count};
    return true;
}

static bool keep_within(struct db *db, const struct delivery_row *row, bool *ret_new,
                        struct err *err)
{
    struct args args = {0};
    args_i64(&args, row->message);
    args_text(&args, row->destination);
    args_text(&args, row->dedupe_key);
    args_opt_i64(&args, row->verdict_id);
    args_i32(&args, row->attempt);
    args_text(&args, row->outcome);
    args_opt_i64(&args, row->http_status);
    args_text(&args, row->reason);
    args_text(&args, row->remote_ref);
    args_text(&args, row->recorded_at_utc);
    scoped_result *kept = NULL;
    if (!query_run(db, Q_delivery_keep, &args, &kept, err))
        return false;
    *ret_new = PQntuples(kept) > 0;
    if (!*ret_new)
        return true;
    int64_t id = result_i64(kept, 0, 0);
    const struct origin origin = {.recorded_at_utc = row->recorded_at_utc};
    return origin_append(db, ENTRY_DELIVERY, id, &origin, err) &&
           entry_owe(db, result_text(kept, 0, 1), ENTRY_DELIVERY, id, err);
}

/* As the database's CHECK has them. */
static bool outcome_check(const struct delivery_row *row, struct err *err)
{
    static const char *const outcomes[] = {"done", "retry", "dead", "lease_expired"};
    for (size_t i = 0; i < sizeof outcomes / sizeof outcomes[0]; i++)
        if (strcmp(outcomes[i], row->outcome) == 0)
            return true;
    return err_set(err, ERR_INPUT,
                   "a message's outcome is done, retry, dead or lease_expired, not '%.40s'",
                   row->outcome);
}

bool delivery_keep(struct db *db, const struct delivery_row *row, bool *ret_new, struct err *err)
{
    return outcome_check(row, err) && db_begin(db, err) &&
           db_end(db, keep_within(db, row, ret_new, err), err);
}
