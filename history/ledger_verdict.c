/* Appends verdicts, each with its inputs and the messages that it causes in one transaction: a
 * verdict that is recorded is also told, and none is told that is not recorded. */
#include "history/ledger.h"

#include "history/connection.h"
#include "history/find_or_add.h"
#include "history/result.h"
#include "ops/runtime/text.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_ATTEMPTS_DEFAULT = 12 };
static const size_t KEYS_BUDGET_BYTES = (size_t)64 << 20; /* ids and keys, no documents */
static const int64_t LIFETIME_MS_DEFAULT = INT64_C(24) * 3600 * 1000;

/* "p12" of a side -> 12, in the arena. */
static bool side_ids(const struct verdict_side *side, struct arena *arena, int64_t **ret_ids,
                     struct err *err)
{
    int64_t *ids = arena_array(arena, int64_t, side->profile_ids.count);
    if (ids == NULL)
        return arena_failed(arena, "a verdict's inputs", err);
    for (size_t i = 0; i < side->profile_ids.count; i++) {
        const char *name = side->profile_ids.items[i];
        if (name[0] != 'p' || !text_parse_i64(name + 1, &ids[i]))
            return err_set(err, ERR_BUG,
                           "a verdict names \"%s\", which is no profile of the ledger", name);
    }
    *ret_ids = ids;
    return true;
}

static bool inputs_add(struct db *db, int64_t verdict_id, const char *side_name,
                       const struct verdict_side *side, struct arena *arena, struct err *err)
{
    int64_t *ids;
    if (!side_ids(side, arena, &ids, err))
        return false;
    struct args args = {0};
    args_i64(&args, verdict_id);
    args_text(&args, side_name);
    args_i64s(&args, arena, ids, side->profile_ids.count);
    return query_do(db, Q_verdict_inputs_add, &args, err);
}

static bool header_add(struct db *db, const struct verdict_entry *entry, struct arena *arena,
                       struct err *err)
{
    const struct verdict *verdict = entry->verdict;
    int64_t project_id, *candidates;
    if (!project_find_or_add(db, verdict->project, &project_id, err) ||
        !side_ids(&verdict->candidate, arena, &candidates, err))
        return false;
    bool has_candidate = verdict->candidate.profile_ids.count > 0;
    struct args args = {0};
    args_i64(&args, entry->id);
    args_i64(&args, project_id);
    args_text(&args, verdict->workload);
    args_opt_i64(&args, (struct opt_i64){has_candidate, has_candidate ? candidates[0] : 0});
    args_text(&args, verdict_status_names[verdict->status]);
    args_text(&args, verdict->rule_id);
    args_i64(&args, verdict->rule_version);
    args_text(&args, verdict->policy_sha256);
    args_text(&args, verdict->evidence_sha256);
    args_text(&args, entry->document);
    return query_do(db, Q_verdict_add, &args, err);
}

static bool producers_lock(struct db *db, const struct verdict_entry *entry, struct arena *arena,
                           struct err *err)
{
    size_t count = entry->message_count;
    const char **names = arena_array(arena, const char *, 2 * count);
    if (names == NULL)
        return arena_failed(arena, "outbox keys", err);
    for (size_t i = 0; i < count; i++) {
        names[i] = entry->messages[i].destination;
        names[count + i] = entry->messages[i].order_key;
    }
    struct args args = {0};
    args_texts(&args, arena, names, count);
    args_texts(&args, arena, names + count, count);
    return query_do(db, Q_outbox_lock, &args, err);
}

static bool message_add(struct db *db, int64_t verdict_id, const struct outbox_message *message,
                        struct err *err)
{
    int64_t destination_id;
    struct args name = {0};
    args_text(&name, message->destination);
    if (!find_or_add(db, Q_destination_find, Q_destination_add, &name, &destination_id, err))
        return false;
    struct args args = {0};
    args_i64(&args, destination_id);
    args_i64(&args, verdict_id);
    args_text(&args, message->order_key);
    args_text(&args, message->dedupe_key);
    args_text(&args, message->content_type);
    args_bytes(&args, message->body, message->body_length);
    args_i32(&args, message->max_attempts > 0 ? message->max_attempts : MAX_ATTEMPTS_DEFAULT);
    args_i64(&args, message->lifetime_ms > 0 ? message->lifetime_ms : LIFETIME_MS_DEFAULT);
    return query_do(db, Q_outbox_add, &args, err);
}

static bool entry_append(struct db *db, const struct verdict_entry *entry, struct arena *arena,
                         struct err *err)
{
    const struct verdict *verdict = entry->verdict;
    if (!header_add(db, entry, arena, err) ||
        !inputs_add(db, entry->id, "baseline", &verdict->baseline, arena, err) ||
        !inputs_add(db, entry->id, "candidate", &verdict->candidate, arena, err))
        return false;
    if (entry->message_count > 0 && !producers_lock(db, entry, arena, err))
        return false;
    for (size_t i = 0; i < entry->message_count; i++)
        if (!message_add(db, entry->id, &entry->messages[i], err))
            return false;
    return true;
}

bool ledger_reserve_verdict(struct db *db, int64_t *ret_id, struct err *err)
{
    scoped_result *result = NULL;
    if (!query_row(db, Q_verdict_reserve, NULL, &result, err))
        return false;
    *ret_id = result_i64(result, 0, 0);
    return true;
}

bool ledger_append_verdict(struct db *db, const struct verdict_entry *entry, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, KEYS_BUDGET_BYTES);
    if (!db_begin(db, err))
        return false;
    if (!entry_append(db, entry, &arena, err) || !db_commit(db, err)) {
        db_rollback(db);
        return false;
    }
    return true;
}

bool ledger_load_verdict(struct db *db, int64_t id, struct arena *arena, char **ret_document,
                         struct err *err)
{
    struct args args = {0};
    args_i64(&args, id);
    scoped_result *result = NULL;
    if (!query_run(db, Q_verdict_load, &args, &result, err))
        return false;
    if (PQntuples(result) == 0)
        return err_set(err, ERR_MISSING, "the ledger holds no verdict v%" PRId64, id);
    char *document = arena_strdup(arena, result_text(result, 0, 0));
    if (document == NULL)
        return arena_failed(arena, "a verdict", err);
    *ret_document = document;
    return true;
}
