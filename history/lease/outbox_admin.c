/* Implements the reads and the small writes, one statement each. */
#include "history/lease/outbox_admin.h"

#include "history/client/client.h"

#include <inttypes.h>

static const int64_t revived_ms = INT64_C(24) * 3600 * 1000;

static bool row_read(const PGresult *result, int row, struct arena *arena, struct outbox_row *out)
{
    out->id = result_i64(result, row, 0);
    out->attempt = result_i32(result, row, 5);
    out->max_attempts = result_i32(result, row, 6);
    out->verdict_id = result_is_null(result, row, 8) ? 0 : result_i64(result, row, 8);
    return result_copy_text(result, row, 1, arena, &out->destination) &&
           result_copy_text(result, row, 2, arena, &out->state) &&
           result_copy_text(result, row, 3, arena, &out->phase) &&
           result_copy_text(result, row, 4, arena, &out->headline) &&
           result_copy_text(result, row, 7, arena, &out->last_error) &&
           result_copy_time(result, row, 9, arena, &out->created_at_utc) &&
           result_copy_time(result, row, 10, arena, &out->not_before_utc) &&
           result_copy_time(result, row, 11, arena, &out->finished_at_utc);
}

bool outbox_list(struct db *db, const char *state, int64_t limit, struct arena *arena,
                 struct outbox_page *ret_page, struct err *err)
{
    struct args args = {0};
    args_text(&args, state);
    args_i64(&args, limit);
    scoped_result *result = NULL;
    if (!query_run(db, Q_outbox_list, &args, &result, err))
        return false;
    struct outbox_page page = {.count = (size_t)PQntuples(result)};
    page.items = arena_array(arena, struct outbox_row, page.count);
    if (page.items == NULL)
        return arena_failed(arena, "the messages", err);
    for (size_t i = 0; i < page.count; i++)
        if (!row_read(result, (int)i, arena, &page.items[i]))
            return arena_failed(arena, "the messages", err);
    *ret_page = page;
    return true;
}

static bool receipts_read(struct db *db, int64_t id, struct arena *arena,
                          struct outbox_letter *letter, struct err *err)
{
    struct args args = {0};
    args_i64(&args, id);
    scoped_result *result = NULL;
    if (!query_run(db, Q_delivery_list, &args, &result, err))
        return false;
    letter->receipt_count = (size_t)PQntuples(result);
    letter->receipts = arena_array(arena, struct outbox_receipt, letter->receipt_count);
    if (letter->receipts == NULL)
        return arena_failed(arena, "the receipts", err);
    for (int i = 0; i < PQntuples(result); i++) {
        struct outbox_receipt *receipt = &letter->receipts[i];
        receipt->attempt = result_i32(result, i, 0);
        receipt->http_status = result_is_null(result, i, 2) ? 0 : result_i32(result, i, 2);
        if (!result_copy_text(result, i, 1, arena, &receipt->outcome) ||
            !result_copy_text(result, i, 3, arena, &receipt->reason) ||
            !result_copy_text(result, i, 4, arena, &receipt->remote_ref) ||
            !result_copy_time(result, i, 5, arena, &receipt->recorded_at_utc))
            return arena_failed(arena, "the receipts", err);
    }
    return true;
}

bool outbox_show(struct db *db, int64_t id, struct arena *arena, struct outbox_letter *ret_letter,
                 struct err *err)
{
    struct args args = {0};
    args_i64(&args, id);
    scoped_result *result = NULL;
    if (!query_run(db, Q_outbox_show, &args, &result, err))
        return false;
    if (PQntuples(result) == 0)
        return err_set(err, ERR_MISSING, "there is no message %" PRId64, id);
    struct outbox_letter letter = {0};
    const uint8_t *body = result_bytes(result, 0, 6, &letter.body_length);
    letter.body = arena_strndup(arena, (const char *)body, letter.body_length);
    if (letter.body == NULL || !result_copy_text(result, 0, 0, arena, &letter.destination) ||
        !result_copy_text(result, 0, 1, arena, &letter.state) ||
        !result_copy_text(result, 0, 2, arena, &letter.phase) ||
        !result_copy_text(result, 0, 3, arena, &letter.order_key) ||
        !result_copy_text(result, 0, 4, arena, &letter.dedupe_key) ||
        !result_copy_text(result, 0, 5, arena, &letter.content_type) ||
        !result_copy_text(result, 0, 7, arena, &letter.last_error))
        return arena_failed(arena, "a message", err);
    if (!receipts_read(db, id, arena, &letter, err))
        return false;
    *ret_letter = letter;
    return true;
}

static bool ids_read(const PGresult *result, struct arena *arena, struct outbox_ids *ret_ids,
                     struct err *err)
{
    struct outbox_ids ids = {.count = (size_t)PQntuples(result)};
    ids.items = arena_array(arena, int64_t, ids.count);
    if (ids.items == NULL)
        return arena_failed(arena, "the messages", err);
    for (size_t i = 0; i < ids.count; i++)
        ids.items[i] = result_i64(result, (int)i, 0);
    *ret_ids = ids;
    return true;
}

bool outbox_dead_list(struct db *db, const struct outbox_selection *selection, struct arena *arena,
                      struct outbox_page *ret_page, struct err *err)
{
    struct args args = {0};
    if (selection->ids.count == 0)
        args_text(&args, NULL);
    else
        args_i64s(&args, arena, selection->ids.items, selection->ids.count);
    args_i64(&args, revived_ms);
    args_text(&args, selection->destination);
    scoped_result *result = NULL;
    if (!query_run(db, Q_outbox_dead_list, &args, &result, err))
        return false;
    struct outbox_page page = {.count = (size_t)PQntuples(result)};
    page.items = arena_array(arena, struct outbox_row, page.count);
    if (page.items == NULL)
        return arena_failed(arena, "the messages", err);
    for (int i = 0; i < PQntuples(result); i++) {
        struct outbox_row *row = &page.items[i];
        row->id = result_i64(result, i, 0);
        row->verdict_id = result_is_null(result, i, 4) ? 0 : result_i64(result, i, 4);
        if (!result_copy_text(result, i, 1, arena, &row->destination) ||
            !result_copy_text(result, i, 2, arena, &row->order_key) ||
            !result_copy_text(result, i, 3, arena, &row->phase))
            return arena_failed(arena, "the messages", err);
    }
    *ret_page = page;
    return true;
}

bool outbox_look_after(struct db *db, int64_t id, struct outbox_after *ret_after, struct err *err)
{
    struct args args = {0};
    args_i64(&args, id);
    scoped_result *result = NULL;
    if (!query_run(db, Q_outbox_after, &args, &result, err))
        return false;
    if (PQntuples(result) == 0)
        return err_set(err, ERR_MISSING, "there is no message %" PRId64, id);
    *ret_after = (struct outbox_after){
        .newest_id = result_is_null(result, 0, 0) ? 0 : result_i64(result, 0, 0),
        .told_id = result_is_null(result, 0, 1) ? 0 : result_i64(result, 0, 1),
        .last_phase = alert_phase_named(result_text(result, 0, 2)),
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
    struct args args = {0};
    args_i64(&args, id);
    args_i64(&args, revived_ms);
    args_bool(&args, with_lost);
    scoped_result *result = NULL;
    return query_run(db, Q_outbox_revive, &args, &result, err) &&
           ids_read(result, arena, ret_ids, err);
}

bool thread_list(struct db *db, int64_t limit, struct arena *arena, struct thread_page *ret_page,
                 struct err *err)
{
    struct args args = {0};
    args_i64(&args, limit);
    scoped_result *result = NULL;
    if (!query_run(db, Q_thread_list, &args, &result, err))
        return false;
    struct thread_page page = {.count = (size_t)PQntuples(result)};
    page.items = arena_array(arena, struct thread_row, page.count);
    if (page.items == NULL)
        return arena_failed(arena, "the alerts", err);
    for (int i = 0; i < PQntuples(result); i++) {
        struct thread_row *row = &page.items[i];
        row->generation = result_i32(result, i, 3);
        if (!result_copy_text(result, i, 0, arena, &row->destination) ||
            !result_copy_text(result, i, 1, arena, &row->order_key) ||
            !result_copy_text(result, i, 2, arena, &row->phase) ||
            !result_copy_text(result, i, 4, arena, &row->remote_ref) ||
            !result_copy_text(result, i, 5, arena, &row->headline) ||
            !result_copy_time(result, i, 6, arena, &row->changed_at_utc))
            return arena_failed(arena, "the alerts", err);
    }
    *ret_page = page;
    return true;
}

bool silence_add(struct db *db, const struct silence *silence, struct arena *arena,
                 const char **ret_until_utc, struct err *err)
{
    struct args args = {0};
    args_text(&args, silence->project);
    args_text(&args, silence->workload);
    args_text(&args, silence->branch);
    args_i64(&args, silence->ms);
    args_text(&args, silence->reason);
    args_opt_i64(&args, (struct opt_i64){0});
    scoped_result *result = NULL;
    return query_row(db, Q_silence_add, &args, &result, err) &&
           (result_copy_time(result, 0, 1, arena, ret_until_utc) ||
            arena_failed(arena, "a silence", err));
}

bool silence_holds(struct db *db, const char *project, const char *workload, const char *branch,
                   bool *ret_silenced, struct err *err)
{
    struct args args = {0};
    args_text(&args, project);
    args_text(&args, workload);
    args_text(&args, branch == NULL ? "" : branch);
    scoped_result *result = NULL;
    if (!query_row(db, Q_silence_find, &args, &result, err))
        return false;
    *ret_silenced = result_bool(result, 0, 0);
    return true;
}

bool outbox_recent(struct db *db, const char *destination, int64_t window_ms, int64_t *ret_count,
                   struct err *err)
{
    struct args args = {0};
    args_text(&args, destination);
    args_i64(&args, window_ms);
    scoped_result *result = NULL;
    if (!query_row(db, Q_outbox_recent, &args, &result, err))
        return false;
    *ret_count = result_i64(result, 0, 0);
    return true;
}

bool outbox_dead_untold(struct db *db, struct arena *arena, struct outbox_row *ret_row,
                        bool *ret_found, struct err *err)
{
    scoped_result *result = NULL;
    struct outbox_row row = {0};
    if (!query_run(db, Q_outbox_dead_untold, NULL, &result, err))
        return false;
    *ret_found = PQntuples(result) > 0;
    if (!*ret_found)
        return true;
    row.id = result_i64(result, 0, 0);
    row.verdict_id = result_is_null(result, 0, 5) ? 0 : result_i64(result, 0, 5);
    if (!result_copy_text(result, 0, 1, arena, &row.destination) ||
        !result_copy_text(result, 0, 2, arena, &row.phase) ||
        !result_copy_text(result, 0, 3, arena, &row.headline) ||
        !result_copy_text(result, 0, 4, arena, &row.last_error) ||
        !result_copy_text(result, 0, 6, arena, &row.order_key))
        return arena_failed(arena, "a dead message", err);
    *ret_row = row;
    return true;
}

bool outbox_dead_told(struct db *db, int64_t id, struct err *err)
{
    struct args args = {0};
    args_i64(&args, id);
    return query_do(db, Q_outbox_dead_told, &args, err);
}

bool outbox_digest_due(struct db *db, int64_t limit, struct arena *arena,
                       struct outbox_page *ret_page, struct err *err)
{
    struct args args = {0};
    args_i64(&args, limit);
    scoped_result *result = NULL;
    if (!query_run(db, Q_outbox_digest_due, &args, &result, err))
        return false;
    struct outbox_page page = {.count = (size_t)PQntuples(result)};
    page.items = arena_array(arena, struct outbox_row, page.count);
    if (page.items == NULL)
        return arena_failed(arena, "the messages", err);
    for (int i = 0; i < PQntuples(result); i++) {
        page.items[i].id = result_i64(result, i, 1);
        if (!result_copy_text(result, i, 0, arena, &page.items[i].destination) ||
            !result_copy_text(result, i, 2, arena, &page.items[i].headline))
            return arena_failed(arena, "the messages", err);
    }
    *ret_page = page;
    return true;
}

bool outbox_join(struct db *db, const struct outbox_page *page, struct arena *arena,
                 struct err *err)
{
    int64_t *ids = arena_array(arena, int64_t, page->count);
    if (ids == NULL)
        return arena_failed(arena, "the messages", err);
    for (size_t i = 0; i < page->count; i++)
        ids[i] = page->items[i].id;
    struct args args = {0};
    args_i64s(&args, arena, ids, page->count);
    return query_do(db, Q_outbox_join, &args, err);
}

/* Few at a time: nobody waits for a lock for long. */
enum { FORGET_AT_ONCE = 1000 };

bool outbox_forget(struct db *db, int64_t age_ms, int64_t *ret_count, struct err *err)
{
    int64_t total = 0;
    for (int64_t count = FORGET_AT_ONCE; count == FORGET_AT_ONCE; total += count) {
        struct args args = {0};
        args_i64(&args, age_ms);
        args_i64(&args, FORGET_AT_ONCE);
        scoped_result *result = NULL;
        if (!query_row(db, Q_outbox_forget, &args, &result, err))
            return false;
        count = result_i64(result, 0, 0);
    }
    *ret_count = total;
    return true;
}
