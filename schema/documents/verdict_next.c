/* What a person may do now that a verdict stands, with the command for it. */
#include "schema/documents/verdict_next.h"

#include "ops/runtime/text.h"
#include "schema/documents/verdict_reasons.h"
#include "schema/documents/verdict_words.h"

#include <string.h>

static void option_add(struct text *out, const char *name, const char *value)
{
    if (value == NULL)
        return;
    text_addf(out, " %s ", name);
    text_add_shell_word(out, value);
}

static const char *turns_command(const struct verdict *verdict, struct arena *arena)
{
    scoped_text out;
    text_init(&out, SIZE_MAX);
    text_add(&out, "stepledger interleave");
    option_add(&out, "--project", verdict->project);
    option_add(&out, "--workload", verdict->workload);
    option_add(&out, "--branch", verdict->candidate.branch);
    option_add(&out, "--commit", verdict->candidate.commit);
    const char *baseline = verdict->baseline.commit;
    if (baseline != NULL)
        option_add(&out, "--baseline-commit", baseline);
    else if (verdict->candidate.commit != NULL) /* a fail against a branch is refuted by its code */
        text_add(&out, " --baseline-commit BASELINE_COMMIT");
    text_add(&out, " -- BASELINE_COMMAND -- CANDIDATE_COMMAND");
    return text_keep(&out, arena);
}

/* The cause is one that a machine may have by itself. */
static bool may_be_the_machine(const struct verdict *verdict)
{
    static const char *const kinds[] = {"all_ops", "host", "device", "moving"};
    return !verdict_has_reason(verdict, "same_program") && /* it says so itself */
           !verdict_median_is_aside(verdict) && text_is_one(verdict->cause.kind, kinds);
}

/* Whether the verdict says that itself. */
static bool says(const struct verdict *verdict, const char *words)
{
    for (size_t i = 0; i < verdict->reason_count; i++) {
        if (strstr(verdict->reasons[i].text, words) != NULL)
            return true;
    }
    return false;
}

/* What decided is that the step time cannot be told, and not that the baseline's newest runs moved:
 * what to do about that the sentence says. */
static bool is_untold(const struct verdict *verdict)
{
    const char *first = verdict->reason_count > 0 ? verdict->reasons[0].code : "";
    return verdict->status == VERDICT_INCONCLUSIVE &&
           !verdict_has_reason(verdict, "baseline_newest_moved") &&
           (strcmp(first, "step_median_uncertain") == 0 || strcmp(first, "few_runs") == 0);
}

/* Probably slower by the medians: too few runs, or too unlike, to be sure. */
static bool is_suspected(const struct verdict *verdict)
{
    return verdict->status == VERDICT_WARN && verdict->reason_count > 0 &&
           strcmp(verdict->reasons[0].code, "step_median_suspected") == 0;
}

/* Pairs of one commit are judged together: where their number is what is missing. */
static const char *pairs_reason(const struct verdict *verdict, bool stands)
{
    bool are_few =
        verdict->statistics.more_runs_needed.set || verdict_has_reason(verdict, "few_runs");
    if (stands)
        return says(verdict, VERDICT_PAIRS_TELL_NOTHING)
                   ? NULL
                   : "More pairs, judged together with these, may refute it";
    return verdict->candidate.commit != NULL && are_few &&
                   (is_untold(verdict) || is_suspected(verdict))
               ? "More pairs, judged together with these, tell"
               : NULL;
}

/* As many named runs on one side as on the other have probably taken turns already. */
static bool may_have_turned(const struct verdict *verdict)
{
    static const char named[] = "the baseline that was named";
    return verdict->baseline.run_count == verdict->candidate.run_count &&
           (verdict->baseline.why == NULL ||
            strncmp(verdict->baseline.why, named, sizeof named - 1) == 0);
}

/* The fact that the baseline has no runs of; NULL: the verdict is no such, or says what to do. */
static const char *missing_likeness(const struct verdict *verdict)
{
    bool is_told = verdict_has_reason(verdict, "profile_truncated") ||
                   verdict_has_reason(verdict, "hosts_missing") ||
                   verdict_has_reason(verdict, "candidate_profiles_differ");
    if (verdict->status != VERDICT_INCOMPARABLE || verdict->paired || is_told)
        return NULL;
    for (size_t i = 0; i < verdict->mismatch_count; i++) {
        const struct verdict_mismatch *row = &verdict->mismatches[i];
        if (strcmp(row->action, "strict") == 0)
            return row->baseline != NULL && row->candidate != NULL ? row->field : NULL;
    }
    return NULL;
}

/* What made the status is that devices wait. */
static bool is_of_waits(const struct verdict *verdict)
{
    static const char period[] = "step_period_";
    const struct verdict_reason *first = verdict->reason_count > 0 ? verdict->reasons : NULL;
    return (verdict->status == VERDICT_FAIL || verdict->status == VERDICT_WARN) && first != NULL &&
           (strncmp(first->code, period, sizeof period - 1) == 0 ||
            strstr(first->text, "the devices wait for input") != NULL);
}

/* Why runs in turns would help; NULL where they would not. */
static const char *turns_reason(const struct verdict *verdict)
{
    bool stands =
        verdict->status == VERDICT_FAIL && verdict_has_reason(verdict, "earlier_fail_stands");
    if (verdict_has_reason(verdict, "confirmation_needed") || /* by another machine, it says */
        verdict_has_reason(verdict, "same_commit_past") ||    /* there is no other side */
        verdict_has_reason(verdict, "pairs_contradict") ||    /* they have */
        (stands && says(verdict, VERDICT_LIFTED_BY)))
        return NULL;
    if (verdict->paired)
        return pairs_reason(verdict, stands);
    if (may_have_turned(verdict))
        return NULL;
    if (stands)
        return "Fewest runs are needed to refute it when both sides take turns on one machine";
    if (verdict->status == VERDICT_FAIL && may_be_the_machine(verdict))
        return "The machine may have done it, or the change: the fail stands until runs of both "
               "sides in turns on one machine show that it was the machine";
    if (verdict->status == VERDICT_WARN && may_be_the_machine(verdict))
        return "The machine may have done it, or the change: runs of both sides in turns on one "
               "machine tell which";
    if (is_suspected(verdict) && !verdict_has_reason(verdict, "same_program"))
        return "Whether it is slower, runs of both sides in turns on one machine tell soonest";
    return is_untold(verdict) ? "Fewest runs are needed when both sides take turns on one machine"
                              : NULL;
}

void verdict_next_find(const struct verdict *verdict, struct arena *arena,
                       struct verdict_next *ret_next)
{
    struct verdict_next next = {0};
    if (verdict_improved(verdict) && verdict->series != NULL &&
        !verdict->statistics.level_end_pct.set) { /* of old code nothing begins */
        /* Past runs of the old level would make every later run look faster than it is. */
        next.why = "Once the gain is here to stay";
        next.command =
            arena_printf(arena, "stepledger rebaseline %s --reason WHY", verdict->series);
    } else if (missing_likeness(verdict) != NULL) {
        char *why = arena_printf(arena,
                                 "It is compared with baseline runs of the same %s: ingest such, "
                                 "or run both sides in turns",
                                 missing_likeness(verdict));
        for (char *p = why; *p != '\0'; p++)
            *p = *p == '_' ? ' ' : *p;
        next.why = why;
        next.command = turns_command(verdict, arena);
    } else if (is_of_waits(verdict) && verdict->candidate.profile_ids.count > 0) {
        const struct string_list *ids = &verdict->candidate.profile_ids;
        next.why = "How long, and for what as far as a profile tells";
        next.command = arena_printf(arena, "stepledger query %s 'what do the devices wait for'",
                                    ids->items[ids->count - 1]);
    } else if (turns_reason(verdict) != NULL) {
        next.why = turns_reason(verdict);
        next.command = turns_command(verdict, arena);
    }
    *ret_next = next;
}
