/* Implements the producer's side of the outbox. */
#include "history/lease/outbox_enqueue.h"

#include "history/chain/chain.h"
#include "history/client/client.h"

enum { MAX_ATTEMPTS_DEFAULT = 12 };
static const int64_t LIFETIME_MS_DEFAULT = INT64_C(24) * 3600 * 1000;

bool outbox_keys_lock(struct db *db, const struct outbox_message *messages, size_t count,
                      struct arena *arena, struct err *err)
{
    if (count == 0)
        return true;
    const char **names = arena_array(arena, const char *, 2 * count);
    if (names == NULL)
        return arena_failed(arena, "outbox keys", err);
    for (size_t i = 0; i < count; i++) {
        names[i] = messages[i].destination;
        names[count + i] = messages[i].order_key;
    }
    struct args args = {0};
    args_texts(&args, arena, names, count);
    args_texts(&args, arena, names + count, count);
    return query_do(db, Q_outbox_lock, &args, err);
}

static bool row_add(struct db *db, int64_t destination_id, int64_t verdict_id,
                    const struct outbox_message *message, int64_t *ret_id, struct err *err)
{
    int64_t lifetime = message->lifetime_ms > 0 ? message->lifetime_ms : LIFETIME_MS_DEFAULT;
    struct args args = {0};
    args_i64(&args, destination_id);
    args_opt_i64(&args, (struct opt_i64){verdict_id != 0, verdict_id});
    args_text(&args, message->order_key);
    args_text(&args, message->dedupe_key);
    args_text(&args, message->content_type);
    args_bytes(&args, message->body, message->body_length);
    args_i32(&args, message->max_attempts > 0 ? message->max_attempts : MAX_ATTEMPTS_DEFAULT);
    args_i64(&args, lifetime);
    args_text(&args, alert_phase_names[message->phase]);
    args_text(&args, message->headline);
    args_i64(&args, message->wait_ms);
    args_bool(&args, message->in_digest);
    args_bool(&args, message->standalone);
    scoped_result *result = NULL;
    if (!query_run(db, Q_outbox_add, &args, &result, err))
        return false;
    *ret_id = PQntuples(result) == 0 ? 0 : result_i64(result, 0, 0);
    return true;
}

static bool thread_set(struct db *db, int64_t destination_id, const struct outbox_message *message,
                       struct err *err)
{
    struct args args = {0};
    args_i64(&args, destination_id);
    args_text(&args, message->order_key);
    args_text(&args, alert_phase_names[message->phase]);
    args_i32(&args, message->generation);
    args_text(&args, message->headline);
    return query_do(db, Q_thread_set, &args, err);
}

static bool older_void(struct db *db, int64_t destination_id, const char *order_key, int64_t id,
                       struct err *err)
{
    struct args args = {0};
    args_i64(&args, destination_id);
    args_text(&args, order_key);
    args_i64(&args, id);
    return query_do(db, Q_outbox_supersede, &args, err);
}

bool outbox_enqueue(struct db *db, int64_t verdict_id, const struct outbox_message *message,
                    bool *ret_new, struct err *err)
{
    static const struct addition destination = {Q_destination_find, Q_destination_add,
                                                ENTRY_KIND_COUNT};
    int64_t destination_id, id;
    struct args name = {0};
    args_text(&name, message->destination);
    if (!find_or_add(db, &destination, &name, &destination_id, err) ||
        !row_add(db, destination_id, verdict_id, message, &id, err))
        return false;
    *ret_new = id != 0;
    if (id == 0)
        return true;
    return (message->generation == 0 || thread_set(db, destination_id, message, err)) &&
           (!message->replaces || older_void(db, destination_id, message->order_key, id, err));
}

bool thread_find(struct db *db, const char *destination, const char *order_key,
                 struct alert_thread *ret_thread, struct err *err)
{
    struct args args = {0};
    args_text(&args, destination);
    args_text(&args, order_key);
    scoped_result *result = NULL;
    if (!query_run(db, Q_thread_find, &args, &result, err))
        return false;
    *ret_thread = (struct alert_thread){.known = PQntuples(result) > 0};
    if (!ret_thread->known)
        return true;
    ret_thread->phase = alert_phase_named(result_text(result, 0, 0));
    ret_thread->generation = result_i32(result, 0, 1);
    ret_thread->age_ms = result_i64(result, 0, 2);
    return true;
}
