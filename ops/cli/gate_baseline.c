/* Implements the choice of a baseline as a walk over the branch's past, newest run first. */
#include "ops/cli/gate_baseline.h"

#include "history/decision.h"
#include "ops/runtime/text.h"

#include <string.h>

enum {
    HISTORY_RUNS = 20, /* beyond the baseline, to tell how much runs vary */
    WALK_RUNS = 200    /* how far back a comparable run is looked for */
};

/* A walk: the first `wanted` comparable runs are the baseline, the next ones its history. */
struct walk {
    struct gate_loading *loading;
    int64_t wanted;
    struct profile_page baseline, history;
    struct series_start start; /* of the level that is walked */
    int64_t run_count;         /* comparable runs met so far */
    const char *last_run;
    size_t passed_count;      /* profiles that cannot be compared */
    int64_t passed_id;        /* the newest of them */
    const char *passed_field; /* and what is in its way */
};

/* ---- one profile ----------------------------------------------------------------------------- */

static void walk_keep(struct walk *walk, const struct ledger_profile *profile)
{
    if (walk->last_run == NULL || strcmp(walk->last_run, profile->run) != 0)
        walk->run_count++;
    walk->last_run = profile->run;
    struct profile_page *page = walk->run_count <= walk->wanted ? &walk->baseline : &walk->history;
    page->items[page->count++] = *profile;
}

static void walk_pass(struct walk *walk, int64_t id, const char *field)
{
    if (walk->passed_count++ > 0)
        return;
    walk->passed_id = id;
    walk->passed_field = field;
}

/* Loads it, and forgets it again when it cannot be compared: documents are large. */
static bool walk_profile(struct walk *walk, const struct profile_place *place, struct err *err)
{
    int64_t id = place->id;
    struct gate_loading *loading = walk->loading;
    struct arena_mark mark = arena_mark(loading->arena);
    struct ledger_profile profile;
    const char *field;
    if (place->archived) {
        walk_pass(walk, id, "archived");
        return true;
    }
    if (!ledger_load_profile(loading->db, id, loading->arena, &profile, err))
        return false;
    if (gate_can_compare(&profile.summary, &loading->candidates.items[0].summary, &loading->rules,
                         loading->arena, &field)) {
        walk_keep(walk, &profile);
        return true;
    }
    if (field == NULL)
        return arena_failed(loading->arena, "the baseline", err);
    arena_rewind(loading->arena, mark);
    walk_pass(walk, id, field);
    return true;
}

static bool walk_places(struct walk *walk, const struct place_list *places, struct err *err)
{
    struct arena *arena = walk->loading->arena;
    walk->baseline.items = arena_array(arena, struct ledger_profile, places->count);
    walk->history.items = arena_array(arena, struct ledger_profile, places->count);
    if (walk->baseline.items == NULL || walk->history.items == NULL)
        return arena_failed(arena, "the baseline", err);
    for (size_t i = 0; i < places->count; i++) {
        bool full = walk->run_count >= walk->wanted + HISTORY_RUNS;
        if (full && strcmp(walk->last_run, places->items[i].run) != 0)
            break;
        if (!walk_profile(walk, &places->items[i], err))
            return false;
    }
    return true;
}

/* ---- the branch ------------------------------------------------------------------------------ */

/* " since change point k5" into the text; nothing when the series began with its level. */
static void start_add(const struct series_start *start, struct text *out)
{
    if (start->rebaseline_id > 0)
        text_addf(out, " since re-baseline r%lld", (long long)start->rebaseline_id);
    if (start->change_point_id > 0)
        text_addf(out, " since change point k%lld", (long long)start->change_point_id);
}

static const char *why_of_walk(const struct walk *walk)
{
    const struct gate_job *job = walk->loading->job;
    scoped_text why;
    text_init(&why, 1 << 12);
    text_addf(&why, "the last %lld comparable runs of branch %.200s", (long long)walk->wanted,
              job->baseline_branch);
    start_add(&walk->start, &why);
    if (walk->passed_count > 0)
        text_addf(&why, "; %zu profile%s that cannot be compared %s passed over (p%lld: %s)",
                  walk->passed_count, walk->passed_count == 1 ? "" : "s",
                  walk->passed_count == 1 ? "was" : "were", (long long)walk->passed_id,
                  walk->passed_field);
    return arena_strdup(walk->loading->arena, text_string(&why));
}

static bool no_baseline(const struct walk *walk, struct err *err)
{
    const struct gate_job *job = walk->loading->job;
    scoped_text since;
    text_init(&since, 1 << 8);
    start_add(&walk->start, &since);
    if (since.length > 0)
        return err_set(err, ERR_MISSING,
                       "no baseline: project '%s', workload '%s' has no profile of branch '%s'%s; "
                       "ingest some, or name one with --baseline",
                       job->project, job->workload, job->baseline_branch, text_string(&since));
    return err_set(err, ERR_MISSING,
                   "no baseline: project '%s', workload '%s' has no other profile of branch '%s'; "
                   "ingest some with --branch %s, or name one with --baseline",
                   job->project, job->workload, job->baseline_branch, job->baseline_branch);
}

/* Walks the branch inside one level of the candidate's series: the present one from its end
 * (before_id 0), or that in which the profile before_id stands, from there. */
static bool branch_walk(struct walk *walk, int64_t before_id, struct place_list *ret_places,
                        struct err *err)
{
    struct gate_loading *loading = walk->loading;
    const struct gate_job *job = loading->job;
    struct baseline_query query = {
        .project = job->project,
        .workload = job->workload,
        .branch = job->baseline_branch,
        .run_limit =
            WALK_RUNS > walk->wanted + HISTORY_RUNS ? WALK_RUNS : walk->wanted + HISTORY_RUNS,
        .exclude = loading->excluded,
        .exclude_count = loading->excluded_count,
        .before_id = before_id,
    };
    if (!ledger_series_start(loading->db, loading->sides.series, before_id, &walk->start, err))
        return false;
    query.since_id = walk->start.after_profile_id;
    return ledger_baseline_places(loading->db, &query, loading->arena, ret_places, err) &&
           walk_places(walk, ret_places, err);
}

static const char before_text[] = "runs before the baseline";

/* Only incomparable ones: the newest of them, so that the verdict says what is in the way. */
static bool incomparable_load(struct walk *walk, const struct place_list *places, struct err *err)
{
    struct profile_page *page = &walk->baseline;
    int64_t runs = 0;
    for (size_t i = 0; i < places->count; i++) {
        if (places->items[i].archived)
            continue;
        runs += i == 0 || strcmp(places->items[i].run, places->items[i - 1].run) != 0;
        if (runs > walk->wanted)
            break;
        if (!ledger_load_profile(walk->loading->db, places->items[i].id, walk->loading->arena,
                                 &page->items[page->count++], err))
            return false;
    }
    /* All of them are in archives: loading one says so. */
    return page->count > 0 || ledger_load_profile(walk->loading->db, places->items[0].id,
                                                  walk->loading->arena, &page->items[0], err);
}

static bool baseline_of_branch(struct gate_loading *loading, struct err *err)
{
    struct walk walk = {.loading = loading, .wanted = loading->job->last};
    struct place_list places;
    if (!branch_walk(&walk, 0, &places, err))
        return false;
    if (places.count == 0)
        return no_baseline(&walk, err);
    if (walk.baseline.count == 0 && !incomparable_load(&walk, &places, err))
        return false;
    const char *why = why_of_walk(&walk);
    if (why == NULL)
        return arena_failed(loading->arena, "the baseline", err);
    return gate_side_make(loading, &walk.baseline, why, &loading->sides.baseline, err) &&
           gate_side_make(loading, &walk.history, before_text, &loading->sides.history, err);
}

/* ---- what is named --------------------------------------------------------------------------- */

/* The past of the branch tells how much runs vary, also for a baseline that was named. */
static bool history_load(struct gate_loading *loading, int64_t before_id, struct err *err)
{
    struct walk walk = {.loading = loading};
    struct place_list places;
    return branch_walk(&walk, before_id, &places, err) &&
           gate_side_make(loading, &walk.history,
                          before_id > 0 ? before_text : "other runs of the baseline branch",
                          &loading->sides.history, err);
}

static bool baseline_by_name(struct gate_loading *loading, struct err *err)
{
    const struct gate_job *job = loading->job;
    const struct profile_identity identity = {.project = job->project, .workload = job->workload};
    struct profile_page page = {0};
    return gate_names_load(loading, &job->baselines, &identity, &page, err) &&
           gate_side_make(loading, &page, "the baseline that was named", &loading->sides.baseline,
                          err) &&
           history_load(loading, 0, err);
}

static bool baseline_of_merge_base(struct gate_loading *loading, struct err *err)
{
    const struct gate_job *job = loading->job;
    const struct profile_reference reference = {job->project, job->workload, job->merge_base};
    struct profile_page page;
    if (!ledger_resolve(loading->db, &reference, loading->arena, &page, err))
        return err->kind == ERR_MISSING
                   ? err_set(err, ERR_MISSING,
                             "no baseline: the ledger holds no profile of merge base '%s' "
                             "(project '%s', workload '%s'); profile that commit, or leave out "
                             "--merge-base to compare with the last runs of branch '%s'",
                             job->merge_base, job->project, job->workload, job->baseline_branch)
                   : false;
    const char *why = arena_printf(loading->arena, "the runs of merge base %s", job->merge_base);
    if (why == NULL)
        return arena_failed(loading->arena, "the baseline", err);
    int64_t oldest = page.items[page.count - 1].id; /* newest first */
    return gate_side_make(loading, &page, why, &loading->sides.baseline, err) &&
           history_load(loading, oldest, err);
}

bool gate_baseline_load(struct gate_loading *loading, struct err *err)
{
    if (loading->job->merge_base != NULL)
        return baseline_of_merge_base(loading, err);
    return loading->job->baselines.count > 0 ? baseline_by_name(loading, err)
                                             : baseline_of_branch(loading, err);
}
