/* Implements what people say about alerts, and the list of them. */
#include "history/alert/alert_word.h"

#include "history/alert/alert_moves.h"
#include "history/client/client.h"

#include <inttypes.h>

static bool silence_end_add(struct db *db, const struct alert_key *key,
                            const struct alert_word *word, int64_t event_id, struct err *err)
{
    struct args args = {0};
    args_text(&args, key->project);
    args_text(&args, key->workload);
    args_text(&args, key->branch);
    args_i64(&args, word->silent_ms);
    args_text(&args, word->reason);
    args_i64(&args, event_id);
    return query_do(db, Q_silence_add, &args, err);
}

bool alert_say(struct db *db, const struct alert_key *key, const struct alert_word *word,
               struct alert_change *ret_change, struct err *err)
{
    struct alert_status status;
    int64_t event_id;
    if (!alert_read(db, key, &status, NULL, err))
        return false;
    *ret_change = (struct alert_change){.before = status, .after = status.state};
    if (status.state == ALERT_NONE)
        return err_set(err, ERR_MISSING, "workload '%s', branch '%s' never had an alert",
                       key->workload, key->branch);
    const struct alert_event event = {
        .action = word->action,
        .good_count = status.good_count,
        .verdict_id = word->verdict_id != 0 ? word->verdict_id : status.verdict_id,
        .reason = word->reason,
        .by = word->by,
    };
    if (!alert_append(db, key, status.state, &event, &event_id, err))
        return false;
    if (word->silent_ms > 0 && !silence_end_add(db, key, word, event_id, err))
        return false;
    ret_change->action = word->action;
    ret_change->moves = alert_move(status.state, word->action, &ret_change->after);
    return true;
}

bool alert_branch_is_quiet(struct db *db, const struct alert_key *key, int64_t days,
                           bool *ret_quiet, struct err *err)
{
    struct args args = {0};
    scoped_result *result = NULL;
    args_text(&args, key->project);
    args_text(&args, key->workload);
    args_text(&args, key->branch);
    args_i64(&args, days);
    if (!query_row(db, Q_alert_branch_quiet, &args, &result, err))
        return false;
    *ret_quiet = result_bool(result, 0, 0);
    return true;
}

static bool key_read(const PGresult *result, int row, int column, struct arena *arena,
                     struct alert_key *out)
{
    return result_copy_text(result, row, column, arena, &out->project) &&
           result_copy_text(result, row, column + 1, arena, &out->workload) &&
           result_copy_text(result, row, column + 2, arena, &out->series) &&
           result_copy_text(result, row, column + 3, arena, &out->branch);
}

bool alert_find(struct db *db, int64_t event_id, struct arena *arena, struct alert_key *ret_key,
                struct err *err)
{
    struct args args = {0};
    args_i64(&args, event_id);
    scoped_result *result = NULL;
    if (!query_run(db, Q_alert_find, &args, &result, err))
        return false;
    if (PQntuples(result) == 0)
        return err_set(err, ERR_MISSING, "the ledger holds no alert l%" PRId64, event_id);
    return key_read(result, 0, 0, arena, ret_key) || arena_failed(arena, "an alert", err);
}

static bool row_read(const PGresult *result, int row, struct arena *arena, struct alert_row *out)
{
    out->id = result_i64(result, row, 0);
    out->since_ms = result_opt_i64(result, row, 8).value;
    out->since_verdict_id = result_opt_i64(result, row, 9);
    out->verdict_id = result_i64(result, row, 10);
    return key_read(result, row, 1, arena, &out->key) &&
           result_copy_text(result, row, 5, arena, &out->state) &&
           result_copy_time(result, row, 6, arena, &out->moved_at_utc) &&
           result_copy_time(result, row, 7, arena, &out->since_utc) &&
           result_copy_text(result, row, 11, arena, &out->by) &&
           result_copy_text(result, row, 12, arena, &out->reason) &&
           result_copy_time(result, row, 13, arena, &out->until_utc);
}

bool alert_list(struct db *db, const struct alert_query *query, struct arena *arena,
                struct alert_page *ret_page, struct err *err)
{
    struct args args = {0};
    args_text(&args, query->project);
    args_bool(&args, query->with_resolved);
    args_i64(&args, query->limit);
    scoped_result *result = NULL;
    if (!query_run(db, Q_alert_list, &args, &result, err))
        return false;
    struct alert_page page = {.count = (size_t)PQntuples(result)};
    page.items = arena_array(arena, struct alert_row, page.count);
    if (page.items == NULL)
        return arena_failed(arena, "the alerts", err);
    for (int i = 0; i < PQntuples(result); i++)
        if (!row_read(result, i, arena, &page.items[i]))
            return arena_failed(arena, "the alerts", err);
    *ret_page = page;
    return true;
}
