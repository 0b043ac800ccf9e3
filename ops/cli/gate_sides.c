/* Loads the candidate and what was named; everything that a verdict rests on comes out of the
 * ledger. The baseline's choice is in gate_baseline.c. */
#include "ops/cli/gate_sides.h"

#include "ops/cli/gate_baseline.h"
#include "ops/cli/gate_pool.h"
#include "ops/cli/intake.h"

#include <string.h>
#include <unistd.h>

/* ---- names ----------------------------------------------------------------------------------- */

bool gate_profile_is_held(const struct profile_page *page, int64_t id)
{
    for (size_t i = 0; i < page->count; i++) {
        if (page->items[i].id == id)
            return true;
    }
    return false;
}

/* Grows by one at a time: names are few. */
bool gate_profile_add(struct gate_loading *loading, const struct ledger_profile *profile,
                      struct profile_page *page, struct err *err)
{
    if (gate_profile_is_held(page, profile->id))
        return true;
    struct ledger_profile *items =
        arena_array(loading->arena, struct ledger_profile, page->count + 1);
    int64_t *excluded = arena_grow(loading->arena, loading->excluded, loading->excluded_count,
                                   &loading->excluded_capacity, sizeof *excluded);
    if (items == NULL || excluded == NULL)
        return arena_failed(loading->arena, "the profiles", err);
    for (size_t i = 0; i < page->count; i++)
        items[i] = page->items[i];
    items[page->count++] = *profile;
    page->items = items;
    loading->excluded = excluded;
    excluded[loading->excluded_count++] = profile->id;
    return true;
}

/* What a path holds, in the place of the path. */
static bool path_load(struct gate_loading *loading, const struct intake *intake, size_t operand,
                      struct profile_page *page, struct err *err)
{
    for (size_t i = 0; i < intake->count; i++) {
        struct ledger_profile profile;
        if (intake->items[i].operand != operand)
            continue;
        if (!ledger_load_profile(loading->db, intake->items[i].receipt.id, loading->arena, &profile,
                                 err) ||
            !gate_profile_add(loading, &profile, page, err))
            return false;
    }
    return true;
}

static bool is_path(const struct gate_loading *loading, const char *name)
{
    return loading->job->judgement == NULL && access(name, F_OK) == 0;
}

/* The paths among the names, which may be hosts of each other. A profile that cannot be read ends
 * the gate: judging the rest would be a verdict on something else. */
static bool paths_take(const struct gate_loading *loading, const struct string_list *names,
                       struct intake *intake, struct err *err)
{
    for (size_t i = 0; i < names->count; i++) {
        if (is_path(loading, names->items[i]) && !intake_collect(intake, names->items[i], err))
            return false;
    }
    if (intake->rejected_count == 0 && !intake_store(intake, err))
        return false;
    for (size_t i = 0; i < intake->count; i++) {
        if (intake->items[i].stored)
            continue;
        *err = intake->items[i].failure;
        return false;
    }
    return true;
}

static bool name_load(struct gate_loading *loading, const char *name, struct profile_page *page,
                      struct err *err)
{
    const struct profile_reference reference = {loading->job->project, loading->job->workload,
                                                name};
    struct profile_page found;
    if (!ledger_resolve(loading->db, &reference, loading->arena, &found, err))
        return err->kind != ERR_MISSING ? false : err_prefix(err, "'%s' is no file, and", name);
    for (size_t i = 0; i < found.count; i++) {
        if (found.items[i].retracted_at_utc != NULL)
            return err_set(err, ERR_INPUT, "%s was retracted (%.300s): nothing is judged by it",
                           name, found.items[i].reason);
        if (!gate_profile_add(loading, &found.items[i], page, err))
            return false;
    }
    return true;
}

bool gate_names_load(struct gate_loading *loading, const struct string_list *names,
                     const struct profile_identity *identity, struct profile_page *page,
                     struct err *err)
{
    struct intake intake = {.cli = loading->cli, .db = loading->db, .identity = *identity};
    if (!summarize_options(loading->cli, &intake.options, err))
        return false;
    /* What was collected is of the candidates' jobs. */
    if (names == &loading->job->candidates && loading->job->collection != NULL) {
        intake.options.collected = loading->job->collection->facts;
        intake.options.collected_count = loading->job->collection->count;
    }
    intake_begin(&intake);
    bool loaded = paths_take(loading, names, &intake, err);
    for (size_t i = 0, operand = 0; i < names->count && loaded; i++)
        loaded = is_path(loading, names->items[i])
                     ? path_load(loading, &intake, operand++, page, err)
                     : name_load(loading, names->items[i], page, err);
    intake_done(&intake);
    return loaded;
}

/* ---- sides ----------------------------------------------------------------------------------- */

bool gate_profile_make(struct arena *arena, const struct ledger_profile *held,
                       struct gate_profile *ret_profile, struct err *err)
{
    *ret_profile = (struct gate_profile){
        .profile_id = arena_printf(arena, "p%lld", (long long)held->id),
        .run = held->run,
        .branch = held->branch,
        .commit = held->commit,
        .label = held->label,
        .recorded_at_utc = held->recorded_at_utc,
        .summary = &held->summary,
    };
    return ret_profile->profile_id != NULL || arena_failed(arena, "the profiles", err);
}

bool gate_side_make(struct gate_loading *loading, const struct profile_page *page, const char *why,
                    struct gate_side *ret_side, struct err *err)
{
    struct gate_profile *profiles = arena_array(loading->arena, struct gate_profile, page->count);
    if (profiles == NULL)
        return arena_failed(loading->arena, "the profiles", err);
    for (size_t i = 0; i < page->count; i++) {
        if (!gate_profile_make(loading->arena, &page->items[i], &profiles[i], err))
            return false;
    }
    *ret_side = (struct gate_side){profiles, page->count, why};
    return true;
}

static bool differ(const char *said, const char *held)
{
    return said != NULL && held != NULL && strcmp(said, held) != 0;
}

bool gate_commits_differ(const char *said, const char *held)
{
    if (said == NULL || held == NULL)
        return false;
    size_t left = strlen(said), right = strlen(held);
    return strncmp(said, held, left < right ? left : right) != 0;
}

/* The job's id, which nobody may have told then, is no other name. */
static bool run_differs(const struct gate_job *job, const struct ledger_profile *held)
{
    bool is_collected = job->collection != NULL && job->run == job->collection->run;
    return !is_collected && differ(job->run, held->run);
}

static const char *known_as(struct arena *arena, const struct ledger_profile *held)
{
    const char *branch = held->branch != NULL ? held->branch : "";
    const char *commit = held->commit != NULL ? held->commit : "";
    return arena_printf(arena, "run %s%s%s%s%s", held->run, branch[0] != '\0' ? " of branch " : "",
                        branch, commit[0] != '\0' ? ", commit " : "", commit);
}

/* Marks candidates whose bytes the ledger holds under another branch, commit or run than is said
 * now. */
static bool known_mark(struct gate_loading *loading, size_t named_count, struct err *err)
{
    const struct gate_job *job = loading->job;
    struct gate_side *side = &loading->sides.candidate;
    struct gate_profile *profiles =
        arena_array(loading->arena, struct gate_profile, side->profile_count);
    if (profiles == NULL)
        return arena_failed(loading->arena, "the profiles", err);
    for (size_t i = 0; i < side->profile_count; i++) {
        const struct ledger_profile *held = &loading->candidates.items[i];
        profiles[i] = side->profiles[i];
        if (i >= named_count) /* the commit's other runs */
            continue;
        if (!differ(job->branch, held->branch) && !gate_commits_differ(job->commit, held->commit) &&
            !run_differs(job, held))
            continue;
        profiles[i].known_as = known_as(loading->arena, held);
        if (profiles[i].known_as == NULL)
            return arena_failed(loading->arena, "the profiles", err);
    }
    side->profiles = profiles;
    return true;
}

bool gate_sides_load(struct gate_loading *loading, struct err *err)
{
    const struct gate_job *job = loading->job;
    const struct code_origin *origin = &job->origin;
    const struct profile_identity identity = {
        .project = job->project,
        .workload = job->workload,
        .branch = origin->branch.value,
        .commit = origin->commit.value,
        .run = job->run,
        .label = job->label,
        .branch_is_implied = origin->branch.is_implied,
        .commit_is_implied = origin->commit.is_implied,
        .known_stands = !summarize_options_given(loading->cli) &&
                        (job->collection == NULL || job->collection->count == 0),
    };
    if (!gate_names_load(loading, &job->candidates, &identity, &loading->candidates, err))
        return false;
    size_t named_count = loading->candidates.count;
    loading->candidate_why = "the candidates that were named";
    loading->sides.series = loading->candidates.items[0].series;
    return (job->paired || gate_pool(loading, &named_count, err)) &&
           gate_baseline_load(loading, err) && /* of pairs, the partners of earlier ones too */
           gate_side_make(loading, &loading->candidates, loading->candidate_why,
                          &loading->sides.candidate, err) &&
           known_mark(loading, named_count, err);
}
