/* Implements the pooling of attempts. */
#include "ops/cli/gate_pool.h"

#include "history/commit_runs.h"

#include <string.h>

enum { POOL_PROFILES_MAX = 100 }; /* of a commit, the newest */

static const char named_text[] = "the candidates that were named";

/* The commit whose runs count; NULL: the operands alone are the candidate. */
static const char *commit_of(const struct gate_job *job)
{
    const struct code_origin *origin = &job->origin;
    const char *branch = origin->branch.value != NULL ? origin->branch.value : job->branch;
    bool is_dirty = origin->dirty.value != NULL && strcmp(origin->dirty.value, "no") != 0;
    bool of_baseline = branch != NULL && strcmp(branch, job->baseline_branch) == 0;
    if (job->paired || is_dirty || of_baseline || origin->commit.is_of_git)
        return NULL;
    return origin->commit.value != NULL ? origin->commit.value : job->commit;
}

static bool is_dirty(const struct summary *summary)
{
    const struct fact *fact = environment_fact(&summary->environment, ORIGIN_DIRTY_FACT);
    return fact != NULL && fact->value != NULL && strcmp(fact->value, "no") != 0;
}

static bool is_held(const struct profile_page *page, int64_t id)
{
    for (size_t i = 0; i < page->count; i++) {
        if (page->items[i].id == id)
            return true;
    }
    return false;
}

/* Takes it when it can be compared with what was named. */
static bool profile_pool(struct gate_loading *loading, int64_t id, struct err *err)
{
    const char *field;
    struct ledger_profile profile;
    struct arena_mark mark = arena_mark(loading->arena);
    if (!ledger_load_profile(loading->db, id, loading->arena, &profile, err))
        return false;
    bool fits = gate_can_compare(&profile.summary, &loading->candidates.items[0].summary,
                                 &loading->rules, loading->arena, &field);
    if (!fits && field == NULL)
        return arena_failed(loading->arena, "the candidate", err);
    if (fits && !is_dirty(&profile.summary))
        return gate_profile_add(loading, &profile, &loading->candidates, err);
    arena_rewind(loading->arena, mark);
    return true;
}

static bool commit_pool(struct gate_loading *loading, const char *commit, struct err *err)
{
    const struct gate_job *job = loading->job;
    const struct commit_query query = {
        .project = job->project,
        .workload = job->workload,
        .commit = commit,
        .never_branch = job->baseline_branch,
        .profile_limit = POOL_PROFILES_MAX,
    };
    int64_t *ids;
    size_t count;
    if (!ledger_commit_profiles(loading->db, &query, loading->arena, &ids, &count, err))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!is_held(&loading->candidates, ids[i]) && !profile_pool(loading, ids[i], err))
            return false;
    }
    return true;
}

static bool attempts_find(struct gate_loading *loading, struct err *err)
{
    size_t count = loading->candidates.count;
    int64_t *ids = arena_array(loading->arena, int64_t, count);
    if (ids == NULL)
        return arena_failed(loading->arena, "the candidate", err);
    for (size_t i = 0; i < count; i++)
        ids[i] = loading->candidates.items[i].id;
    struct gate_sides *sides = &loading->sides;
    if (!ledger_earlier_verdicts(loading->db, ids, count, loading->arena, &sides->earlier_verdicts,
                                 err))
        return false;
    sides->attempts = (int64_t)sides->earlier_verdicts.count + 1;
    return true;
}

/* A commit may be said by its start. */
static bool is_of_commit(const struct profile_page *page, const char *commit)
{
    for (size_t i = 0; i < page->count; i++) {
        const char *held = page->items[i].commit;
        size_t left = held == NULL ? 0 : strlen(held), right = strlen(commit);
        if (held == NULL || strncmp(held, commit, left < right ? left : right) != 0)
            return false;
    }
    return true;
}

bool gate_pool(struct gate_loading *loading, const char **ret_why, struct err *err)
{
    const char *commit = commit_of(loading->job);
    *ret_why = named_text;
    /* What a CI system works on need not be what was named. */
    bool is_named = commit != NULL && (!loading->job->origin.commit.is_implied ||
                                       is_of_commit(&loading->candidates, commit));
    if (!is_named || is_dirty(&loading->candidates.items[0].summary))
        return true;
    size_t named = loading->candidates.count;
    if (!commit_pool(loading, commit, err) || !attempts_find(loading, err))
        return false;
    if (loading->candidates.count == named)
        return true;
    *ret_why = arena_printf(loading->arena, "all comparable runs of commit %.12s", commit);
    return *ret_why != NULL || arena_failed(loading->arena, "the candidate", err);
}
