/* Implements the caveat. */
#include "compare/provenance/unseen_work.h"

#include "compare/provenance/provenance_facts.h"
#include "ops/runtime/text.h"

#include <string.h>

static bool tells_work(const struct gate_runs *runs)
{
    for (size_t i = 0; i < runs->count; i++) {
        const struct summary *summary = runs->items[i].profiles[0]->summary;
        for (size_t op = 0; op < summary->op_count; op++) {
            const char *shapes = summary->ops[op].shape_signature;
            if (summary->ops[op].flops.set || (shapes != NULL && shapes[0] != '\0'))
                return true;
        }
    }
    return false;
}

/* The value that all runs have; NULL: not known of one, or they differ. */
static const char *value_of_all(const struct gate_runs *runs, enum provenance_field field)
{
    const char *value = NULL;
    for (size_t i = 0; i < runs->count; i++) {
        const char *told = provenance_value(runs->items[i].profiles[0]->summary, field);
        if (told == NULL || (value != NULL && strcmp(told, value) != 0))
            return NULL;
        value = told;
    }
    return value;
}

static bool is_alike(const struct gate_state *judgement, enum provenance_field field)
{
    const char *before = value_of_all(&judgement->recent, field);
    const char *after = value_of_all(&judgement->candidate, field);
    return text_same_told(before, after);
}

/* How the step changed, by the reason that stands first; NULL: not so that other work would
 * explain it. */
static const char *work_words(const struct verdict *verdict)
{
    static const struct {
        const char *code, *words;
    } changes[] = {
        {"step_median_regressed", "more work (a larger batch or sequence, another model)"},
        {"step_median_suspected", "more work (a larger batch or sequence, another model)"},
        {"step_period_regressed", "more work (a larger batch or sequence, another model)"},
        {"step_period_suspected", "more work (a larger batch or sequence, another model)"},
        {"step_median_improved", "less work (a smaller batch or sequence, another model)"},
    };
    const char *first = verdict->reason_count > 0 ? verdict->reasons[0].code : "";
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        if (strcmp(changes[i].code, first) == 0)
            return changes[i].words;
    }
    return NULL;
}

void unseen_work_reason(struct gate_state *judgement)
{
    bool before = tells_work(&judgement->recent), after = tells_work(&judgement->candidate);
    bool batch = is_alike(judgement, FIELD_batch) || is_alike(judgement, FIELD_device_batch);
    bool sequence = is_alike(judgement, FIELD_sequence);
    const char *work = work_words(judgement->verdict);
    if (work == NULL || (before && after) || (batch && sequence) ||
        provenance_action_of(judgement->policy, FIELD_work) == PROVENANCE_IGNORE)
        return;
    reason_add(judgement, "work_unknown",
               "No op of %s tells its shapes or operations, and the %s not known of both sides: "
               "that a step of the candidate does %s cannot be excluded. --meta batch=N and "
               "--meta sequence=N, or --config-file, on both sides would tell.",
               before  ? "the candidate"
               : after ? "the baseline"
                       : "either side",
               batch      ? "sequence is"
               : sequence ? "batch is"
                          : "batch and sequence are",
               work);
}
