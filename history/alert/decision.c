/* Implements decisions: one statement and one entry each. */
#include "history/alert/decision.h"

#include "history/alert/change_points.h"
#include "history/chain/chain.h"
#include "history/client/client.h"
#include "history/profiles/profiles.h"
#include "ops/runtime/json.h"
#include "schema/documents/measures.h"
#include "schema/documents/verdict_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool ledger_accept(struct db *db, const struct acceptance_entry *entry, struct arena *arena,
                   struct acceptance *ret_acceptance, struct err *err)
{
    scoped_result *result = NULL;
    if (!query_run(db, Q_acceptance_add,
                   ARGS(entry->verdict_id, entry->change_key, entry->reason, entry->by), &result,
                   err))
        return false;
    if (PQntuples(result) == 0)
        return err_set(err, ERR_MISSING, "the ledger holds no verdict v%" PRId64,
                       entry->verdict_id);
    struct acceptance accepted = {.found = true,
                                  .id = result_i64(result, 0, C_acceptance_add_id),
                                  .verdict_id = entry->verdict_id,
                                  .reason = entry->reason};
    accepted.by = result_copy_text(result, 0, C_acceptance_add_author, arena);
    *ret_acceptance = accepted;
    return added_due(db, ENTRY_ACCEPTANCE, result, &entry->origin, entry->by, err);
}

bool ledger_find_acceptance(struct db *db, const struct verdict *verdict, struct arena *arena,
                            struct acceptance *ret_acceptance, struct err *err)
{
    struct acceptance acceptance = {0};
    scoped_result *result = NULL;
    const char *key = verdict_change_key(verdict, arena);
    if (!query_run(db, Q_acceptance_find, ARGS(verdict->project, verdict->workload, key), &result,
                   err))
        return false;
    *ret_acceptance = acceptance;
    if (PQntuples(result) == 0)
        return true;
    acceptance.id = result_i64(result, 0, C_acceptance_find_id);
    acceptance.verdict_id = result_i64(result, 0, C_acceptance_find_verdict_id);
    acceptance.reason = result_copy_text(result, 0, C_acceptance_find_reason, arena);
    acceptance.by = result_copy_text(result, 0, C_acceptance_find_recorded_by, arena);
    acceptance.said = arena_printf(arena, "%s (by %s, of v%" PRId64 ")", acceptance.reason,
                                   acceptance.by, acceptance.verdict_id);
    if (!recorded_check_whole(db, ENTRY_ACCEPTANCE, acceptance.id, err) ||
        !recorded_check_whole(db, ENTRY_VERDICT, acceptance.verdict_id, err))
        return false;
    /* Says what the verdict has beyond the one that was accepted; document: that one. */
    const char *document = result_text(result, 0, C_acceptance_find_document);
    struct verdict accepted;
    char name[24];
    (void)snprintf(name, sizeof name, "v%" PRId64, acceptance.verdict_id);
    scoped_json *root = json_parse(document, strlen(document), name, err);
    if (root == NULL || !verdict_from_json(root, name, arena, &accepted, err))
        return false;
    accepted.id = name;
    acceptance.found = verdict_is_within(verdict, &accepted);
    acceptance.beyond = acceptance.found ? NULL : verdict_beyond(verdict, &accepted, arena);
    *ret_acceptance = acceptance;
    return arena_ok(arena, "an acceptance", err);
}

bool ledger_rebaseline(struct db *db, const struct rebaseline_entry *entry,
                       struct level_mark *ret_start, struct err *err)
{
    struct opt_i64 number;
    const int64_t after_profile_id = entry->after_profile_id;
    scoped_transaction *open = NULL;
    scoped_result *result = NULL;
    if (!identity_series(entry->series, &number, err) || !transaction_open(db, &open, err))
        return false;
    if (!query_run(db, Q_rebaseline_add,
                   ARGS(number.value,
                        arg_opt_i64((struct opt_i64){after_profile_id > 0 || entry->is_whole,
                                                     after_profile_id}),
                        entry->reason),
                   &result, err))
        return false;
    if (PQntuples(result) == 0)
        return after_profile_id > 0
                   ? err_set(err, ERR_MISSING,
                             "the ledger holds no series %s with a profile p%" PRId64,
                             entry->series, after_profile_id)
                   : err_set(err, ERR_MISSING, "the ledger holds no series %s", entry->series);
    const int64_t id = result_i64(result, 0, C_rebaseline_add_id);
    *ret_start =
        (struct level_mark){.rebaseline_id = id,
                            .profile_id = result_i64(result, 0, C_rebaseline_add_after_profile_id)};
    return origin_append(db, ENTRY_REBASELINE, id, &entry->origin, err) &&
           entry_due(db, result_text(result, 0, C_rebaseline_add_chain), ENTRY_REBASELINE, id,
                     err) &&
           transaction_close(&open, err);
}

struct places {
    struct place {
        int64_t after_profile_id;
    } * items;
    size_t count;
};

static const struct row_kind places = {
    ROWS(Q_rebaseline_places, struct place, "the re-baselines of a series", after_profile_id)};

/* Words are a stack of places on the first run: one that goes back to the place below the newest
 * took that back. */
bool ledger_rebaseline_before(struct db *db, const char *series, struct arena *arena,
                              int64_t *ret_after_profile_id, struct err *err)
{
    struct opt_i64 number;
    struct places words;
    if (!identity_series(series, &number, err) ||
        !rows_read(db, &places, ARGS(number.value), arena, &words, err))
        return false;
    int64_t *stack = arena_array(arena, int64_t, words.count + 1);
    size_t top = 0;
    for (size_t i = 0; i < words.count; i++) {
        int64_t after = words.items[i].after_profile_id;
        if (top > 0 && stack[top - 1] == after)
            top--;
        else if (after != stack[top])
            stack[++top] = after;
    }
    if (top == 0)
        return err_set(err, ERR_MISSING,
                       "series %s has no re-baseline that could be taken back (`stepledger log` "
                       "names them; a change point is taken back with --at)",
                       series);
    *ret_after_profile_id = stack[top - 1];
    return true;
}

/* ---- levels ---------------------------------------------------------------------------------- */

static bool mark_check(struct db *db, const struct level_mark *mark, struct err *err)
{
    return (mark->rebaseline_id == 0 ||
            recorded_check_whole(db, ENTRY_REBASELINE, mark->rebaseline_id, err)) &&
           (mark->change_point_id == 0 ||
            recorded_check_whole(db, ENTRY_CHANGE_POINT, mark->change_point_id, err));
}

bool ledger_level_bounds(struct db *db, const char *series, int64_t profile_id,
                         struct level_bounds *ret_level, struct err *err)
{
    enum { POINT_MAX_BYTES = 1 << 20 };
    static const int64_t step_median = MEASURE_steady_step_median;
    bool found;
    struct opt_i64 number;
    struct level_bounds level = {0};
    struct change_point_entry point;
    scoped_arena arena;
    scoped_result *said = NULL, *end = NULL, *others = NULL;
    arena_init(&arena, POINT_MAX_BYTES);
    *ret_level = level;
    if (!identity_series(series, &number, err))
        return false;
    if (!number.set)
        return true;
    if (!query_run(db, Q_rebaseline_latest, ARGS(number.value, arg_id(profile_id)), &said, err))
        return false;
    if (PQntuples(said) > 0)
        level.start = (struct level_mark){
            .rebaseline_id = result_i64(said, 0, C_rebaseline_latest_id),
            .profile_id = result_i64(said, 0, C_rebaseline_latest_after_profile_id)};
    const struct change_point_query query = {.series = series,
                                             .measure = measure_rows[step_median].name,
                                             .until_profile_id = profile_id,
                                             .after_profile_id = level.start.profile_id};
    if (!change_point_latest(db, &query, &arena, &point, &found, err))
        return false;
    if (found) /* it goes before an earlier start */
        level.start =
            (struct level_mark){.change_point_id = point.id, .profile_id = point.at_profile_id};
    if (!query_run(db, Q_level_end, ARGS(number.value, step_median, profile_id), &end, err))
        return false;
    if (PQntuples(end) > 0)
        level.end =
            (struct level_mark){.rebaseline_id = result_i64(end, 0, C_level_end_rebaseline_id),
                                .change_point_id = result_i64(end, 0, C_level_end_change_point_id),
                                .profile_id = result_i64(end, 0, C_level_end_profile_id)};
    /* A word that takes a level back decides as much as one that confirms it. */
    if (!query_run(db, Q_change_point_others,
                   ARGS(number.value, step_median, arg_id(level.end.profile_id),
                        arg_id(level.start.profile_id)),
                   &others, err))
        return false;
    for (int row = 0; row < PQntuples(others); row++)
        if (!recorded_check_whole(db, ENTRY_CHANGE_POINT,
                                  result_i64(others, row, C_change_point_others_id), err))
            return false;
    *ret_level = level;
    return mark_check(db, &level.start, err) && mark_check(db, &level.end, err);
}

/* ---- read one after the other ---------------------------------------------------------------- */

enum { PAGE = 100 };

static const struct row_kind acceptances = {
    ROWS(Q_acceptance_page, struct acceptance_row, "a page of acceptances", id, entry.verdict_id,
         entry.change_key, entry.reason, entry.origin.recorded_at_utc, entry.origin.by),
    .limit = PAGE};
static const struct row_kind rebaselines = {
    ROWS(Q_rebaseline_page, struct rebaseline_row, "a page of re-baselines", id, of_profile_id,
         after_profile_id, reason, origin.recorded_at_utc, origin.by),
    .limit = PAGE};

bool acceptances_after(struct db *db, int64_t after_id, struct arena *arena,
                       struct acceptance_page *ret_page, struct err *err)
{
    return rows_after(db, &acceptances, after_id, arena, ret_page, err);
}

bool rebaselines_after(struct db *db, int64_t after_id, struct arena *arena,
                       struct rebaseline_page *ret_page, struct err *err)
{
    return rows_after(db, &rebaselines, after_id, arena, ret_page, err);
}

bool acceptance_count(struct db *db, const struct acceptance_entry *entry, int64_t *ret_count,
                      struct err *err)
{
    return query_number(db, Q_acceptance_count,
                        ARGS(entry->verdict_id, entry->change_key, entry->reason), ret_count, err);
}

bool rebaseline_count(struct db *db, const struct rebaseline_row *row, struct arena *arena,
                      const char **ret_series, int64_t *ret_count, struct err *err)
{
    scoped_result *found = NULL;
    if (!query_run(db, Q_rebaseline_count,
                   ARGS(row->of_profile_id, row->reason, row->after_profile_id), &found, err))
        return false;
    if (PQntuples(found) == 0)
        return err_set(err, ERR_MISSING, "the ledger holds no profile p%" PRId64,
                       row->of_profile_id);
    *ret_count = result_i64(found, 0, C_rebaseline_count_count);
    *ret_series = result_copy_text(found, 0, C_rebaseline_count_series, arena);
    return true;
}
