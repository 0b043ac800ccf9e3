/* Implements the questions about a change. */
#include "history/verdicts/commit_runs.h"

#include "history/client/client.h"

#include <inttypes.h>

static const struct row_kind of_commit = {
    ROWS_BY(Q_commit_profiles, int64_t, "the profiles of a commit", row_number)};
static const struct row_kind by_size = {
    ROWS_BY(Q_ids_by_size, int64_t, "the sizes of profiles", row_number)};
static const struct row_kind in_turns = {
    ROWS_BY(Q_turn_profiles, int64_t, "the runs in turns", row_number)};
static const struct row_kind unjudged = {
    ROWS_BY(Q_unjudged_profiles, int64_t, "the runs that nobody judged", row_number)};
static const struct row_kind pairs = {ROWS(Q_earlier_pairs, struct paired_profile,
                                           "the pairs of a commit", verdict_id, pair, is_candidate,
                                           profile_id)};

bool ledger_commit_profiles(struct db *db, const struct commit_query *query, struct arena *arena,
                            int64_t **ret_ids, size_t *ret_count, struct err *err)
{
    struct profile_ids page;
    if (!rows_read(db, &of_commit,
                   ARGS(query->project, query->workload, query->commit, query->never_branch,
                        query->profile_limit),
                   arena, &page, err))
        return false;
    *ret_ids = page.items;
    *ret_count = page.count;
    return ledger_check_events(db, page.items, page.count, arena, err);
}

bool ledger_ids_by_size(struct db *db, const struct profile_ids *ids, struct arena *arena,
                        struct profile_ids *ret_sorted, struct err *err)
{
    return rows_read(db, &by_size, ARGS(arg_i64s(arena, ids->items, ids->count)), arena, ret_sorted,
                     err);
}

bool ledger_turn_profiles(struct db *db, const struct profile_ids *ids, struct arena *arena,
                          struct profile_ids *ret_turns, struct err *err)
{
    return rows_read(db, &in_turns, ARGS(arg_i64s(arena, ids->items, ids->count)), arena, ret_turns,
                     err);
}

bool ledger_earlier_pairs(struct db *db, const struct profile_ids *ids, struct arena *arena,
                          struct paired_profiles *ret_pairs, struct err *err)
{
    return rows_read(db, &pairs, ARGS(arg_i64s(arena, ids->items, ids->count)), arena, ret_pairs,
                     err);
}

bool ledger_unjudged_profiles(struct db *db, const struct profile_ids *ids, struct arena *arena,
                              struct profile_ids *ret_unjudged, struct err *err)
{
    return rows_read(db, &unjudged, ARGS(arg_i64s(arena, ids->items, ids->count)), arena,
                     ret_unjudged, err);
}

static const struct row_kind policies = {
    ROWS(Q_candidate_policies, struct recorded_policy, "the policies of a commit", sha256, text)};

bool ledger_candidate_policies(struct db *db, const struct judged_profiles *judged,
                               struct arena *arena, struct recorded_policies *ret_policies,
                               struct err *err)
{
    return rows_read(db, &policies,
                     ARGS(arg_i64s(arena, judged->candidates.items, judged->candidates.count),
                          arg_i64s(arena, judged->apart.items, judged->apart.count),
                          arg_i64s(arena, judged->others.items, judged->others.count),
                          judged->policies.items[0]),
                     arena, ret_policies, err);
}

struct earlier_row {
    int64_t id;
    const char *status, *reason;
    bool is_again;
};

static const struct row_kind earlier = {ROWS(Q_earlier_verdicts, struct earlier_row,
                                             "the verdicts of a commit", id, status, is_again,
                                             reason)};

bool ledger_earlier_verdicts(struct db *db, const struct judged_profiles *judged,
                             struct arena *arena, struct earlier_verdicts *ret_earlier,
                             struct err *err)
{
    struct {
        struct earlier_row *items;
        size_t count;
    } rows;
    if (!rows_read(db, &earlier,
                   ARGS(arg_i64s(arena, judged->candidates.items, judged->candidates.count),
                        arg_i64s(arena, judged->apart.items, judged->apart.count), judged->in_pairs,
                        arg_texts(arena, judged->policies.items, judged->policies.count),
                        arg_i64s(arena, judged->past.items, judged->past.count),
                        arg_texts(arena, judged->against.items, judged->against.count),
                        arg_i64s(arena, judged->named.items, judged->named.count),
                        arg_i64s(arena, judged->others.items, judged->others.count)),
                   arena, &rows, err))
        return false;
    struct earlier_verdicts found = {.attempts = 1};
    const char **names = arena_array(arena, const char *, rows.count);
    for (size_t i = 0; i < rows.count; i++) {
        const struct earlier_row *row = &rows.items[i];
        names[i] = arena_printf(arena, "v%" PRId64 " (%s)", row->id, row->status);
        found.attempts += !row->is_again;
        if (row->reason == NULL || found.failed != NULL)
            continue;
        found.failed = arena_printf(arena, "v%" PRId64, row->id);
        found.reason = row->reason;
    }
    found.verdicts = (struct string_list){names, rows.count};
    *ret_earlier = found;
    return arena_ok(arena, "the verdicts of a commit", err);
}

bool ledger_newest_verdict(struct db *db, int64_t profile_id, int64_t *ret_verdict_id,
                           struct err *err)
{
    return query_number_or(db, Q_verdict_newest_of, ARGS(profile_id), 0, ret_verdict_id, err);
}
