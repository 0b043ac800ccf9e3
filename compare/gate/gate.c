/* Implements the gate as the story of a judgement: provenance, runs, step time, everything that
 * explains it, and the evidence. */
#include "compare/gate/gate.h"
#include "compare/gate/attempts.h"
#include "compare/ops/ops.h"
#include "compare/runs/runs.h"
#include "compare/gate/groups.h"
#include "compare/gate/policy_actions.h"
#include "compare/provenance/provenance.h"
#include "compare/steps/steps.h"
#include "compare/judgement/judgement.h"

#include <string.h>

/* Changes whenever the same input may get another verdict. */
enum { GATE_RULE_VERSION = 29 };

/* Which of the candidate's profiles the ops are not compared of, where others' are. */
static void left_ops_tell(struct gate_state *judgement)
{
    enum { NAMED = 5, NAMES_MAX_BYTES = 1 << 10 };
    const struct gate_runs *all = &judgement->candidate, *after = &judgement->op_sides.after;
    size_t left = 0, count = 0;
    scoped_text names;
    text_init(&names, NAMES_MAX_BYTES);
    for (size_t i = 0; i < all->count; i++) {
        for (size_t j = 0; j < all->items[i].profile_count; j++, count++) {
            if (runs_hold(after, all->items[i].profiles[j]))
                continue;
            if (left < NAMED)
                text_addf(&names, "%s%.20s", left == 0 ? "" : ", ",
                          all->items[i].profiles[j]->profile_id);
            left++;
        }
    }
    if (left == 0 || after->count == 0)
        return;
    if (left > NAMED)
        text_addf(&names, " and %zu more", left - NAMED);
    message_add(judgement,
                "%zu of the candidate's %zu profiles %s no ops of the steps that are judged and %s "
                "left out where ops are compared: %s.",
                left, count, left == 1 ? "tells" : "tell", left == 1 ? "is" : "are",
                text_shown(&names));
}

/* Everything behind provenance. */
static void sides_judge(struct gate_state *judgement, const struct seen_profiles *seen)
{
    runs_with_ops(judgement);
    if (judgement->is_of_memory) {
        memory_judge(judgement);
    } else {
        step_judge(judgement);
        slow_steps_judge(judgement, seen);
        implausible_steps_judge(judgement);
        waits_unseen_reason(judgement);
        unseen_work_reason(judgement);
    }
    /* Where the same is in use on both sides the same bytes say so. */
    if (known_traces_reason(judgement) && !judgement->is_of_memory)
        status_raise(judgement, VERDICT_WARN, "provenance");
    fitness_reasons(judgement);
    measures_judge(judgement);
    judgement->verdict->slow_devices = slow_devices_text(judgement);
    step_growth_cause(judgement);
    left_ops_tell(judgement);
    struct op_table table;
    op_series_build(judgement, &table);
    op_table_pair_shifts(judgement, &table);
    struct opt_f64 step = runs_mean(&judgement->op_sides.before, RUN_SPAN_MEAN);
    table.step_us = step.set ? step.value : 0;
    op_table_test(judgement, &table);
    op_rows_judge(judgement, &table);
    balance_fill(judgement, &table);
    cause_find(judgement, &table);
    groups_compare(judgement);
    step_spread_fill(judgement);
    policy_actions_apply(judgement);
    rerun_unsay(judgement);
}

/* A commit is not slower than itself: what differs is machine or hour. That is a question of its
 * own where the branch has nothing else, and else no baseline. */
static bool same_commit_refuse(struct gate_state *judgement)
{
    const char *commit = judgement->input->same_commit;
    char shown[NAME_TEXT_BYTES];
    if (commit == NULL || judgement->input->is_own_past)
        return false;
    reason_add(judgement, "same_commit",
               "Both sides are commit %s: runs of the candidate's own commit are no baseline of "
               "it. Name runs of another commit, or leave out what names these: then the past of "
               "the baseline branch is the baseline.",
               name_text(commit, shown));
    status_decide(judgement, VERDICT_INCOMPARABLE, "provenance");
    return true;
}

static bool is_of_memory(const struct gate_side *candidate)
{
    size_t count = 0;
    while (count < candidate->profile_count &&
           summary_is_memory(candidate->profiles[count].summary))
        count++;
    return count == candidate->profile_count;
}

/* The story: which profiles, which runs, what of them. */
static void judge(struct gate_state *judgement, struct profile_sets *sets)
{
    struct verdict *verdict = judgement->verdict;
    struct seen_profiles seen = {0};
    bool comparable = provenance_judge(judgement, sets);
    if (same_commit_refuse(judgement))
        comparable = false;
    notices_collect(judgement, sets);
    judgement->is_of_memory = is_of_memory(&judgement->input->candidate);
    if (comparable && !judgement->is_of_memory)
        fitness_filter(judgement, sets, &seen);
    runs_build(judgement, sets);
    if (comparable && judgement->input->paired)
        pairs_align(judgement);
    if (comparable && !judgement->is_of_memory)
        timeline_build(judgement);
    if (comparable && !judgement->is_of_memory && !judgement->baseline_unfit)
        past_sift(judgement);
    side_describe(judgement, &judgement->input->baseline, &judgement->baseline, &verdict->baseline);
    side_describe(judgement, &judgement->input->candidate, &judgement->candidate,
                  &verdict->candidate);
    attempts_keep(judgement);
    if (comparable)
        sides_judge(judgement, &seen);
    char shown[NAME_TEXT_BYTES];
    if (judgement->input->is_own_past)
        reason_add(judgement, "same_commit_past",
                   "The baseline branch has no run of another commit than %s, the candidate's own: "
                   "what differs between the sides is machine, environment or hour, not the code.",
                   name_text(judgement->input->same_commit, shown));
    attempts_reason(judgement);
    notices_reasons(judgement);
    provenance_reasons(judgement);
}

bool gate_judge(const struct gate_input *input, struct arena *arena, struct verdict *ret_verdict,
                struct err *err)
{
    if (input->candidate.profile_count == 0)
        return err_set(err, ERR_MISSING, "no candidate: the gate needs a profile to judge");
    if (input->baseline.profile_count == 0)
        return err_set(err, ERR_MISSING,
                       "no baseline: nothing is there to compare the candidate with; ingest "
                       "profiles of the baseline branch or name one");
    struct gate_policy standard;
    gate_policy_default(&standard);
    const struct gate_policy *given = input->policy != NULL ? input->policy : &standard;
    const struct gate_policy spent = attempts_policy(given, input->attempts, input->paired);
    struct verdict verdict = {
        .schema_version = "verdict.v1",
        .project = input->project,
        .workload = input->workload,
        .series = input->series,
        .rule_version = GATE_RULE_VERSION,
        .created_at_utc = input->created_at_utc,
    };
    struct gate_state judgement = {
        .policy = &spent,
        .arena = arena,
        .verdict = &verdict,
    };
    struct step_choice choice;
    step_choice_make(input, judgement.policy, arena, &choice);
    judgement.input = &choice.input;
    if (choice.method_text != NULL)
        message_add(&judgement, "%s", choice.method_text);
    if (choice.warmup_text != NULL)
        message_add(&judgement, "%s", choice.warmup_text);
    struct profile_sets sets = {0};
    judge(&judgement, &sets);
    if (!evidence_seal(&judgement, given, &sets, err))
        return false;
    *ret_verdict = verdict;
    return arena_ok(arena, "the verdict", err);
}
