/* Implements the pooling of attempts. */
#include "ops/flow/judge/gate_pool.h"

#include "compare/policy/policy.h"
#include "ops/flow/judge/branch_level.h"
#include "ops/runtime/digest.h"
#include "ops/runtime/text.h"

#include <string.h>

enum {
    POOL_PROFILES_MAX = 100,  /* of a commit that can be compared, the newest */
    POOL_KNOWN_MAX = 10000,   /* of a commit, the newest: what is kept beside them is looked at */
    POOL_DOCUMENTS_MAX = 300, /* which are loaded: many that cannot be read must not take all day */
    POOL_STRETCH = 128,       /* briefs that are asked for at once */
};

bool gate_is_dirty(const struct summary *summary)
{
    const struct fact *fact = environment_fact(&summary->environment, ORIGIN_DIRTY_FACT);
    return fact != NULL && fact->value != NULL && strcmp(fact->value, "no") != 0;
}

/* ---- whose runs ------------------------------------------------------------------------------ */

/* The commit that the job says, where that is known of what ran. */
static const char *said_commit(const struct gate_job *job)
{
    const struct code_origin *origin = &job->origin;
    if (origin->commit.is_of_git)
        return NULL;
    return origin->commit.value != NULL ? origin->commit.value : job->commit;
}

const char *gate_held_commit(const struct profile_page *page, bool *ret_several)
{
    const char *commit = page->items[0].commit;
    bool all = true;
    *ret_several = false;
    for (size_t i = 0; i < page->count; i++) {
        all &= page->items[i].commit != NULL;
        *ret_several |= gate_commits_differ(commit, page->items[i].commit);
        if (commit == NULL)
            commit = page->items[i].commit;
    }
    return all && !*ret_several ? commit : NULL;
}

static bool is_of_commit(const struct profile_page *page, const char *commit)
{
    bool several;
    const char *held = gate_held_commit(page, &several);
    return held != NULL && !gate_commits_differ(commit, held);
}

static bool is_dirty_tree(const struct gate_loading *loading)
{
    const struct told *dirty = &loading->job->origin.dirty;
    bool is_dirty = dirty->value != NULL && strcmp(dirty->value, "no") != 0;
    for (size_t i = 0; i < loading->candidates.count; i++)
        is_dirty |= gate_is_dirty(&loading->candidates.items[i].summary);
    return is_dirty;
}

static bool is_held_on(const struct profile_page *page, const char *branch)
{
    for (size_t i = 0; i < page->count; i++) {
        if (page->items[i].branch != NULL && strcmp(page->items[i].branch, branch) == 0)
            return true;
    }
    return false;
}

static struct profile_ids candidate_ids(const struct gate_loading *loading)
{
    const struct profile_page *page = &loading->candidates;
    struct profile_ids ids = {arena_array(loading->arena, int64_t, page->count), page->count};
    for (size_t i = 0; i < page->count; i++)
        ids.items[i] = page->items[i].id;
    return ids;
}

/* Does a recorded text say the same, with the defaults of what it does not name yet? What cannot
 * be read any more does not. */
static bool is_same_policy(const struct recorded_policy *recorded, const char *text,
                           struct arena *arena, bool *ret_same, struct err *err)
{
    const struct policy_scope everything = {0};
    struct gate_policy policy;
    struct conf_file file = {0};
    struct err fault = {0};
    *ret_same = conf_text_read(recorded->text, "the recorded policy", arena, &file, &fault) &&
                gate_policy_read(&file, &everything, arena, &policy, &fault) &&
                strcmp(gate_policy_text(&policy, arena), text) == 0;
    if (fault.kind == ERR_NONE || fault.kind == ERR_USAGE || fault.kind == ERR_INPUT)
        return true;
    *err = fault;
    return false;
}

/* The hashes by which the verdicts of the policy are known: that of its text, and those of texts
 * that were written before the program had all keys, measures and facts of today. */
static bool policies_find(struct gate_loading *loading, struct judged_profiles *judged,
                          struct err *err)
{
    struct arena *arena = loading->arena;
    const char *text = gate_policy_text(loading->rules.policy, arena);
    char sha256[SHA256_HEX_BYTES];
    struct recorded_policies recorded;
    sha256_hex(text, strlen(text), sha256);
    judged->policies = (struct string_list){(const char *[]){sha256}, 1};
    if (!ledger_candidate_policies(loading->flow->db, judged, arena, &recorded, err))
        return false;
    const char **hashes = arena_array(arena, const char *, recorded.count + 1);
    size_t count = 0;
    hashes[count++] = arena_strdup(arena, sha256);
    for (size_t i = 0; i < recorded.count; i++) {
        struct arena_mark mark = arena_mark(arena);
        bool is_same;
        if (!is_same_policy(&recorded.items[i], text, arena, &is_same, err))
            return false;
        if (is_same)
            hashes[count++] = recorded.items[i].sha256;
        arena_rewind(arena, mark);
    }
    judged->policies = (struct string_list){hashes, count};
    return true;
}

/* On the baseline branch the runs of a commit are its past, and are not pooled, unless it failed
 * before: fresh runs alone would not refute that. What it failed against is gone where the level
 * has no other commit: a person began it. */
static bool landed_check(struct gate_loading *loading, const char *commit, struct err *err)
{
    const struct gate_job *job = loading->job;
    struct branch_level level = {0};
    struct judged_profiles judged = {.candidates = candidate_ids(loading)};
    struct earlier_verdicts earlier;
    struct gate_loading own = *loading, landed = *loading;
    own.own_commit = commit;
    landed.commit = commit;
    landed.is_landed = true;
    bool is_past = job->baselines.count == 0 && job->merge_base == NULL;
    if (is_past && !branch_level_find(&own, 0, LEVEL_HAS_OWN_ALONE, &level, err))
        return false;
    if (level.is_own)
        return true;
    if (!gate_pool_profiles(&landed, &judged.apart, err) || !policies_find(loading, &judged, err) ||
        !ledger_earlier_verdicts(loading->flow->db, &judged, loading->arena, &earlier, err))
        return false;
    loading->is_landed = earlier.failed != NULL;
    loading->commit = loading->is_landed ? commit : NULL;
    return true;
}

bool gate_pool_commit(struct gate_loading *loading, struct err *err)
{
    const struct gate_job *job = loading->job;
    const struct told *branch = &job->origin.branch;
    const struct profile_page *page = &loading->candidates;
    const char *commit = said_commit(job),
               *on = branch->value != NULL ? branch->value : job->branch;
    bool several = false;
    /* What a CI system works on need not be what was named. */
    if (commit != NULL && job->origin.commit.is_implied && !is_of_commit(page, commit)) {
        commit = NULL;
        on = branch->is_implied ? NULL : on;
    }
    bool is_change = on == NULL || strcmp(on, job->baseline_branch) != 0;
    if (commit == NULL && !job->origin.commit.is_of_git) {
        is_change = is_change && !is_held_on(page, job->baseline_branch);
        commit = gate_held_commit(page, &several);
    }
    if (is_dirty_tree(loading))
        commit = NULL;
    loading->own_commit = commit;
    if (is_change)
        loading->commit = commit;
    else if (commit != NULL && !landed_check(loading, commit, err))
        return false;
    if (several && is_change)
        loading->candidate_why =
            arena_printf(loading->arena,
                         "%s: they are of several commits, so that no other runs of these count, "
                         "and no earlier verdicts on them",
                         loading->candidate_why);
    return true;
}

const char *gate_pool_why(struct gate_loading *loading, const char *what)
{
    bool was_said = said_commit(loading->job) == loading->commit;
    return arena_printf(loading->arena, "%s comparable %s of commit %.12s%s",
                        loading->unreadable.are_beyond ? "the newest" : "all", what,
                        loading->commit,
                        was_said ? "" : ", by which the ledger knows those that were named");
}

bool gate_pool_profiles(struct gate_loading *loading, struct profile_ids *ret_ids, struct err *err)
{
    const struct gate_job *job = loading->job;
    const struct commit_query query = {
        .project = job->project,
        .workload = job->workload,
        .commit = loading->commit,
        .never_branch = loading->is_landed ? NULL : job->baseline_branch,
        .profile_limit = POOL_KNOWN_MAX,
    };
    if (!ledger_commit_profiles(loading->flow->db, &query, loading->arena, &ret_ids->items,
                                &ret_ids->count, err))
        return false;
    loading->unreadable.are_beyond |= ret_ids->count == POOL_KNOWN_MAX;
    return true;
}

/* ---- runs in turns --------------------------------------------------------------------------- */

/* Takes named runs that took turns out of the candidates, unless all of them did. */
static bool turns_part(struct gate_loading *loading, struct profile_ids *ret_turns, struct err *err)
{
    struct profile_page *page = &loading->candidates;
    const struct profile_ids ids = candidate_ids(loading);
    size_t kept = 0;
    if (!ledger_turn_profiles(loading->flow->db, &ids, loading->arena, ret_turns, err))
        return false;
    for (size_t i = 0; ret_turns->count < ids.count && i < page->count; i++) {
        if (!gate_ids_hold(ret_turns, page->items[i].id))
            page->items[kept++] = page->items[i];
    }
    page->count = kept > 0 ? kept : page->count;
    return true;
}

/* "...; 6 profiles that took turns with a baseline stand apart". */
static const char *turns_say(struct gate_loading *loading, const struct profile_ids *turns,
                             const char *why)
{
    if (turns->count == 0)
        return why;
    if (gate_profile_is_held(&loading->candidates, turns->items[0]))
        return arena_printf(loading->arena,
                            "%s; they took turns with a baseline: `gate --paired` judges each "
                            "beside its partner",
                            why);
    return arena_printf(
        loading->arena, "%s; %zu profile%s that took turns with a baseline %s apart", why,
        turns->count, turns->count == 1 ? "" : "s", turns->count == 1 ? "stands" : "stand");
}

/* ---- the commit ------------------------------------------------------------------------------ */

/* Takes it when it can be compared with what was named. */
static bool profile_pool(struct gate_loading *loading, int64_t id, struct err *err)
{
    const char *field;
    struct ledger_profile profile;
    struct arena_mark mark = arena_mark(loading->arena);
    bool is_readable;
    if (!gate_profile_load_beside(loading, id, &loading->unreadable, &profile, &is_readable, err))
        return false;
    if (!is_readable)
        return true;
    if (gate_can_compare(&profile.summary, &loading->candidates.items[0].summary, &loading->rules,
                         loading->arena, &field) &&
        !gate_is_dirty(&profile.summary))
        gate_profile_add(loading, &profile, &loading->candidates);
    else
        arena_rewind(loading->arena, mark);
    return true;
}

/* Takes what may fit out of the ids from *at on, one stretch at most; *at: behind the last one. */
static bool stretch_fit(struct gate_loading *loading, const struct profile_ids *ids, size_t max,
                        size_t *at, struct profile_ids *fitting, struct err *err)
{
    struct ledger_brief *briefs;
    struct arena_mark mark = arena_mark(loading->arena);
    const int64_t *stretch = ids->items + *at;
    size_t left = ids->count - *at, count = left < POOL_STRETCH ? left : POOL_STRETCH;
    if (!ledger_load_stored_briefs(loading->flow->db, stretch, count, loading->arena, &briefs, err))
        return false;
    for (size_t i = 0; i < count && fitting->count < max; i++, ++*at) {
        const char *field;
        if (briefs[i].changed != NULL) {
            gate_profile_leave_out(stretch[i], briefs[i].changed, &loading->unreadable);
            continue;
        }
        /* By what is kept of it beside its document, which alone tells all methods of its steps. */
        if (gate_can_compare(&briefs[i].profile.summary, &loading->candidates.items[0].summary,
                             &loading->rules, loading->arena, &field) ||
            strcmp(field, provenance_field_name(FIELD_step_method)) == 0)
            fitting->items[fitting->count++] = stretch[i];
    }
    arena_rewind(loading->arena, mark);
    return true;
}

bool gate_pool_fitting(struct gate_loading *loading, const struct profile_ids *ids, size_t max,
                       size_t *at, struct profile_ids *ret_fitting, struct err *err)
{
    size_t left = ids->count - *at;
    *ret_fitting = (struct profile_ids){ids->items + *at, left};
    if (ids->count <= POOL_PROFILES_MAX) {
        *at = ids->count;
        return true;
    }
    max = max < POOL_PROFILES_MAX ? max : POOL_PROFILES_MAX;
    *ret_fitting = (struct profile_ids){arena_array(loading->arena, int64_t, max), 0};
    while (*at < ids->count && ret_fitting->count < max) {
        if (!stretch_fit(loading, ids, max, at, ret_fitting, err))
            return false;
    }
    return true;
}

void gate_pool_beyond(struct gate_loading *loading, const struct profile_ids *ids, size_t at)
{
    if (at >= ids->count)
        return;
    loading->unreadable.are_beyond = true;
    loading->unreadable.beyond_count = ids->count - at;
    loading->unreadable.beyond_first = ids->items[at];
}

/* Turns: those that are known already, and the commit's. */
static bool commit_pool(struct gate_loading *loading, struct profile_ids *turns, struct err *err)
{
    struct profile_ids found, in_turns, all, own;
    bool are_turns =
        turns->count > 0 && gate_profile_is_held(&loading->candidates, turns->items[0]);
    if (!gate_pool_profiles(loading, &found, err) ||
        !ledger_turn_profiles(loading->flow->db, &found, loading->arena, &in_turns, err))
        return false;
    all = (struct profile_ids){arena_array(loading->arena, int64_t, turns->count + in_turns.count),
                               0};
    own = (struct profile_ids){arena_array(loading->arena, int64_t, found.count), 0};
    for (size_t i = 0; i < turns->count; i++)
        all.items[all.count++] = turns->items[i];
    for (size_t i = 0; i < found.count; i++) {
        int64_t id = found.items[i];
        if (gate_profile_is_held(&loading->candidates, id) || gate_ids_hold(&all, id))
            continue;
        if (!gate_ids_hold(&in_turns, id))
            own.items[own.count++] = id;
        else if (!are_turns)
            all.items[all.count++] = id;
    }
    *turns = all;
    /* Takes the newest that can be compared. Who may store profiles may store many: what
     * cannot be compared or read takes no other's place, and of large ones the smallest are
     * loaded first, and what does not fit then is left out. */
    size_t at = 0, loaded = 0, named = loading->candidates.count;
    while (at < own.count && loaded < POOL_DOCUMENTS_MAX) {
        struct profile_ids fitting, sorted;
        size_t wanted = POOL_PROFILES_MAX - (loading->candidates.count - named);
        size_t most = POOL_DOCUMENTS_MAX - loaded;
        if (wanted == 0)
            break;
        if (!gate_pool_fitting(loading, &own, wanted < most ? wanted : most, &at, &fitting, err) ||
            !ledger_ids_by_size(loading->flow->db, &fitting, loading->arena, &sorted, err))
            return false;
        loaded += sorted.count;
        for (size_t i = 0; i < sorted.count; i++) {
            if (!profile_pool(loading, sorted.items[i], err))
                return false;
        }
    }
    gate_pool_beyond(loading, &own, at);
    return true;
}

/* Those of the baseline, in the arena. */
static bool baseline_ids(const struct gate_loading *loading, struct profile_ids *ret_ids,
                         struct err *err)
{
    const struct gate_side *past = &loading->sides.baseline;
    struct profile_ids ids = {arena_array(loading->arena, int64_t, past->profile_count), 0};
    for (size_t i = 0; i < past->profile_count; i++) {
        if (!text_parse_i64(past->profiles[i].profile_id + 1, &ids.items[ids.count++]))
            return err_set(err, ERR_BUG, "'%s' is no profile", past->profiles[i].profile_id);
    }
    *ret_ids = ids;
    return true;
}

bool gate_pool_attempts(struct gate_loading *loading, struct err *err)
{
    struct judged_profiles judged = {.candidates = candidate_ids(loading),
                                     .apart = loading->apart,
                                     .in_pairs = loading->job->paired,
                                     .against = loading->sides.against};
    if (loading->commit == NULL)
        return true;
    bool is_past = loading->job->baselines.count == 0, is_named = judged.against.count == 0;
    if ((is_past && !baseline_ids(loading, &judged.past, err)) ||
        (is_named && !baseline_ids(loading, &judged.named, err)) ||
        (judged.in_pairs && !gate_pool_profiles(loading, &judged.others, err)) ||
        !policies_find(loading, &judged, err))
        return false;
    return ledger_earlier_verdicts(loading->flow->db, &judged, loading->arena,
                                   &loading->sides.earlier, err);
}

bool gate_pool(struct gate_loading *loading, size_t *ret_named, struct err *err)
{
    struct profile_ids turns = {0};
    if (!turns_part(loading, &turns, err))
        return false;
    *ret_named = loading->candidates.count;
    if (!gate_pool_commit(loading, err) ||
        (loading->commit != NULL && !commit_pool(loading, &turns, err)))
        return false;
    const char *why = loading->candidate_why;
    if (loading->commit != NULL) {
        loading->apart = turns;
        if (loading->candidates.count > *ret_named)
            why = gate_pool_why(loading, "runs");
        why = gate_unreadable_why(loading->arena, why, &loading->unreadable);
    }
    loading->candidate_why = turns_say(loading, &turns, why);
    return true;
}
