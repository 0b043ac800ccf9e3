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
    for (size_t i = 0; i < count; i++) {
        names[i] = messages[i].destination;
        names[count + i] = messages[i].order_key;
    }
    return query_do(db, Q_outbox_lock,
                    ARGS(arg_texts(arena, names, count), arg_texts(arena, names + count, count)),
                    err);
}

bool outbox_enqueue(struct db *db, int64_t verdict_id, const struct outbox_message *message,
                    bool *ret_new, struct err *err)
{
    static const struct addition destination = {Q_destination_find, Q_destination_add,
                                                ENTRY_KIND_COUNT};
    int64_t destination_id, id;
    int64_t lifetime = message->lifetime_ms > 0 ? message->lifetime_ms : LIFETIME_MS_DEFAULT;
    if (!find_or_add(db, &destination, ARGS(message->destination), &destination_id, err) ||
        !query_number_or(
            db, Q_outbox_add,
            ARGS(destination_id, arg_id(verdict_id), message->order_key, message->dedupe_key,
                 message->content_type, arg_bytes(message->body, message->body_length),
                 arg_i32(message->max_attempts > 0 ? message->max_attempts : MAX_ATTEMPTS_DEFAULT),
                 lifetime, alert_phase_names[message->phase], message->headline, message->wait_ms,
                 message->in_digest, message->standalone),
            0, &id, err))
        return false;
    *ret_new = id != 0;
    if (id == 0)
        return true;
    return (message->generation == 0 ||
            query_do(db, Q_thread_set,
                     ARGS(destination_id, message->order_key, alert_phase_names[message->phase],
                          message->generation, message->headline),
                     err)) &&
           (!message->replaces ||
            query_do(db, Q_outbox_supersede, ARGS(destination_id, message->order_key, id), err));
}

bool thread_find(struct db *db, const char *destination, const char *order_key,
                 struct alert_thread *ret_thread, struct err *err)
{
    scoped_result *result = NULL;
    if (!query_run(db, Q_thread_find, ARGS(destination, order_key), &result, err))
        return false;
    *ret_thread = (struct alert_thread){.known = PQntuples(result) > 0};
    if (!ret_thread->known)
        return true;
    ret_thread->phase = alert_phase_named(result_text(result, 0, C_thread_find_phase));
    ret_thread->generation = result_i32(result, 0, C_thread_find_generation);
    ret_thread->age_ms = result_i64(result, 0, C_thread_find_age_ms);
    return true;
}
