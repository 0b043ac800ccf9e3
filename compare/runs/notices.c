/* Implements the notices. */
#include "compare/runs/notices.h"

#include "ops/runtime/text.h"

#include <math.h>
#include <string.h>

/* XLA's flag with nothing behind it: every kernel is launched and traced by itself, which reads
 * well and runs slower. */
static const char buffers_off[] = "--xla_gpu_enable_command_buffer=";

static bool command_buffers_off(const struct summary *summary)
{
    const struct fact *flags = environment_fact(&summary->environment, "xla_flags");
    const char *found =
        flags == NULL || flags->value == NULL ? NULL : strstr(flags->value, buffers_off);
    if (found == NULL)
        return false;
    char next = found[sizeof buffers_off - 1];
    return next == '\0' || next == ' ' || next == '"' || next == '\'';
}

bool profile_is_truncated(const struct summary *summary)
{
    return summary->trace_overview.suspected_truncation || summary->coverage.bytes_unread > 0;
}

static bool is_unproven(const struct summary *summary)
{
    return summary->coverage.files_unproven.set;
}

static bool is_warmup_alone(const struct summary *summary)
{
    return summary->steps.count > 0 && summary->steps.steady_count == 0;
}

static bool lacks_hosts(const struct summary *summary)
{
    return summary->capture.missing.count > 0;
}

static const struct notice {
    bool (*holds)(const struct summary *summary);
    const char *code, *of_one, *of_several;
} table[] = {
    {profile_is_truncated, "profile_truncated", "is truncated: it does not hold the whole capture",
     "are truncated: they do not hold the whole capture"},
    {is_unproven, "profile_unproven",
     "has a file whose checksum is wrong or missing: its bytes may have been changed",
     "have files whose checksum is wrong or missing: their bytes may have been changed"},
    {lacks_hosts, "hosts_missing",
     "lacks hosts of its job, and the slowest may be one of them: its coverage names them",
     "lack hosts of their job, and the slowest may be one of them: their coverage names them"},
    {is_warmup_alone, "warmup_only", "holds warm-up steps alone", "hold warm-up steps alone"},
    {command_buffers_off, "command_buffers_off",
     "was taken with command buffers off, which slows the run",
     "were taken with command buffers off, which slows the run"},
};

static void side_notices(struct gate_state *judgement, const char *side,
                         const struct profile_set *set)
{
    enum { IDS_MAX_BYTES = 1 << 10 };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        scoped_text ids;
        text_init(&ids, IDS_MAX_BYTES);
        /* "p1, p2, p3 and 7 more" of those of whom it holds; how many they are. */
        enum { IDS_NAMED = 3 };
        size_t count = 0;
        for (size_t j = 0; j < set->count; j++) {
            if (!table[i].holds(set->items[j]->summary))
                continue;
            if (count < IDS_NAMED)
                text_addf(&ids, "%s%s", count == 0 ? "" : ", ", set->items[j]->profile_id);
            count++;
        }
        if (count > IDS_NAMED)
            text_addf(&ids, " and %zu more", count - IDS_NAMED);
        if (count > 0)
            fault_add(judgement, &judgement->notices, table[i].code,
                      arena_printf(judgement->arena, "%s %s %s.", side, text_shown(&ids),
                                   count == 1 ? table[i].of_one : table[i].of_several));
    }
}

/* A program that is compiled again in the middle of a capture is no warm-up, and a median over
 * steps need not show it. */
static void recompiled_notice(struct gate_state *judgement, const char *side,
                              const struct profile_set *set)
{
    size_t recompiled = 0, steps = 0, profiles = 0;
    for (size_t i = 0; i < set->count; i++) {
        const struct step_table *own = &set->items[i]->summary->steps;
        size_t count = steps_recompiled(own);
        recompiled += count;
        steps += count > 0 ? own->count : 0;
        profiles += count > 0;
    }
    if (recompiled > 0)
        fault_add(judgement, &judgement->notices, "recompiled",
                  arena_printf(judgement->arena,
                               "%s: %zu of %zu steps of %zu profile%s %s (recompilation).", side,
                               recompiled, steps, profiles, profiles == 1 ? "" : "s",
                               recompiled == 1 ? "has the host compiling in it"
                                               : "have the host compiling in them"));
}

/* ---- what is of no step ---------------------------------------------------------------------- */

const double apart_share_told = 0.05;

double profile_apart_share(const struct summary *summary)
{
    double all_us = 0;
    for (size_t i = 0; i < summary->op_count; i++)
        all_us += summary->ops[i].asynchronous ? 0 : (double)summary->ops[i].self_ps / 1e6;
    return summary->coverage.ops_apart_us.set && all_us > 0
               ? fmin(summary->coverage.ops_apart_us.value / all_us, 1)
               : 0;
}

/* The mean over the profiles. */
static double set_apart_share(const struct profile_set *set)
{
    double sum = 0;
    for (size_t i = 0; i < set->count; i++)
        sum += profile_apart_share(set->items[i]->summary);
    return set->count > 0 ? sum / (double)set->count : 0;
}

/* Of a side where more is in no step than on the other. */
static void apart_notice(struct gate_state *judgement, const char *side,
                         const struct profile_set *set, const struct profile_set *other)
{
    const double share = set_apart_share(set), others = set_apart_share(other);
    int64_t unmarked = 0;
    size_t profiles = 0;
    if (share - others < apart_share_told)
        return;
    for (size_t i = 0; i < set->count; i++) {
        const struct opt_i64 *own = &set->items[i]->summary->coverage.steps_unmarked;
        unmarked += own->value;
        profiles += own->set;
    }
    const char *why =
        unmarked == 0 ? "An evaluation, or steps that nobody marked: which, they do not say."
                      : arena_printf(judgement->arena,
                                     "By the numbers of the others %lld step%s of %zu profile%s "
                                     "lack%s an annotation: of these only the time from step to "
                                     "step tells.",
                                     (long long)unmarked, unmarked == 1 ? "" : "s", profiles,
                                     profiles == 1 ? "" : "s", unmarked == 1 ? "s" : "");
    fault_add(judgement, &judgement->notices, "work_in_no_step",
              arena_printf(judgement->arena,
                           "%s: %.1f %% of what devices did belongs to no annotated "
                           "step, and is in no figure of a step (the other side: "
                           "%.1f %%). %s",
                           side, 100 * share, 100 * others, why));
}

/* Of sides that are alike in it: a verdict is of the smaller part of what devices did. */
static void both_apart_notice(struct gate_state *judgement, const struct profile_sets *sets)
{
    static const double most = 0.5;
    const double was = set_apart_share(&sets->baseline), is = set_apart_share(&sets->candidate);
    if (fmin(was, is) < most || fabs(is - was) >= apart_share_told)
        return;
    fault_add(judgement, &judgement->notices, "work_in_no_step",
              arena_printf(judgement->arena,
                           "Most of what devices did belongs to no annotated step on either side "
                           "(baseline: %.1f %%, candidate: %.1f %%), and is in no figure of a "
                           "step: this verdict is of the rest alone.",
                           100 * was, 100 * is));
}

/* Two branches may call runs of theirs alike. */
static bool set_has_run(const struct profile_set *set, const struct gate_profile *of)
{
    for (size_t i = 0; i < set->count; i++) {
        const struct gate_profile *held = set->items[i];
        bool apart =
            held->branch != NULL && of->branch != NULL && strcmp(held->branch, of->branch) != 0;
        if (!apart && strcmp(gate_run_id(held), gate_run_id(of)) == 0)
            return true;
    }
    return false;
}

void notices_collect(struct gate_state *judgement, const struct profile_sets *sets)
{
    side_notices(judgement, "Candidate", &sets->candidate);
    side_notices(judgement, "Baseline", &sets->baseline);
    recompiled_notice(judgement, "Candidate", &sets->candidate);
    recompiled_notice(judgement, "Baseline", &sets->baseline);
    apart_notice(judgement, "Candidate", &sets->candidate, &sets->baseline);
    apart_notice(judgement, "Baseline", &sets->baseline, &sets->candidate);
    both_apart_notice(judgement, sets);
    for (size_t i = 0; i < sets->candidate.count; i++) {
        if (set_has_run(&sets->baseline, sets->candidate.items[i]))
            message_add(judgement, "Run %s stands on both sides.",
                        gate_run_id(sets->candidate.items[i]));
    }
}

void notices_reasons(struct gate_state *judgement)
{
    fault_reasons(judgement, &judgement->notices);
}
