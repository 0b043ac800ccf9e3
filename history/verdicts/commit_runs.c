/* Implements the questions about a change. */
#include "history/verdicts/commit_runs.h"

#include "history/client/client.h"

#include <inttypes.h>

static const struct row_kind of_commit = {
    ROWS_BY(Q_commit_profiles, int64_t, "the profiles of a commit", row_number)};
static const struct row_kind in_turns = {
    ROWS_BY(Q_turn_profiles, int64_t, "the runs in turns", row_number)};
static const struct row_kind pairs = {ROWS(Q_earlier_pairs, struct paired_profile,
                                           "the pairs of a commit", verdict_id, pair, is_candidate,
                                           profile_id)};

bool ledger_commit_profiles(struct db *db, const struct commit_query *query, struct arena *arena,
                            int64_t **ret_ids, size_t *ret_count, struct err *err)
{
    struct args args = {0};
    args_text(&args, query->project);
    args_text(&args, query->workload);
    args_text(&args, query->commit);
    args_text(&args, query->never_branch);
    args_i64(&args, query->profile_limit);
    struct profile_ids page;
    if (!rows_read(db, &of_commit, &args, arena, &page, err))
        return false;
    *ret_ids = page.items;
    *ret_count = page.count;
    return true;
}

bool ledger_turn_profiles(struct db *db, const struct profile_ids *ids, struct arena *arena,
                          struct profile_ids *ret_turns, struct err *err)
{
    struct args args = {0};
    args_i64s(&args, arena, ids->items, ids->count);
    return rows_read(db, &in_turns, &args, arena, ret_turns, err);
}

bool ledger_earlier_pairs(struct db *db, const struct profile_ids *ids, struct arena *arena,
                          struct paired_profiles *ret_pairs, struct err *err)
{
    struct args args = {0};
    args_i64s(&args, arena, ids->items, ids->count);
    return rows_read(db, &pairs, &args, arena, ret_pairs, err);
}

bool ledger_earlier_verdicts(struct db *db, const struct judged_profiles *judged,
                             struct arena *arena, struct string_list *ret_verdicts, struct err *err)
{
    struct args args = {0};
    args_i64s(&args, arena, judged->candidates.items, judged->candidates.count);
    args_i64s(&args, arena, judged->apart.items, judged->apart.count);
    args_bool(&args, judged->in_pairs);
    scoped_result *rows = NULL;
    if (!query_run(db, Q_earlier_verdicts, &args, &rows, err))
        return false;
    struct string_list list = {.count = (size_t)PQntuples(rows)};
    list.items = arena_array(arena, const char *, list.count);
    if (list.items == NULL)
        return arena_failed(arena, "the verdicts of a commit", err);
    for (size_t i = 0; i < list.count; i++) {
        list.items[i] = arena_printf(arena, "v%" PRId64 " (%s)", result_i64(rows, (int)i, 0),
                                     result_text(rows, (int)i, 1));
        if (list.items[i] == NULL)
            return arena_failed(arena, "the verdicts of a commit", err);
    }
    *ret_verdicts = list;
    return true;
}

bool ledger_newest_verdict(struct db *db, int64_t profile_id, int64_t *ret_verdict_id,
                           struct err *err)
{
    struct args args = {0};
    args_i64(&args, profile_id);
    scoped_result *rows = NULL;
    if (!query_run(db, Q_verdict_newest_of, &args, &rows, err))
        return false;
    *ret_verdict_id = PQntuples(rows) > 0 ? result_i64(rows, 0, 0) : 0;
    return true;
}
