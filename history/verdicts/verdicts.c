/* Appends verdicts, each with its inputs and the messages that it causes in one transaction: a
 * verdict that is recorded is also told, and none is told that is not recorded. */
#include "history/verdicts/verdicts.h"

#include "history/chain/chain.h"
#include "history/client/client.h"
#include "ops/runtime/text.h"

#include <inttypes.h>
#include <string.h>

enum { METHOD_BYTES = 200 };

struct compared {
    const char *name, *unit, *status, *method;
    struct opt_f64 before, after, delta, limit;
};

static void row_write(struct copy *copy, int64_t verdict_id, const struct compared *compared,
                      const struct verdict_statistics *statistics)
{
    int32_t ordinal = (int32_t)copy->rows;
    copy_row(copy);
    copy_values(copy, verdict_id, ordinal, compared->name, compared->unit, compared->before,
                compared->after, compared->delta, compared->limit, compared->status,
                compared->method, statistics->estimate_pct, statistics->ci_low_pct,
                statistics->ci_high_pct, statistics->p, statistics->run_sd_pct,
                statistics->mde_pct);
}

static void step_write(struct copy *copy, int64_t verdict_id, const struct verdict *verdict)
{
    char method[METHOD_BYTES];
    struct opt_f64 before = verdict->baseline.step_median_us;
    struct opt_f64 after = verdict->candidate.step_median_us;
    (void)snprintf(method, sizeof method, "%.150s.v%" PRId64,
                   verdict->rule_id == NULL ? "none" : verdict->rule_id, verdict->rule_version);
    const struct compared step = {
        .name = "step_time",
        .unit = "us",
        .status = verdict_status_names[verdict->status],
        .method = method,
        .before = before,
        .after = after,
        .delta = {before.set && after.set, after.value - before.value},
    };
    row_write(copy, verdict_id, &step, &verdict->statistics);
}

static void measure_write(struct copy *copy, int64_t verdict_id,
                          const struct verdict_measure *measure)
{
    static const struct verdict_statistics none;
    const struct compared compared = {
        .name = measure->name,
        .unit = measure->unit,
        .status = measure->status == NULL ? "unknown" : measure->status,
        .method = "limit",
        .before = measure->before,
        .after = measure->after,
        .delta = measure->delta,
        .limit = measure->limit,
    };
    row_write(copy, verdict_id, &compared, &none);
}

/* What the verdict compared, as rows beside its document. In the caller's transaction: row 0 is the
 * step time with the statistics on which the verdict rests, then one row per measure. */
static bool comparisons_append(struct db *db, int64_t verdict_id, const struct verdict *verdict,
                               struct err *err)
{
    struct copy copy;
    struct section_digest ignored;
    scoped_pipeline pipeline = {0};
    if (!pipeline_begin(&pipeline, db, err))
        return false;
    copy_begin_arrays(&copy, Q_comparisons_add);
    step_write(&copy, verdict_id, verdict);
    for (size_t i = 0; i < verdict->measure_count; i++)
        measure_write(&copy, verdict_id, &verdict->measures[i]);
    return copy_end_arrays(&copy, &pipeline, &ignored, err) && pipeline_run(&pipeline, err);
}

static const size_t KEYS_BUDGET_BYTES = (size_t)64 << 20; /* ids and keys, no documents */

/* "p12" of a side -> 12, in the arena. */
static bool side_ids(const struct verdict_side *side, struct arena *arena, int64_t **ret_ids,
                     struct err *err)
{
    int64_t *ids = arena_array(arena, int64_t, side->profile_ids.count);
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
    return query_do(db, Q_verdict_inputs_add,
                    ARGS(verdict_id, side_name, arg_i64s(arena, ids, side->profile_ids.count)),
                    err);
}

/* The policy by its hash, once for all verdicts; then the request that names it. */
static bool request_add(struct db *db, const struct verdict_entry *entry, struct err *err)
{
    if (entry->request == NULL)
        return true;
    int64_t added_id;
    return query_number_or(db, Q_policy_add, ARGS(entry->verdict->policy_sha256, entry->policy), 0,
                           &added_id, err) &&
           (added_id == 0 || entry_due(db, "ledger", ENTRY_POLICY, added_id, err)) &&
           query_do(db, Q_verdict_request_add,
                    ARGS(entry->id, entry->verdict->policy_sha256, entry->request), err);
}

/* A verdict opens, keeps or settles its alert. Who has built messages for it has decided that
 * already; one that comes from another ledger names a series of that ledger, so its own is taken
 * from its row. */
static bool alert_note(struct db *db, const struct verdict_entry *entry, const char *chain,
                       struct arena *arena, struct err *err)
{
    if (entry->alert != NULL)
        return alert_record(db, entry->verdict, entry->id, entry->alert, err);
    struct alert_change change;
    struct verdict stored = *entry->verdict;
    stored.series = chain[0] == 's' ? chain : NULL;
    return alert_decide(db, &stored, arena, &change, err) &&
           alert_record(db, &stored, entry->id, &change, err);
}

static bool entry_append(struct db *db, const struct verdict_entry *entry, struct arena *arena,
                         struct err *err)
{
    const struct verdict *verdict = entry->verdict;
    scoped_result *place = NULL;
    int64_t id, project_id, *candidates;
    if (!project_find_or_add(db, verdict->project, &project_id, err) ||
        !side_ids(&verdict->candidate, arena, &candidates, err))
        return false;
    bool has_candidate = verdict->candidate.profile_ids.count > 0;
    if (!query_number(db, Q_verdict_add,
                      ARGS(project_id, verdict->workload, arg_id(has_candidate ? candidates[0] : 0),
                           verdict_status_names[verdict->status], verdict->rule_id,
                           verdict->rule_version, verdict->policy_sha256, verdict->evidence_sha256,
                           entry->document),
                      &id, err))
        return false;
    if (id != entry->id)
        return err_set(err, ERR_BUG, "v%" PRId64 " was written under another number", entry->id);
    if (!inputs_add(db, entry->id, "baseline", &verdict->baseline, arena, err) ||
        !inputs_add(db, entry->id, "candidate", &verdict->candidate, arena, err) ||
        !request_add(db, entry, err) || !comparisons_append(db, entry->id, verdict, err) ||
        !origin_append(db, ENTRY_VERDICT, entry->id, entry->origin, err))
        return false;
    /* The name of the chain that a verdict hangs on: that of its series, or of its project
     * when no candidate gave it one. */
    if (!query_row(db, Q_verdict_chain, ARGS(entry->id), &place, err) ||
        !entry_due(db, result_text(place, 0, C_verdict_chain_chain), ENTRY_VERDICT, entry->id,
                   err) ||
        !alert_note(db, entry, result_text(place, 0, C_verdict_chain_chain), arena, err))
        return false;
    if (!outbox_keys_lock(db, entry->messages, entry->message_count, arena, err))
        return false;
    for (size_t i = 0; i < entry->message_count; i++) {
        const struct outbox_message *message = &entry->messages[i];
        bool is_new;
        if (!outbox_enqueue(db, entry->id, message, &is_new, err))
            return false;
        /* What the outbox holds may go one day; that it was told stays. */
        if (is_new && !query_do(db, Q_verdict_message_add,
                                ARGS(entry->id, (int)i, message->destination, message->order_key,
                                     message->dedupe_key, message->content_type,
                                     arg_bytes(message->body, message->body_length)),
                                err))
            return false;
    }
    return entry->judgement == NULL || judgement_end_within(db, entry->judgement, entry->id, err);
}

bool ledger_reserve_verdict(struct db *db, int64_t *ret_id, struct err *err)
{
    return query_number(db, Q_verdict_reserve, NULL, ret_id, err);
}

bool ledger_append_verdict_within(struct db *db, const struct verdict_entry *entry, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, KEYS_BUDGET_BYTES);
    return entry_append(db, entry, &arena, err);
}

bool ledger_append_verdict(struct db *db, const struct verdict_entry *entry, struct err *err)
{
    scoped_transaction *open = NULL;
    return transaction_open(db, &open, err) && ledger_append_verdict_within(db, entry, err) &&
           transaction_close(&open, err);
}

bool ledger_load_verdict(struct db *db, int64_t id, struct arena *arena, char **ret_document,
                         struct err *err)
{
    return ledger_load_verdict_unchecked(db, id, arena, ret_document, err) &&
           recorded_check_whole(db, ENTRY_VERDICT, id, err);
}

bool ledger_read_verdict(struct db *db, int64_t id, struct arena *arena, const char **ret_document,
                         struct verdict *ret_verdict, struct err *err)
{
    char *document, name[24];
    if (!ledger_load_verdict(db, id, arena, &document, err))
        return false;
    if (ret_document != NULL)
        *ret_document = document;
    (void)snprintf(name, sizeof name, "v%" PRId64, id);
    scoped_json *root = json_parse(document, strlen(document), name, err);
    return root != NULL && verdict_from_json(root, name, arena, ret_verdict, err);
}

bool ledger_load_verdict_unchecked(struct db *db, int64_t id, struct arena *arena,
                                   char **ret_document, struct err *err)
{
    scoped_result *result = NULL;
    if (!query_run(db, Q_verdict_load, ARGS(id), &result, err))
        return false;
    if (PQntuples(result) == 0)
        return err_set(err, ERR_MISSING, "the ledger holds no verdict v%" PRId64, id);
    if (!arena_fits(arena, (size_t)PQgetlength(result, 0, C_verdict_load_document) + 1, 1))
        return arena_failed(arena, "a verdict", err);
    *ret_document = arena_strdup(arena, result_text(result, 0, C_verdict_load_document));
    return true;
}

bool ledger_load_request(struct db *db, int64_t id, struct arena *arena,
                         struct verdict_source *ret_source, struct err *err)
{
    scoped_result *result = NULL;
    if (!query_run(db, Q_verdict_request_load, ARGS(id), &result, err))
        return false;
    if (PQntuples(result) == 0)
        return err_set(err, ERR_MISSING,
                       "the ledger holds no request of verdict v%" PRId64
                       ": there is no such verdict, or it was recorded before requests were kept",
                       id);
    ret_source->request = result_copy_text(result, 0, C_verdict_request_load_document, arena);
    ret_source->policy = result_copy_text(result, 0, C_verdict_request_load_policy, arena);
    return arena_ok(arena, "a request", err);
}

bool ledger_verdict_moment(struct db *db, int64_t id, struct arena *arena,
                           struct verdict_moment *ret_moment, struct err *err)
{
    scoped_result *result = NULL;
    if (!query_run(db, Q_verdict_moment, ARGS(id), &result, err))
        return false;
    if (PQntuples(result) == 0)
        return err_set(err, ERR_MISSING, "the ledger holds no verdict v%" PRId64, id);
    ret_moment->recorded_us = result_wall_us(result, 0, C_verdict_moment_recorded_at);
    ret_moment->policy = result_copy_text(result, 0, C_verdict_moment_policy, arena);
    return arena_ok(arena, "a verdict", err);
}

bool verdict_retraction(struct db *db, int64_t verdict_id, struct arena *arena,
                        const char **ret_text, struct err *err)
{
    scoped_result *rows = NULL;
    const char *text = NULL;
    if (!query_run(db, Q_verdict_retracted, ARGS(verdict_id), &rows, err))
        return false;
    for (int row = 0; row < PQntuples(rows); row++) {
        text =
            arena_printf(arena, "%s%sp%" PRId64 " of the %s (%s)", row > 0 ? text : "",
                         row > 0 ? ", " : "", result_i64(rows, row, C_verdict_retracted_profile_id),
                         result_text(rows, row, C_verdict_retracted_side),
                         result_text(rows, row, C_verdict_retracted_reason));
        if (!arena_ok(arena, "the retracted profiles of a verdict", err))
            return false;
    }
    *ret_text = text;
    return true;
}
