/* Implements the reads and the small writes, one statement each. */
#include "history/lease/outbox_admin.h"

#include "history/chain/chain.h"
#include "history/client/client.h"

#include <inttypes.h>

static const int64_t revived_ms = INT64_C(24) * 3600 * 1000;

static const struct row_kind listed = {ROWS(Q_outbox_list, struct outbox_row, "the messages", id,
                                            destination, state, phase, headline, attempt,
                                            max_attempts, last_error, verdict_id, created_at_utc,
                                            not_before_utc, finished_at_utc)};
static const struct row_kind receipts = {ROWS(Q_delivery_list, struct outbox_receipt,
                                              "the receipts", attempt, outcome, http_status, reason,
                                              remote_ref, recorded_at_utc)};
static const struct row_kind dead = {ROWS(Q_outbox_dead_list, struct outbox_row, "the messages", id,
                                          destination, order_key, phase, verdict_id)};
static const struct row_kind dead_untold = {ROWS(Q_outbox_dead_untold, struct outbox_row,
                                                 "a dead message", id, destination, phase, headline,
                                                 last_error, verdict_id, order_key)};
static const struct row_kind revived = {
    ROWS_BY(Q_outbox_revive, int64_t, "the messages", row_number)};
static const struct row_kind digest = {
    ROWS(Q_outbox_digest_due, struct outbox_row, "the messages", destination, id, headline)};
static const struct row_kind threads = {ROWS(Q_thread_list, struct thread_row, "the alerts",
                                             destination, order_key, phase, generation, remote_ref,
                                             headline, changed_at_utc)};

bool outbox_list(struct db *db, const char *state, int64_t limit, struct arena *arena,
                 struct outbox_page *ret_page, struct err *err)
{
    return rows_read(db, &listed, ARGS(state, limit), arena, ret_page, err);
}

static void letter_finish(const PGresult *rows, int row, struct arena *arena, void *item)
{
    struct outbox_letter *letter = item;
    letter->body = result_copy_bytes(rows, row, C_outbox_show_body, arena, &letter->body_length);
}

static const struct row_field letter_fields[] = {
    ROW_FIELDS(struct outbox_letter, destination, state, phase, order_key, dedupe_key,
               content_type),
    {ROW_SKIPPED, 0}, /* the body */
    ROW_FIELDS(struct outbox_letter, last_error),
    {ROW_END, 0},
};
static const struct row_kind letters = {
    ROWS_BY(Q_outbox_show, struct outbox_letter, "a message", letter_fields),
    .finish = letter_finish};

bool outbox_show(struct db *db, int64_t id, struct arena *arena, struct outbox_letter *ret_letter,
                 struct err *err)
{
    bool found;
    const struct args *args = ARGS(id);
    if (!row_find(db, &letters, args, arena, (struct row_found){ret_letter, &found}, err))
        return false;
    if (!found)
        return err_set(err, ERR_MISSING, "there is no message %" PRId64, id);
    return rows_read(db, &receipts, args, arena, &ret_letter->receipts, err);
}

bool outbox_dead_list(struct db *db, const struct outbox_selection *selection, struct arena *arena,
                      struct outbox_page *ret_page, struct err *err)
{
    const struct arg ids = selection->ids.count == 0
                               ? arg_text(NULL)
                               : arg_i64s(arena, selection->ids.items, selection->ids.count);
    return rows_read(db, &dead, ARGS(ids, revived_ms, selection->destination), arena, ret_page,
                     err);
}

bool outbox_look_after(struct db *db, int64_t id, struct outbox_after *ret_after, struct err *err)
{
    scoped_result *result = NULL;
    if (!query_run(db, Q_outbox_after, ARGS(id), &result, err))
        return false;
    if (PQntuples(result) == 0)
        return err_set(err, ERR_MISSING, "there is no message %" PRId64, id);
    *ret_after = (struct outbox_after){
        .newest_id = result_opt_i64(result, 0, C_outbox_after_newest_id).value,
        .told_id = result_opt_i64(result, 0, C_outbox_after_told_id).value,
        .last_phase = alert_phase_named(result_text(result, 0, C_outbox_after_last_phase)),
    };
    return true;
}

bool outbox_void(struct db *db, struct err *err)
{
    return query_do(db, Q_outbox_void, NULL, err);
}

bool outbox_revive(struct db *db, int64_t id, bool with_lost, struct arena *arena,
                   struct outbox_ids *ret_ids, struct err *err)
{
    return rows_read(db, &revived, ARGS(id, revived_ms, with_lost), arena, ret_ids, err);
}

bool thread_list(struct db *db, int64_t limit, struct arena *arena, struct thread_page *ret_page,
                 struct err *err)
{
    return rows_read(db, &threads, ARGS(limit), arena, ret_page, err);
}

bool silence_add(struct db *db, const struct silence *silence, struct arena *arena,
                 const char **ret_until_utc, struct err *err)
{
    scoped_transaction *open = NULL;
    scoped_result *result = NULL;
    if (!transaction_open(db, &open, err) ||
        !query_row(db, Q_silence_add,
                   ARGS(silence->project, silence->workload, silence->branch, silence->ms,
                        silence->reason, arg_id(0)),
                   &result, err) ||
        !entry_due(db, "ledger", ENTRY_SILENCE, result_i64(result, 0, C_silence_add_id), err))
        return false;
    *ret_until_utc = result_copy_time(result, 0, C_silence_add_until, arena);
    return transaction_close(&open, err);
}

bool silence_holds(struct db *db, const char *project, const char *workload, const char *branch,
                   bool *ret_silenced, struct err *err)
{
    return query_bool(db, Q_silence_find, ARGS(project, workload, branch == NULL ? "" : branch),
                      ret_silenced, err);
}

bool outbox_recent(struct db *db, const char *destination, int64_t window_ms, int64_t *ret_count,
                   struct err *err)
{
    return query_number(db, Q_outbox_recent, ARGS(destination, window_ms), ret_count, err);
}

bool outbox_dead_untold(struct db *db, struct arena *arena, struct outbox_row *ret_row,
                        bool *ret_found, struct err *err)
{
    return row_find(db, &dead_untold, NULL, arena, (struct row_found){ret_row, ret_found}, err);
}

bool outbox_dead_told(struct db *db, int64_t id, struct err *err)
{
    return query_do(db, Q_outbox_dead_told, ARGS(id), err);
}

bool outbox_digest_due(struct db *db, int64_t limit, struct arena *arena,
                       struct outbox_page *ret_page, struct err *err)
{
    return rows_read(db, &digest, ARGS(limit), arena, ret_page, err);
}

bool outbox_join(struct db *db, const struct outbox_page *page, struct arena *arena,
                 struct err *err)
{
    int64_t *ids = arena_array(arena, int64_t, page->count);
    for (size_t i = 0; i < page->count; i++)
        ids[i] = page->items[i].id;
    return query_do(db, Q_outbox_join, ARGS(arg_i64s(arena, ids, page->count)), err);
}

/* Few at a time: nobody waits for a lock for long. */
enum { FORGET_AT_ONCE = 1000 };

bool outbox_forget(struct db *db, int64_t age_ms, int64_t *ret_count, struct err *err)
{
    int64_t total = 0;
    for (int64_t count = FORGET_AT_ONCE; count == FORGET_AT_ONCE; total += count)
        if (!query_number(db, Q_outbox_forget, ARGS(age_ms, arg_i64(FORGET_AT_ONCE)), &count, err))
            return false;
    *ret_count = total;
    return true;
}
