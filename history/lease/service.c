/* Small statements, each a transaction of its own. */
#include "history/lease/service.h"

#include "history/client/client.h"
#include "history/lease/states.h"
#include "ops/runtime/clock.h"

#include <string.h>

enum { FAILURE_BYTES_MAX = 1 << 20 };
/* A task that was begun and has not ended is due again: verifying a large ledger takes less. */
static const int64_t unfinished_ms = INT64_C(15) * 60000;

bool worker_seen(struct db *db, const struct worker_heartbeat *heartbeat, struct err *err)
{
    return query_do(db, Q_worker_seen,
                    ARGS(heartbeat->name, heartbeat->kind, heartbeat->slots, heartbeat->busy), err);
}

bool worker_gone(struct db *db, const char *name, struct err *err)
{
    return query_do(db, Q_worker_gone, ARGS(name), err);
}

static bool claim(struct db *db, const char *task, int64_t every_ms, bool after_failure,
                  bool *ret_mine, struct err *err)
{
    scoped_result *result = NULL;
    if (!query_run(db, Q_schedule_claim, ARGS(task, every_ms, unfinished_ms, after_failure),
                   &result, err))
        return false;
    *ret_mine = PQntuples(result) == 1;
    return true;
}

bool schedule_claim(struct db *db, const char *task, int64_t every_ms, bool *ret_mine,
                    struct err *err)
{
    return claim(db, task, every_ms, false, ret_mine, err);
}

bool schedule_claim_due(struct db *db, const char *task, int64_t every_ms, bool *ret_mine,
                        struct err *err)
{
    return claim(db, task, every_ms, true, ret_mine, err);
}

bool schedule_wait_words(struct db *db, const char *task, int64_t every_ms, struct arena *arena,
                         const char **ret_words, struct err *err)
{
    scoped_result *row = NULL;
    char until[CLOCK_ISO_BYTES];
    if (!query_run(db, Q_schedule_wait, ARGS(task, every_ms), &row, err))
        return false;
    if (PQntuples(row) == 0)
        return err_set(err, ERR_CONFLICT, "another worker forgot the task '%s'", task);
    bool has_failed = !PQgetisnull(row, 0, C_schedule_wait_failure);
    *ret_words = arena_printf(
        arena, "until %.19sZ: %s", clock_iso(result_wall_us(row, 0, C_schedule_wait_until), until),
        has_failed ? result_text(row, 0, C_schedule_wait_failure) : "who began it has not ended");
    return true;
}

bool schedule_end(struct db *db, const char *task, const char *failure, bool over, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, FAILURE_BYTES_MAX);
    return query_do(db, Q_schedule_end, ARGS(task, arg_repaired(&arena, failure), over), err);
}

/* The statements give the same columns. */
static bool states_read(struct db *db, enum query_id id, const struct state_table *table,
                        struct err *err)
{
    scoped_result *result = NULL;
    if (!query_run(db, id, NULL, &result, err))
        return false;
    for (int row = 0; row < PQntuples(result); row++) {
        const char *state = result_text(result, row, C_queue_numbers_state);
        struct state_numbers *numbers = table->items;
        while (numbers < table->items + table->count && strcmp(numbers->state, state) != 0)
            numbers++;
        if (numbers == table->items + table->count)
            return err_set(err, ERR_BUG, "%s: state \"%s\" is not in the table of states",
                           queries[id].name, state);
        numbers->count = result_i64(result, row, C_queue_numbers_jobs);
        numbers->oldest_ms = result_i64(result, row, C_queue_numbers_oldest_ms);
        numbers->recent = result_i64(result, row, C_queue_numbers_recent);
    }
    return true;
}

static const struct row_kind workers = {
    ROWS(Q_worker_list, struct worker_state, "the status", name, kind, slots, busy, seen_ms)};
static const struct row_kind numbers = {
    ROWS(Q_status_numbers, struct service_status, "the status", database, server_version,
         database_bytes, replica_lag_bytes, profile_id, profile_ms, verdict_id, verdict_ms,
         recent_profiles, failed_tasks, verified_all_ms, verified_new_ms, all_found, new_found)};

bool service_status_read(struct db *db, struct arena *arena, struct service_status *ret_status,
                         struct err *err)
{
    bool found;
    struct service_status *status = ret_status;
    if (!row_find(db, &numbers, NULL, arena, (struct row_found){status, &found}, err))
        return false;
    const struct {
        enum query_id id;
        size_t count;
        const char *const *names;
        struct state_table *table;
    } tables[] = {
        {Q_queue_numbers, QUEUE_STATE_COUNT, queue_state_names, &status->queue},
        {Q_judgement_numbers, JUDGEMENT_STATE_COUNT, judgement_state_names, &status->judgements},
        {Q_outbox_numbers, OUTBOX_STATE_COUNT, outbox_state_names, &status->outbox},
    };
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        /* A row for every state there is, so that a reader need not know which are missing. */
        struct state_numbers *items = arena_array(arena, struct state_numbers, tables[i].count);
        for (size_t k = 0; k < tables[i].count; k++)
            items[k].state = tables[i].names[k];
        *tables[i].table = (struct state_table){items, tables[i].count};
        if (!states_read(db, tables[i].id, tables[i].table, err))
            return false;
    }
    return destinations_read(db, arena, &status->destinations, err) &&
           rows_read(db, &workers, NULL, arena, &status->workers, err);
}
