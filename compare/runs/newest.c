/* Implements the rows of the newest runs, and what is said of them. */
#include "compare/runs/newest.h"

#include "compare/runs/runs.h"
#include "compare/statistics/statistics.h"

#include <stdio.h>

/* "main's newest run m20 (commit 0123abcd)", "the baseline's newest 2 runs" */
static const char *newest_name(struct gate_state *judgement, const struct gate_run *run,
                               size_t count)
{
    const struct gate_profile *profile = run->profiles[0];
    char name[NAME_TEXT_BYTES], branch[NAME_TEXT_BYTES], commit[NAME_TEXT_BYTES];
    const char *of = profile->branch == NULL ? "the baseline" : name_text(profile->branch, branch);
    if (count > 1)
        return arena_printf(judgement->arena, "%s's newest %zu runs", of, count);
    if (profile->commit == NULL)
        return arena_printf(judgement->arena, "%s's newest run %s", of, name_text(run->id, name));
    return arena_printf(judgement->arena, "%s's newest run %s (commit %s)", of,
                        name_text(run->id, name), name_text(profile->commit, commit));
}

void newest_keep(struct gate_state *judgement, size_t first, size_t count, const bool *gone)
{
    struct placed_run *rows =
        arena_array(judgement->arena, struct placed_run, judgement->timeline_count);
    const struct gate_run *run = NULL;
    size_t kept = 0;
    for (size_t i = 0; i < judgement->timeline_count; i++) {
        const struct placed_run *placed = &judgement->timeline[i];
        bool is_past = placed->role == RUN_PAST, is_newest = is_past && placed->number >= first;
        if (placed->role == RUN_OTHER || (gone != NULL && gone[i] && !is_newest))
            continue;
        run = is_newest && run == NULL ? &placed->run : run;
        rows[kept] = *placed;
        rows[kept++].role = is_past && !is_newest ? RUN_OTHER : placed->role;
    }
    if (run == NULL)
        return;
    judgement->newest_timeline = rows;
    judgement->newest_timeline_count = kept;
    judgement->newest_count = count;
    judgement->newest_name = newest_name(judgement, run, count);
}

struct placed_run *newest_before(const struct gate_state *judgement)
{
    static const enum run_role turned[] = {
        [RUN_PAST] = RUN_OTHER, [RUN_OTHER] = RUN_PAST, [RUN_CANDIDATE] = RUN_CANDIDATE};
    struct placed_run *rows =
        arena_array(judgement->arena, struct placed_run, judgement->newest_timeline_count);
    for (size_t i = 0; i < judgement->newest_timeline_count; i++) {
        rows[i] = judgement->newest_timeline[i];
        rows[i].role = turned[rows[i].role];
    }
    return rows;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* "+5.0 %, 95 % interval +4.1..+6.0 %" */
static void change_words(const struct newest_change *change, char *buffer, size_t size)
{
    (void)snprintf(buffer, size, "%+.1f %%, 95 %% interval %+.1f..%+.1f %%",
                   format_zero(stats_percent(change->change), 1),
                   format_zero(stats_percent(change->low), 1),
                   format_zero(stats_percent(change->high), 1));
}

const char *newest_before_words(const struct gate_state *judgement, char *buffer)
{
    char change[NEWEST_WORDS_BYTES / 2];
    size_t runs = 0;
    for (size_t i = 0; i < judgement->newest_timeline_count; i++)
        runs += judgement->newest_timeline[i].role == RUN_OTHER;
    buffer[0] = '\0';
    change_words(&judgement->newest_against[1], change, sizeof change);
    if (judgement->newest_against[1].is_known)
        (void)snprintf(buffer, NEWEST_WORDS_BYTES, "%s, against the %zu run%s before", change, runs,
                       runs == 1 ? "" : "s");
    return buffer;
}

void newest_reason(struct gate_state *judgement, enum newest_alone alone)
{
    bool one = judgement->newest_count == 1;
    bool has_answer = judgement->verdict->status == VERDICT_PASS; /* and asks for nothing */
    char said[80] = "", both[2 * NEWEST_WORDS_BYTES] = "", which[32] = "run";
    char change[NEWEST_WORDS_BYTES / 2], before[NEWEST_WORDS_BYTES];
    if (judgement->newest_count == 0 || judgement->newest_is_level ||
        (judgement->newest_stay && has_answer && alone == NEWEST_SAY_THE_SAME))
        return;
    if (alone != NEWEST_SAY_THE_SAME)
        (void)snprintf(said, sizeof said, " Against %s alone the candidate would %sfail.",
                       one ? "it" : "them", alone == NEWEST_WOULD_FAIL ? "" : "not surely ");
    change_words(&judgement->newest_against[0], change, sizeof change);
    if (judgement->newest_against[0].is_known && judgement->newest_against[1].is_known)
        (void)snprintf(both, sizeof both, " The candidate is %s, against %s, and %s.", change,
                       one ? "it" : "them", newest_before_words(judgement, before));
    if (!one)
        (void)snprintf(which, sizeof which, "%zu runs", judgement->newest_count);
    reason_add(judgement, "baseline_newest_moved",
               "The baseline's newest %s moved, and no run behind %s tells an accident from a new "
               "level%s.%s%s",
               which, one ? "it" : "them", has_answer ? "" : ": more runs of the baseline would",
               said, both);
}
