/* Small statements, each a transaction of its own. */
#include "history/lease/service.h"

#include "history/client/client.h"
#include "history/lease/judgement_state.h"
#include "history/lease/outbox_state.h"
#include "history/lease/queue_state.h"

#include <string.h>

enum { FAILURE_BYTES_MAX = 1 << 20 };

bool worker_seen(struct db *db, const struct worker_sign *sign, struct err *err)
{
    struct args args = {0};
    args_text(&args, sign->name);
    args_text(&args, sign->kind);
    args_i32(&args, sign->slots);
    args_i32(&args, sign->busy);
    return query_do(db, Q_worker_seen, &args, err);
}

bool worker_gone(struct db *db, const char *name, struct err *err)
{
    struct args args = {0};
    args_text(&args, name);
    return query_do(db, Q_worker_gone, &args, err);
}

bool schedule_claim(struct db *db, const char *task, int64_t every_ms, bool *ret_mine,
                    struct err *err)
{
    struct args args = {0};
    args_text(&args, task);
    args_i64(&args, every_ms);
    scoped_result *result = NULL;
    if (!query_run(db, Q_schedule_claim, &args, &result, err))
        return false;
    *ret_mine = PQntuples(result) == 1;
    return true;
}

bool schedule_end(struct db *db, const char *task, const char *failure, struct err *err)
{
    struct args args = {0};
    scoped_arena arena;
    arena_init(&arena, FAILURE_BYTES_MAX);
    args_text(&args, task);
    args_text_repaired(&args, &arena, failure);
    return query_do(db, Q_schedule_end, &args, err);
}

/* A row for every state there is, so that a reader need not know which are missing. */
static bool states_prepare(const char *const *names, size_t count, struct arena *arena,
                           struct state_table *table)
{
    table->items = arena_array(arena, struct state_numbers, count);
    table->count = count;
    for (size_t i = 0; table->items != NULL && i < count; i++)
        table->items[i].state = names[i];
    return table->items != NULL;
}

static struct state_numbers *state_find(const struct state_table *table, const char *state)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->items[i].state, state) == 0)
            return &table->items[i];
    return NULL;
}

static bool states_read(struct db *db, enum query_id id, const struct state_table *table,
                        struct err *err)
{
    scoped_result *result = NULL;
    if (!query_run(db, id, NULL, &result, err))
        return false;
    for (int row = 0; row < PQntuples(result); row++) {
        struct state_numbers *numbers = state_find(table, result_text(result, row, 0));
        if (numbers == NULL)
            return err_set(err, ERR_BUG, "%s: state \"%s\" is not in the table of states",
                           queries[id].name, result_text(result, row, 0));
        numbers->count = result_i64(result, row, 1);
        numbers->oldest_ms = result_i64(result, row, 2);
        numbers->recent = result_i64(result, row, 3);
    }
    return true;
}

static bool workers_read(struct db *db, struct arena *arena, struct service_status *status,
                         struct err *err)
{
    scoped_result *result = NULL;
    if (!query_run(db, Q_worker_list, NULL, &result, err))
        return false;
    status->worker_count = (size_t)PQntuples(result);
    status->workers = arena_array(arena, struct worker_state, status->worker_count);
    if (status->workers == NULL)
        return arena_failed(arena, "the status", err);
    for (size_t i = 0; i < status->worker_count; i++) {
        struct worker_state *worker = &status->workers[i];
        if (!result_copy_text(result, (int)i, 0, arena, &worker->name) ||
            !result_copy_text(result, (int)i, 1, arena, &worker->kind))
            return arena_failed(arena, "the status", err);
        worker->slots = result_i32(result, (int)i, 2);
        worker->busy = result_i32(result, (int)i, 3);
        worker->seen_ms = result_i64(result, (int)i, 4);
    }
    return true;
}

static struct opt_i64 optional_i64(const PGresult *result, int column)
{
    return result_is_null(result, 0, column) ? (struct opt_i64){0}
                                             : some_i64(result_i64(result, 0, column));
}

static bool numbers_read(struct db *db, struct arena *arena, struct service_status *status,
                         struct err *err)
{
    scoped_result *result = NULL;
    if (!query_row(db, Q_status_numbers, NULL, &result, err))
        return false;
    status->database_bytes = result_i64(result, 0, 2);
    status->replica_lag_bytes = optional_i64(result, 3);
    status->profile_id = optional_i64(result, 4);
    status->profile_ms = optional_i64(result, 5);
    status->verdict_id = optional_i64(result, 6);
    status->verdict_ms = optional_i64(result, 7);
    status->recent_profiles = result_i64(result, 0, 8);
    status->verified_all_ms = optional_i64(result, 10);
    status->verified_new_ms = optional_i64(result, 11);
    return (result_copy_text(result, 0, 0, arena, &status->database) &&
            result_copy_text(result, 0, 1, arena, &status->server_version) &&
            result_copy_text(result, 0, 9, arena, &status->failed_tasks)) ||
           arena_failed(arena, "the status", err);
}

bool service_status_read(struct db *db, struct arena *arena, struct service_status *ret_status,
                         struct err *err)
{
    struct service_status status = {0};
    if (!states_prepare(queue_state_names, QUEUE_STATE_COUNT, arena, &status.queue) ||
        !states_prepare(judgement_state_names, JUDGEMENT_STATE_COUNT, arena, &status.judgements) ||
        !states_prepare(outbox_state_names, OUTBOX_STATE_COUNT, arena, &status.outbox))
        return arena_failed(arena, "the status", err);
    if (!numbers_read(db, arena, &status, err) ||
        !states_read(db, Q_queue_numbers, &status.queue, err) ||
        !states_read(db, Q_judgement_numbers, &status.judgements, err) ||
        !states_read(db, Q_outbox_numbers, &status.outbox, err) ||
        !destinations_read(db, arena, &status.destinations, err) ||
        !workers_read(db, arena, &status, err))
        return false;
    *ret_status = status;
    return true;
}
