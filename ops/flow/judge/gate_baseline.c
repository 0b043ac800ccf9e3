/* Implements the choice of a baseline as a walk over the branch's runs, away from the candidate. */
#include "ops/flow/judge/gate_baseline.h"

#include "history/verdicts/verdicts.h"
#include "ops/flow/judge/branch_level.h"
#include "ops/flow/judge/gate_pairs.h"
#include "ops/flow/judge/gate_pool.h"
#include "ops/runtime/log.h"
#include "ops/runtime/text.h"

#include <string.h>

enum {
    RECENT_RUNS = 20,    /* loaded whole: they explain a verdict; all others are brief */
    WHOLE_SHARE = 2,     /* of the budget, 1 / WHOLE_SHARE stays free of whole documents */
    WALK_PROFILES = 128, /* briefs that are asked for at once */
};

/* A walk: the comparable runs, nearest to the candidate first: those of today newest first. */
struct walk {
    struct gate_loading *loading;
    struct gate_profile *kept;
    size_t kept_count;
    struct branch_level level;
    struct profile_ids named; /* the baseline that was named; none: it is the branch's */
    int64_t run_count;        /* comparable runs met so far */
    double flops;             /* per step, of the first that is whole; 0: not known */
    const char *last_run;
    bool is_full;  /* more runs were there than are wanted */
    bool is_short; /* of memory for whole documents */
    struct gate_unreadable unreadable;
    size_t passed_count;      /* profiles that cannot be compared */
    int64_t passed_id;        /* the first of them */
    const char *passed_field; /* and what is in its way */
    size_t looked_into;       /* documents whose brief tells other steps */
};

/* ---- one profile ----------------------------------------------------------------------------- */

static void walk_pass(struct walk *walk, int64_t id, const char *field)
{
    if (walk->passed_count++ > 0)
        return;
    walk->passed_id = id;
    walk->passed_field = field;
}

/* What is in the way of comparing it; NULL: nothing. */
static const char *walk_field(const struct walk *walk, const struct ledger_profile *profile)
{
    const struct gate_loading *loading = walk->loading;
    const char *field;
    return gate_can_compare(&profile->summary, &loading->candidates.items[0].summary,
                            &loading->rules, loading->arena, &field)
               ? NULL
               : field;
}

/* The document in the place of the brief; forgotten again when it cannot be compared. */
static bool walk_whole(struct walk *walk, int64_t id, struct gate_profile *ret_profile,
                       bool *ret_fits, struct err *err)
{
    struct arena *arena = walk->loading->arena;
    struct arena_mark mark = arena_mark(arena);
    struct ledger_profile *profile = arena_new(arena, struct ledger_profile);
    if (!gate_profile_load(walk->loading, id, &walk->unreadable, profile, ret_fits, err))
        return false;
    const char *field = *ret_fits ? walk_field(walk, profile) : NULL;
    if (field != NULL) {
        walk_pass(walk, id, field);
        arena_rewind(arena, mark);
        *ret_fits = false;
    } else if (*ret_fits) {
        *ret_profile = gate_profile_make(arena, profile);
        if (walk->flops <= 0)
            walk->flops = step_flops(&profile->summary).value;
    }
    return true;
}

/* What the brief lacks that the candidate is to be compared by; NULL: nothing. */
static const char *walk_lacks(const struct walk *walk, const struct ledger_brief *brief)
{
    const struct profile_page *candidates = &walk->loading->candidates;
    bool are_memory = true;
    for (size_t i = 0; i < candidates->count; i++)
        are_memory &= summary_is_memory(&candidates->items[i].summary);
    if (are_memory)
        return brief->measures[MEASURE_device_memory].set ? NULL : "it tells no device memory";
    return summary_is_memory(&brief->profile.summary) ? "it tells no times" : NULL;
}

/* Who may store profiles may store many that are large: then the others are told by their briefs.
 */
static bool has_room(struct walk *walk)
{
    const struct arena *arena = walk->loading->arena;
    bool has = arena_left_bytes(arena) >= arena->budget_bytes / WHOLE_SHARE;
    if (!has && !walk->is_short)
        log_event(LOG_WARN, LOG_input_warning, "why",
                  "the documents of the baseline's nearest runs take half of max_memory_mb: other "
                  "runs are judged by what is kept of each beside its document, without ops",
                  NULL);
    walk->is_short |= !has;
    return has;
}

static bool walk_profile(struct walk *walk, const struct ledger_brief *brief, struct err *err)
{
    int64_t id = brief->profile.id;
    bool fits = true,
         is_new = walk->last_run == NULL || strcmp(walk->last_run, brief->profile.run) != 0;
    struct gate_profile kept;
    if (is_new && walk->run_count >= walk->loading->job->last) {
        walk->is_full = true;
        return true;
    }
    bool is_recent = walk->run_count + is_new <= RECENT_RUNS && has_room(walk);
    const char *field = walk_lacks(walk, brief);
    if (field == NULL) {
        field = walk_field(walk, &brief->profile);
        /* A brief tells its first method of steps alone: by another one, which only the document
         * holds, it may be comparable all the same. So many documents are looked into. */
        if (field != NULL && is_recent &&
            strcmp(field, provenance_field_name(FIELD_step_method)) == 0 &&
            walk->looked_into++ < RECENT_RUNS)
            field = NULL;
    }
    /* A brief has no ops to compare: it did other work than the nearest runs when the operations
     * of its step are others by more than a compiler would make of them. */
    if (field == NULL && !is_recent &&
        walk->loading->rules.policy->provenance[FIELD_work] == PROVENANCE_STRICT &&
        gate_flops_differ(gate_step_flops(&brief->profile.summary), walk->flops))
        field = "work";
    if (field != NULL) {
        walk_pass(walk, id, field);
        return true;
    }
    if (is_recent) {
        if (!walk_whole(walk, id, &kept, &fits, err))
            return false;
    } else {
        kept = gate_profile_make(walk->loading->arena, &brief->profile);
        kept.measures = brief->measures;
    }
    if (!fits)
        return true;
    walk->run_count += is_new;
    walk->last_run = brief->profile.run;
    walk->kept[walk->kept_count++] = kept;
    return true;
}

static bool walk_stretch(struct walk *walk, const struct profile_place *places, size_t count,
                         struct err *err)
{
    struct gate_loading *loading = walk->loading;
    struct ledger_brief *briefs;
    int64_t ids[WALK_PROFILES];
    size_t held = 0;
    for (size_t i = 0; i < count; i++) {
        if (places[i].archived)
            walk_pass(walk, places[i].id, "archived");
        else
            ids[held++] = places[i].id;
    }
    if (!ledger_load_stored_briefs(loading->flow->db, ids, held, loading->arena, &briefs, err))
        return false;
    for (size_t i = 0; i < held && !walk->is_full; i++) {
        if (briefs[i].changed != NULL)
            gate_profile_leave_out(ids[i], briefs[i].changed, &walk->unreadable);
        else if (!walk_profile(walk, &briefs[i], err))
            return false;
    }
    return arena_ok(loading->arena, "the baseline", err);
}

static bool walk_places(struct walk *walk, const struct place_list *places, struct err *err)
{
    walk->kept = arena_array(walk->loading->arena, struct gate_profile, places->count);
    for (size_t i = 0; i < places->count && !walk->is_full; i += WALK_PROFILES) {
        size_t left = places->count - i;
        if (!walk_stretch(walk, places->items + i, left < WALK_PROFILES ? left : WALK_PROFILES,
                          err))
            return false;
    }
    return true;
}

static struct gate_side walk_side(const struct walk *walk, const char *why)
{
    return (struct gate_side){walk->kept, walk->kept_count, why};
}

/* ---- what the baseline is -------------------------------------------------------------------- */

static void against_add(struct gate_loading *loading, const char *kind, const char *name)
{
    enum { KINDS = 2 };
    struct string_list *against = &loading->sides.against;
    if (against->items == NULL)
        against->items = arena_array(loading->arena, const char *, KINDS);
    against->items[against->count++] = arena_printf(loading->arena, "%s %s", kind, name);
}

/* What is named is a choice and no branch; of runs in turns the hour decides, and the branch says
 * what ran. */
static void named_tell(struct gate_loading *loading, const struct profile_page *page)
{
    const struct gate_job *job = loading->job;
    bool several, is_of_branch = job->paired;
    for (size_t i = 0; i < page->count; i++) {
        const struct ledger_profile *profile = &page->items[i];
        is_of_branch &=
            profile->branch != NULL && strcmp(profile->branch, job->baseline_branch) == 0;
        if (gate_commits_equal(loading->own_commit, profile->commit) &&
            !gate_is_dirty(&profile->summary))
            loading->sides.same_commit = loading->own_commit;
    }
    const char *commit = gate_held_commit(page, &several);
    if (is_of_branch)
        against_add(loading, "branch", job->baseline_branch);
    if (commit != NULL)
        against_add(loading, "commit", commit);
}

/* ---- the branch ------------------------------------------------------------------------------ */

static void mark_add(const char *word, const struct level_mark *mark, struct text *out)
{
    if (mark->rebaseline_id > 0)
        text_addf(out, " %s re-baseline r%lld", word, (long long)mark->rebaseline_id);
    if (mark->change_point_id > 0)
        text_addf(out, " %s change point k%lld", word, (long long)mark->change_point_id);
}

/* " since change point k5" into the text, and where the level ended; nothing when it is the series'
 * only one. */
static void bounds_add(const struct level_bounds *bounds, struct text *out)
{
    mark_add("since", &bounds->start, out);
    mark_add(bounds->start.profile_id > 0 ? "and before" : "before", &bounds->end, out);
    if (bounds->end.profile_id > 0)
        text_add(out, ", as the candidate was captured before that");
}

/* "; 3 profiles of the candidate's own commit were left out" into the text, where there are some,
 * and what makes them its past where hardly anything else is there. */
static void own_add(const struct walk *walk, struct text *out)
{
    const struct branch_level *level = &walk->level;
    char profiles[FORMAT_COUNTED_BYTES];
    if (level->own_count == 0)
        return;
    text_addf(out, "; %s of the candidate's own commit %s left out",
              format_counted((int64_t)level->own_count, "profile", profiles),
              level->own_count == 1 ? "was" : "were");
    if ((double)walk->run_count < walk->loading->rules.policy->min_past_runs)
        text_addf(out,
                  " (to compare a pinned commit with itself: `stepledger rebaseline %s --after "
                  "p%lld --reason ...`)",
                  walk->loading->sides.series, (long long)level->places.items[0].id);
}

/* "; 2 runs were left out, for profiles of the candidate or its commit bear their names (nightly:
 * p12)" into the text, where there are such: who stores a profile under the name of a run must not
 * take it away in silence. A named baseline's own runs are no news. */
static void namesakes_add(const struct walk *walk, const char *of, struct text *out)
{
    const struct namesake_list *list = &walk->level.namesakes;
    const struct namesake *first = NULL;
    int64_t count = 0;
    char runs[FORMAT_COUNTED_BYTES];
    for (size_t i = 0; i < list->count; i++) {
        if (gate_ids_hold(&walk->named, list->items[i].id))
            continue;
        first = first == NULL ? &list->items[i] : first;
        count++;
    }
    if (first == NULL)
        return;
    text_addf(out,
              "; %s%s %s left out, because profiles of the candidate or its commit bear %s on the "
              "same branch (%.100s: p%lld)",
              of, format_counted(count, "run", runs), count == 1 ? "was" : "were",
              count == 1 ? "its name" : "their names", first->run, (long long)first->id);
}

static const char *why_of_walk(const struct walk *walk)
{
    const struct gate_job *job = walk->loading->job;
    scoped_text why;
    text_init(&why, 1 << 12);
    char runs[FORMAT_COUNTED_BYTES];
    if (walk->run_count == 0)
        text_addf(&why, "no run of branch %.200s is comparable", job->baseline_branch);
    else
        text_addf(&why, "%s %s of branch %.200s%s",
                  !walk->is_full           ? "all"
                  : walk->level.has_behind ? "the"
                                           : "the newest",
                  format_counted(walk->run_count, "comparable run", runs), job->baseline_branch,
                  walk->is_full && walk->level.has_behind ? " next to the candidate" : "");
    bounds_add(&walk->level.bounds, &why);
    if (walk->level.is_own)
        text_add(&why, ", which has no run of another commit than the candidate's");
    if (walk->passed_count > 0)
        text_addf(&why, "; %zu profile%s that cannot be compared %s passed over (p%lld: %s)",
                  walk->passed_count, walk->passed_count == 1 ? "" : "s",
                  walk->passed_count == 1 ? "was" : "were", (long long)walk->passed_id,
                  walk->passed_field);
    own_add(walk, &why);
    namesakes_add(walk, "", &why);
    return gate_unreadable_why(walk->loading->arena, text_keep_start(&why, walk->loading->arena),
                               &walk->unreadable);
}

static bool no_baseline(const struct walk *walk, struct err *err)
{
    const struct gate_job *job = walk->loading->job;
    scoped_text since, left_out;
    text_init(&since, 1 << 8);
    text_init(&left_out, 1 << 9);
    bounds_add(&walk->level.bounds, &since);
    namesakes_add(walk, "", &left_out);
    bool is_first = since.length == 0;
    return err_set(err, ERR_MISSING,
                   "no baseline: project '%s', workload '%s' has no %sprofile of branch '%s'%s%s; "
                   "ingest some%s%s, or name one with --baseline",
                   job->project, job->workload, is_first ? "other " : "", job->baseline_branch,
                   text_shown(&since), text_shown(&left_out), is_first ? " with --branch " : "",
                   is_first ? job->baseline_branch : "");
}

/* Only incomparable ones: the nearest of them, so that the verdict says what is in the way. */
static bool incomparable_load(struct gate_loading *loading, const struct place_list *places,
                              const char *why, struct err *err)
{
    enum { SHOWN_RUNS = 10 };
    struct profile_page page = {
        arena_array(loading->arena, struct ledger_profile, places->count + 1), 0};
    int64_t runs = 0, archived_id = 0;
    bool is_readable;
    struct gate_unreadable left_out = {0}; /* the walk has told them */
    for (size_t i = 0; i < places->count; i++) {
        if (places->items[i].archived) {
            archived_id = archived_id != 0 ? archived_id : places->items[i].id;
            continue;
        }
        runs += i == 0 || strcmp(places->items[i].run, places->items[i - 1].run) != 0;
        if (runs > SHOWN_RUNS) {
            why = arena_printf(loading->arena, "%s; %d of these runs are listed", why, SHOWN_RUNS);
            break;
        }
        if (!gate_profile_load(loading, places->items[i].id, &left_out, &page.items[page.count],
                               &is_readable, err))
            return false;
        page.count += is_readable;
    }
    if (page.count > 0) {
        loading->sides.baseline = gate_side_make(loading, &page, why);
        return true;
    }
    if (archived_id != 0) /* loading it says where it is */
        return ledger_load_profile(loading->flow->db, archived_id, loading->arena, &page.items[0],
                                   err);
    return err_set(err, left_out.count > 0 ? ERR_INPUT : ERR_MISSING, "no baseline: %s", why);
}

static bool baseline_of_branch(struct gate_loading *loading, struct err *err)
{
    struct walk walk = {.loading = loading};
    const struct place_list *places = &walk.level.places;
    if (!branch_level_find(loading, 0, LEVEL_HAS_OWN_ALONE, &walk.level, err) ||
        !walk_places(&walk, places, err))
        return false;
    if (places->count == 0)
        return no_baseline(&walk, err);
    const char *why = why_of_walk(&walk);
    if (walk.kept_count == 0)
        return incomparable_load(loading, places, why, err);
    if (walk.level.is_own) {
        loading->sides.same_commit = loading->own_commit;
        loading->sides.is_own_past = true;
    }
    loading->sides.baseline = walk_side(&walk, why);
    against_add(loading, "branch", loading->job->baseline_branch);
    return true;
}

/* ---- what is named --------------------------------------------------------------------------- */

/* The past of the branch tells how much runs vary, also for a baseline that was named: that page's
 * profiles, which were chosen as `why` says. */
static bool history_load(struct gate_loading *loading, const struct profile_page *page,
                         const char *why, int64_t before_id, struct err *err)
{
    struct walk walk = {.loading = loading,
                        .named = {arena_array(loading->arena, int64_t, page->count), page->count}};
    scoped_text told;
    text_init(&told, 1 << 12);
    for (size_t i = 0; i < page->count; i++)
        walk.named.items[i] = page->items[i].id;
    if (!branch_level_find(loading, before_id, LEVEL_HAS_NO_OWN, &walk.level, err) ||
        !walk_places(&walk, &walk.level.places, err))
        return false;
    text_add(&told, why);
    namesakes_add(&walk, "of the past that tells how runs vary ", &told);
    loading->sides.baseline.why = text_keep_start(&told, loading->arena);
    loading->sides.history = walk_side(&walk, before_id > 0 ? "runs before the baseline"
                                                            : "other runs of the baseline branch");
    return true;
}

static bool baseline_by_name(struct gate_loading *loading, struct err *err)
{
    const struct gate_job *job = loading->job;
    const struct profile_identity identity = {
        .project = job->project,
        .workload = job->workload,
        .known_stands = job->reading == NULL || !job->reading->was_asked,
    };
    struct profile_page page = {0};
    if (!gate_names_load(loading, &job->baselines, &identity, &page, err))
        return false;
    size_t named = page.count;
    if (job->paired && !gate_pairs_pool(loading, &page, err))
        return false;
    const char *why = page.count > named
                          ? "the baseline that was named, and that of earlier pairs of the commit"
                          : "the baseline that was named";
    named_tell(loading, &page);
    loading->sides.baseline = gate_side_make(loading, &page, why);
    return history_load(loading, &page, why, 0, err);
}

static bool baseline_of_merge_base(struct gate_loading *loading, struct err *err)
{
    const struct gate_job *job = loading->job;
    const struct profile_reference reference = {job->project, job->workload, job->merge_base};
    struct profile_page page;
    if (!gate_resolve(loading, &reference, &page, err))
        return err->kind == ERR_MISSING
                   ? err_set(err, ERR_MISSING,
                             "no baseline: the ledger holds no profile of merge base '%s' "
                             "(project '%s', workload '%s'); profile that commit, or leave out "
                             "--merge-base to compare with the last runs of branch '%s'",
                             job->merge_base, job->project, job->workload, job->baseline_branch)
                   : false;
    const char *why = arena_printf(loading->arena, "the runs of merge base %s", job->merge_base);
    int64_t oldest = page.items[page.count - 1].id; /* newest first */
    named_tell(loading, &page);
    loading->sides.baseline = gate_side_make(loading, &page, why);
    return history_load(loading, &page, why, oldest, err);
}

bool gate_baseline_load(struct gate_loading *loading, struct err *err)
{
    if (loading->job->merge_base != NULL)
        return baseline_of_merge_base(loading, err);
    return loading->job->baselines.count > 0 ? baseline_by_name(loading, err)
                                             : baseline_of_branch(loading, err);
}
