/* Loads the candidate, what the ledger knows of its commit, and the baseline. */
#include "ops/flow/judge/gate_sides.h"

#include "ops/flow/judge/gate_baseline.h"
#include "ops/flow/judge/gate_pool.h"

#include <string.h>

static bool differ(const char *said, const char *held)
{
    return said != NULL && held != NULL && strcmp(said, held) != 0;
}

/* The job's id, which nobody may have told then, is no other name. */
static bool run_differs(const struct gate_job *job, const struct ledger_profile *held)
{
    bool is_collected = job->collection != NULL && job->run == job->collection->run;
    return !is_collected && differ(job->run, held->run);
}

/* Marks candidates whose bytes the ledger holds under another branch, commit or run than is said
 * now. The verdict is on the branch and the commit that are said: whoever asked waits for it there,
 * and the others have theirs. */
static void known_mark(struct gate_loading *loading, size_t named_count)
{
    const struct gate_job *job = loading->job;
    struct gate_side *side = &loading->sides.candidate;
    struct gate_profile *profiles =
        arena_array(loading->arena, struct gate_profile, side->profile_count);
    for (size_t i = 0; i < side->profile_count; i++) {
        const struct ledger_profile *held = &loading->candidates.items[i];
        bool other_branch = differ(job->branch, held->branch),
             other_commit = gate_commits_differ(job->commit, held->commit);
        profiles[i] = side->profiles[i];
        if (i >= named_count) /* the commit's other runs */
            continue;
        if (!other_branch && !other_commit && !run_differs(job, held))
            continue;
        bool has_branch = held->branch != NULL && held->branch[0] != '\0',
             has_commit = held->commit != NULL && held->commit[0] != '\0';
        profiles[i].known_as =
            arena_printf(loading->arena, "run %s%s%s%s%s", held->run,
                         has_branch ? " of branch " : "", has_branch ? held->branch : "",
                         has_commit ? ", commit " : "", has_commit ? held->commit : "");
        if (other_branch)
            profiles[i].branch = job->branch;
        if (other_commit)
            profiles[i].commit = job->commit;
    }
    side->profiles = profiles;
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
        .reason = job->reason,
        .by = job->reason_by,
        .branch_is_implied = origin->branch.is_implied,
        .commit_is_implied = origin->commit.is_implied,
        .known_stands = (job->reading == NULL || !job->reading->was_asked) &&
                        (job->collection == NULL || job->collection->count == 0),
    };
    if (!gate_names_load(loading, &job->candidates, &identity, &loading->candidates, err))
        return false;
    size_t named_count = loading->candidates.count;
    loading->candidate_why = "the candidates that were named";
    loading->sides.series = loading->candidates.items[0].series;
    if ((!job->paired && !gate_pool(loading, &named_count, err)) ||
        !gate_baseline_load(loading, err)) /* of pairs, the partners of earlier ones too */
        return false;
    loading->sides.candidate =
        gate_side_make(loading, &loading->candidates, loading->candidate_why);
    if (!gate_pool_attempts(loading, err))
        return false;
    known_mark(loading, named_count);
    return arena_ok(loading->arena, "the profiles", err);
}
