/* Implements the pooling of attempts. */
#include "ops/flow/judge/gate_pool.h"

#include <string.h>

enum { POOL_PROFILES_MAX = 100 }; /* of a commit, the newest */

bool gate_is_dirty(const struct summary *summary)
{
    const struct fact *fact = environment_fact(&summary->environment, ORIGIN_DIRTY_FACT);
    return fact != NULL && fact->value != NULL && strcmp(fact->value, "no") != 0;
}

/* The commit that the job says, where that is known of what ran. */
static const char *commit_of(const struct gate_job *job)
{
    const struct code_origin *origin = &job->origin;
    const char *branch = origin->branch.value != NULL ? origin->branch.value : job->branch;
    bool is_dirty = origin->dirty.value != NULL && strcmp(origin->dirty.value, "no") != 0;
    bool of_baseline = branch != NULL && strcmp(branch, job->baseline_branch) == 0;
    if (is_dirty || of_baseline || origin->commit.is_of_git)
        return NULL;
    return origin->commit.value != NULL ? origin->commit.value : job->commit;
}

static bool is_of_commit(const struct profile_page *page, const char *commit)
{
    for (size_t i = 0; i < page->count; i++) {
        if (page->items[i].commit == NULL || gate_commits_differ(commit, page->items[i].commit))
            return false;
    }
    return true;
}

const char *gate_pool_commit(const struct gate_loading *loading)
{
    const char *commit = commit_of(loading->job);
    if (commit == NULL || gate_is_dirty(&loading->candidates.items[0].summary))
        return NULL;
    /* What a CI system works on need not be what was named. */
    return !loading->job->origin.commit.is_implied || is_of_commit(&loading->candidates, commit)
               ? commit
               : NULL;
}

bool gate_pool_profiles(struct gate_loading *loading, const char *commit,
                        struct profile_ids *ret_ids, struct err *err)
{
    const struct gate_job *job = loading->job;
    const struct commit_query query = {
        .project = job->project,
        .workload = job->workload,
        .commit = commit,
        .never_branch = job->baseline_branch,
        .profile_limit = POOL_PROFILES_MAX,
    };
    return ledger_commit_profiles(loading->flow->db, &query, loading->arena, &ret_ids->items,
                                  &ret_ids->count, err);
}

/* ---- runs in turns --------------------------------------------------------------------------- */

static bool is_among(const struct profile_ids *ids, int64_t id)
{
    for (size_t i = 0; i < ids->count; i++) {
        if (ids->items[i] == id)
            return true;
    }
    return false;
}

static bool candidate_ids(const struct gate_loading *loading, struct profile_ids *ret_ids,
                          struct err *err)
{
    const struct profile_page *page = &loading->candidates;
    struct profile_ids ids = {arena_array(loading->arena, int64_t, page->count), page->count};
    if (ids.items == NULL)
        return arena_failed(loading->arena, "the candidate", err);
    for (size_t i = 0; i < page->count; i++)
        ids.items[i] = page->items[i].id;
    *ret_ids = ids;
    return true;
}

/* Takes named runs that took turns out of the candidates, unless all of them did. */
static bool turns_part(struct gate_loading *loading, struct profile_ids *ret_turns, struct err *err)
{
    struct profile_page *page = &loading->candidates;
    struct profile_ids ids;
    size_t kept = 0;
    if (!candidate_ids(loading, &ids, err) ||
        !ledger_turn_profiles(loading->flow->db, &ids, loading->arena, ret_turns, err))
        return false;
    for (size_t i = 0; ret_turns->count < ids.count && i < page->count; i++) {
        if (!is_among(ret_turns, page->items[i].id))
            page->items[kept++] = page->items[i];
    }
    page->count = kept > 0 ? kept : page->count;
    return true;
}

/* "...; 6 profiles that took turns with a baseline stand apart". */
static bool turns_say(struct gate_loading *loading, const struct profile_ids *turns,
                      const char **why, struct err *err)
{
    bool all = turns->count > 0 && gate_profile_is_held(&loading->candidates, turns->items[0]);
    if (turns->count == 0)
        return true;
    *why = all ? arena_printf(loading->arena,
                              "%s; they took turns with a baseline: `gate --paired` judges each "
                              "beside its partner",
                              *why)
               : arena_printf(loading->arena,
                              "%s; %zu profile%s that took turns with a baseline %s apart", *why,
                              turns->count, turns->count == 1 ? "" : "s",
                              turns->count == 1 ? "stands" : "stand");
    return *why != NULL || arena_failed(loading->arena, "the candidate", err);
}

/* ---- the commit ------------------------------------------------------------------------------ */

/* Takes it when it can be compared with what was named. */
static bool profile_pool(struct gate_loading *loading, int64_t id, struct err *err)
{
    const char *field;
    struct ledger_profile profile;
    struct arena_mark mark = arena_mark(loading->arena);
    if (!ledger_load_profile(loading->flow->db, id, loading->arena, &profile, err))
        return false;
    bool fits = gate_can_compare(&profile.summary, &loading->candidates.items[0].summary,
                                 &loading->rules, loading->arena, &field);
    if (!fits && field == NULL)
        return arena_failed(loading->arena, "the candidate", err);
    if (fits && !gate_is_dirty(&profile.summary))
        return gate_profile_add(loading, &profile, &loading->candidates, err);
    arena_rewind(loading->arena, mark);
    return true;
}

/* Turns: those that are known already, and the commit's. */
static bool commit_pool(struct gate_loading *loading, const char *commit, struct profile_ids *turns,
                        struct err *err)
{
    struct profile_ids found, in_turns, all;
    bool are_turns =
        turns->count > 0 && gate_profile_is_held(&loading->candidates, turns->items[0]);
    if (!gate_pool_profiles(loading, commit, &found, err) ||
        !ledger_turn_profiles(loading->flow->db, &found, loading->arena, &in_turns, err))
        return false;
    all = (struct profile_ids){arena_array(loading->arena, int64_t, turns->count + in_turns.count),
                               0};
    if (all.items == NULL)
        return arena_failed(loading->arena, "the candidate", err);
    for (size_t i = 0; i < turns->count; i++)
        all.items[all.count++] = turns->items[i];
    for (size_t i = 0; i < found.count; i++) {
        int64_t id = found.items[i];
        if (gate_profile_is_held(&loading->candidates, id) || is_among(&all, id))
            continue;
        if (!is_among(&in_turns, id)) {
            if (!profile_pool(loading, id, err))
                return false;
        } else if (!are_turns) {
            all.items[all.count++] = id;
        }
    }
    *turns = all;
    return true;
}

bool gate_pool_attempts(struct gate_loading *loading, const struct profile_ids *apart,
                        struct err *err)
{
    struct judged_profiles judged = {.apart = *apart, .in_pairs = loading->job->paired};
    struct gate_sides *sides = &loading->sides;
    if (!candidate_ids(loading, &judged.candidates, err) ||
        !ledger_earlier_verdicts(loading->flow->db, &judged, loading->arena,
                                 &sides->earlier_verdicts, err))
        return false;
    sides->attempts = (int64_t)sides->earlier_verdicts.count + 1;
    return true;
}

bool gate_pool(struct gate_loading *loading, size_t *ret_named, struct err *err)
{
    struct profile_ids turns = {0};
    const char **why = &loading->candidate_why;
    if (!turns_part(loading, &turns, err))
        return false;
    *ret_named = loading->candidates.count;
    const char *commit = gate_pool_commit(loading);
    if (commit == NULL)
        return turns_say(loading, &turns, why, err);
    if (!commit_pool(loading, commit, &turns, err) || !gate_pool_attempts(loading, &turns, err))
        return false;
    if (loading->candidates.count > *ret_named)
        *why = arena_printf(loading->arena, "all comparable runs of commit %.12s", commit);
    return *why == NULL ? arena_failed(loading->arena, "the candidate", err)
                        : turns_say(loading, &turns, why, err);
}
