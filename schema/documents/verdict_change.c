/* Which change a verdict is about: what an acceptance is scoped to, and the ops that moved. */
#include "schema/documents/verdict.h"

#include "ops/runtime/text.h"

#include <string.h>

const char *verdict_change_key(const struct verdict *verdict, struct arena *arena)
{
    const struct verdict_side *side = &verdict->candidate;
    if (side->commit != NULL)
        return arena_printf(arena, "commit %s", side->commit);
    scoped_text key;
    text_init(&key, SIZE_MAX);
    text_add(&key, "profiles");
    for (size_t i = 0; i < side->profile_ids.count; i++)
        text_addf(&key, " %s", side->profile_ids.items[i]);
    return text_keep(&key, arena);
}

const struct verdict_reason *verdict_reason_find(const struct verdict *verdict, const char *code)
{
    for (size_t i = 0; i < verdict->reason_count; i++) {
        if (strcmp(verdict->reasons[i].code, code) == 0)
            return &verdict->reasons[i];
    }
    return NULL;
}

bool verdict_has_reason(const struct verdict *verdict, const char *code)
{
    return verdict_reason_find(verdict, code) != NULL;
}

bool verdict_improved(const struct verdict *verdict)
{
    return verdict->status == VERDICT_PASS && verdict_has_reason(verdict, "step_median_improved") &&
           !verdict_has_reason(verdict, "same_program");
}

struct verdict_part verdict_part_of(size_t runs, size_t of)
{
    if (runs == 0 || runs == of)
        return (struct verdict_part){0};
    return (struct verdict_part){some_i64((int64_t)runs), some_i64((int64_t)of)};
}

double verdict_of_all(double us, const struct verdict_part *part)
{
    return part->runs.set ? us * (double)part->runs.value / (double)part->of.value : us;
}

bool verdict_runs_differ(const struct verdict *verdict)
{
    bool found = false;
    for (size_t i = 0; i < verdict->op_count && !found; i++)
        found = verdict->ops[i].before_runs.runs.set || verdict->ops[i].after_runs.runs.set;
    return found;
}

size_t verdict_moved_count(const struct verdict *verdict)
{
    size_t count = 0;
    while (count < verdict->op_count && strcmp(verdict->ops[count].change, "unchanged") != 0)
        count++;
    return count;
}

const char *verdict_op_words(const struct verdict_op *op)
{
    if (strcmp(op->change, "shifted") != 0)
        return op->change;
    return op->delta_us > 0 ? "slower, in another form" : "faster, in another form";
}
