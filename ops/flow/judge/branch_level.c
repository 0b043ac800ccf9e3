/* Implements the level as a question to the ledger, asked again with the own commit where it has no
 * answer without. */
#include "ops/flow/judge/branch_level.h"

#include <string.h>

enum {
    LEVEL_RUNS = 400, /* so many runs are looked at for comparable ones, at least */
    OWN_PROFILES_MAX = 10000,
};

/* Appends the ids of the own commit to *excluded; *ret_count: those of the branch that are not
 * judged. */
static bool own_exclude(const struct gate_loading *loading, struct profile_ids *excluded,
                        size_t *ret_count, struct err *err)
{
    const struct gate_job *job = loading->job;
    struct profile_ids own = {0}, off_branch = {0}, all = {NULL, excluded->count};
    struct commit_query query = {.project = job->project,
                                 .workload = job->workload,
                                 .commit = loading->own_commit,
                                 .profile_limit = OWN_PROFILES_MAX};
    if (!ledger_commit_profiles(loading->flow->db, &query, loading->arena, &own.items, &own.count,
                                err))
        return false;
    query.never_branch = job->baseline_branch;
    if (!ledger_commit_profiles(loading->flow->db, &query, loading->arena, &off_branch.items,
                                &off_branch.count, err))
        return false;
    all.items = arena_array(loading->arena, int64_t, excluded->count + own.count);
    for (size_t i = 0; i < excluded->count; i++)
        all.items[i] = excluded->items[i];
    *ret_count = own.count - off_branch.count;
    for (size_t i = 0; i < own.count; i++) {
        bool is_judged = gate_profile_is_held(&loading->candidates, own.items[i]);
        *ret_count -= is_judged && !gate_ids_hold(&off_branch, own.items[i]);
        all.items[all.count++] = own.items[i];
    }
    *excluded = all;
    return true;
}

static int64_t newest_candidate(const struct gate_loading *loading)
{
    const struct ledger_profile *newest = &loading->candidates.items[0];
    for (size_t i = 1; i < loading->candidates.count; i++) {
        const struct ledger_profile *item = &loading->candidates.items[i];
        int order = strcmp(item->ran_at_utc, newest->ran_at_utc);
        if (order > 0 || (order == 0 && item->id > newest->id))
            newest = item;
    }
    return newest->id;
}

/* The profiles that may be a past, and the runs that are none for their names. */
static bool places_ask(const struct gate_loading *loading, const struct baseline_query *query,
                       struct branch_level *level, struct err *err)
{
    struct db *db = loading->flow->db;
    level->namesakes.count = 0;
    return ledger_baseline_places(db, query, loading->arena, &level->places, err) &&
           (query->exclude_count == 0 ||
            ledger_baseline_namesakes(db, query, loading->arena, &level->namesakes, err));
}

bool branch_level_find(const struct gate_loading *loading, int64_t before_id, enum level_own own,
                       struct branch_level *ret_level, struct err *err)
{
    const struct gate_job *job = loading->job;
    struct branch_level level = {0};
    struct profile_ids judged = {loading->excluded, loading->excluded_count}, excluded = judged;
    struct baseline_query query = {
        .project = job->project,
        .workload = job->workload,
        .branch = job->baseline_branch,
        .run_limit = LEVEL_RUNS > job->last + 1 ? LEVEL_RUNS : job->last + 1,
        .before_id = before_id,
    };
    int64_t stands = before_id != 0 ? before_id : newest_candidate(loading);
    if ((loading->own_commit != NULL && !own_exclude(loading, &excluded, &level.own_count, err)) ||
        !ledger_level_bounds(loading->flow->db, loading->sides.series, stands, &level.bounds, err))
        return false;
    const struct level_mark *start = &level.bounds.start, *end = &level.bounds.end;
    query.exclude = excluded.items;
    query.exclude_count = excluded.count;
    query.since_id = start->profile_id;
    query.with_since = start->change_point_id != 0;
    query.until_id = end->profile_id;
    query.with_until = end->rebaseline_id != 0;
    query.near_id = before_id != 0 ? 0 : stands;
    if (!places_ask(loading, &query, &level, err))
        return false;
    level.is_own = own == LEVEL_HAS_OWN_ALONE && level.places.count == 0 && level.own_count > 0 &&
                   level.namesakes.count == 0;
    if (level.is_own) {
        query.exclude = judged.items;
        query.exclude_count = judged.count;
        level.own_count = 0;
        if (!places_ask(loading, &query, &level, err))
            return false;
    }
    for (size_t i = 0; i < level.places.count; i++)
        level.has_behind |= level.places.items[i].is_behind;
    *ret_level = level;
    return true;
}
