/* Implements the pooling of pairs. */
#include "ops/flow/judge/gate_pairs.h"

#include "history/verdicts/verdicts.h"
#include "ops/flow/judge/gate_pool.h"

#include <string.h>

/* The place of a profile's run among the runs of a page; the count of runs when it is none. */
static size_t run_place(const struct profile_page *page, const char *run)
{
    size_t place = 0;
    for (size_t i = 0; i < page->count; i++) {
        bool seen = false;
        for (size_t j = 0; j < i && !seen; j++)
            seen = strcmp(page->items[j].run, page->items[i].run) == 0;
        if (seen)
            continue;
        if (run != NULL && strcmp(page->items[i].run, run) == 0)
            return place;
        place++;
    }
    return place;
}

/* A pair while it is looked at: rows[0..count) of the ledger's answer, loaded. */
struct paired_runs {
    const struct paired_profile *rows;
    struct ledger_profile *profiles;
    size_t count;
};

enum pair_fate { PAIR_IS_HELD, PAIR_FITS, PAIR_STANDS_APART, PAIR_CANNOT_BE_COMPARED };

/* A pair whose runs are new on both sides, or captures of runs that are a pair here, can be added:
 * some of these may take part already. */
static bool places_agree(const struct gate_loading *loading, const struct profile_page *baseline,
                         const struct paired_runs *pair)
{
    size_t before = run_place(baseline, NULL), after = before;
    for (size_t i = 0; i < pair->count; i++) {
        if (pair->rows[i].is_candidate)
            after = run_place(&loading->candidates, pair->profiles[i].run);
        else
            before = run_place(baseline, pair->profiles[i].run);
    }
    return before == after;
}

/* Partners that nobody named may be any code: they are no partners of known code's. */
static bool is_same_code(const char *left, const char *right)
{
    return (left == NULL) == (right == NULL) && !gate_commits_differ(left, right);
}

/* *ret_fits: it can be read, and compared with the candidates. */
static bool profile_load(struct gate_loading *loading, int64_t id,
                         struct ledger_profile *ret_profile, bool *ret_fits, struct err *err)
{
    const char *field;
    if (!gate_profile_load(loading, id, &loading->unreadable, ret_profile, ret_fits, err))
        return false;
    struct arena_mark mark = arena_mark(loading->arena);
    *ret_fits = *ret_fits &&
                gate_can_compare(&ret_profile->summary, &loading->candidates.items[0].summary,
                                 &loading->rules, loading->arena, &field) &&
                !gate_is_dirty(&ret_profile->summary);
    arena_rewind(loading->arena, mark);
    return true;
}

/* Loads the pair's profiles unless all of them take part already. */
static bool pair_load(struct gate_loading *loading, const struct profile_page *baseline,
                      struct paired_runs *pair, enum pair_fate *ret_fate, struct err *err)
{
    size_t held = 0;
    for (size_t i = 0; i < pair->count; i++)
        held += gate_profile_is_held(pair->rows[i].is_candidate ? &loading->candidates : baseline,
                                     pair->rows[i].profile_id);
    *ret_fate = held == pair->count ? PAIR_IS_HELD : PAIR_FITS;
    if (*ret_fate == PAIR_IS_HELD)
        return true;
    pair->profiles = arena_array(loading->arena, struct ledger_profile, pair->count);
    for (size_t i = 0; i < pair->count; i++) {
        struct ledger_profile *profile = &pair->profiles[i];
        bool fits;
        if (!profile_load(loading, pair->rows[i].profile_id, profile, &fits, err))
            return false;
        if (!fits)
            *ret_fate = PAIR_CANNOT_BE_COMPARED;
        else if (*ret_fate == PAIR_FITS && !pair->rows[i].is_candidate &&
                 !is_same_code(baseline->items[0].commit, profile->commit))
            *ret_fate = PAIR_STANDS_APART;
    }
    if (*ret_fate == PAIR_FITS && !places_agree(loading, baseline, pair))
        *ret_fate = PAIR_STANDS_APART;
    return true;
}

/* loading->apart gets the candidates of pairs that stand apart. */
static bool pairs_add(struct gate_loading *loading, const struct paired_profiles *rows,
                      struct profile_page *baseline, struct err *err)
{
    struct profile_ids *apart = &loading->apart;
    apart->items = arena_array(loading->arena, int64_t, rows->count);
    for (size_t i = 0, end; i < rows->count; i = end) {
        for (end = i + 1; end < rows->count && rows->items[end].pair == rows->items[i].pair &&
                          rows->items[end].verdict_id == rows->items[i].verdict_id;)
            end++;
        struct paired_runs pair = {.rows = &rows->items[i], .count = end - i};
        struct arena_mark mark = arena_mark(loading->arena);
        enum pair_fate fate;
        if (!pair_load(loading, baseline, &pair, &fate, err))
            return false;
        if (fate != PAIR_FITS)
            arena_rewind(loading->arena, mark);
        for (size_t j = 0; j < pair.count; j++) {
            bool is_candidate = pair.rows[j].is_candidate;
            if (fate == PAIR_FITS)
                gate_profile_add(loading, &pair.profiles[j],
                                 is_candidate ? &loading->candidates : baseline);
            else if (fate == PAIR_STANDS_APART && is_candidate)
                apart->items[apart->count++] = pair.rows[j].profile_id;
        }
    }
    return arena_ok(loading->arena, "the pairs", err);
}

/* What the ledger has of the commit, and what was named. */
static bool commit_ids(struct gate_loading *loading, struct profile_ids *ret_ids, struct err *err)
{
    struct profile_ids found;
    const struct profile_page *named = &loading->candidates;
    if (!gate_pool_profiles(loading, &found, err))
        return false;
    struct profile_ids ids = {arena_array(loading->arena, int64_t, found.count + named->count), 0};
    for (size_t i = 0; i < named->count; i++)
        ids.items[ids.count++] = named->items[i].id;
    for (size_t i = 0; i < found.count; i++)
        ids.items[ids.count++] = found.items[i];
    *ret_ids = ids;
    return true;
}

/* Runs that could be judged here, if anybody said beside which they ran. */
static bool left_out_find(struct gate_loading *loading, const struct profile_ids *ids,
                          struct err *err)
{
    struct profile_ids unjudged, fitting;
    struct string_list *left_out = &loading->sides.left_out;
    size_t looked_at = 0;
    if (!ledger_unjudged_profiles(loading->flow->db, ids, loading->arena, &unjudged, err) ||
        !gate_pool_fitting(loading, &unjudged, unjudged.count, &looked_at, &fitting, err))
        return false;
    gate_pool_beyond(loading, &unjudged, looked_at);
    left_out->items = arena_array(loading->arena, const char *, fitting.count);
    for (size_t i = fitting.count; i-- > 0;) {
        int64_t id = fitting.items[i];
        struct ledger_profile profile;
        bool fits;
        if (gate_profile_is_held(&loading->candidates, id))
            continue;
        struct arena_mark mark = arena_mark(loading->arena);
        if (!profile_load(loading, id, &profile, &fits, err))
            return false;
        arena_rewind(loading->arena, mark);
        if (!fits)
            continue;
        left_out->items[left_out->count++] = arena_printf(loading->arena, "p%lld", (long long)id);
    }
    return true;
}

bool gate_pairs_pool(struct gate_loading *loading, struct profile_page *baseline, struct err *err)
{
    size_t named = loading->candidates.count;
    struct profile_ids ids;
    struct paired_profiles rows;
    size_t before = run_place(baseline, NULL), after = run_place(&loading->candidates, NULL);
    if (before != after)
        return err_set(err, ERR_USAGE,
                       "--paired: %zu baseline run%s and %zu candidate run%s are no "
                       "pairs",
                       before, before == 1 ? "" : "s", after, after == 1 ? "" : "s");
    if (!gate_pool_commit(loading, err))
        return false;
    if (loading->commit == NULL)
        return true;
    if (!commit_ids(loading, &ids, err) ||
        !ledger_earlier_pairs(loading->flow->db, &ids, loading->arena, &rows, err) ||
        !pairs_add(loading, &rows, baseline, err) || !left_out_find(loading, &ids, err))
        return false;
    if (loading->candidates.count > named)
        loading->candidate_why = gate_pool_why(loading, "pairs");
    loading->candidate_why =
        gate_unreadable_why(loading->arena, loading->candidate_why, &loading->unreadable);
    return true;
}
