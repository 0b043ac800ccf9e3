/* The steps of a summary by method (schema/documents/step_table.h). */
#include "schema/documents/step_table.h"

#include "schema/documents/summary.h"

#include <string.h>

const char *const step_method_names[STEP_METHOD_COUNT] = {
    [STEPS_NONE] = "none",
    [STEPS_LINE] = "steps_line",
    [STEPS_ANNOTATION] = "step_annotation",
    [STEPS_MODULE_RUN] = "module_run",
    [STEPS_LAUNCH] = "program_launch",
    [STEPS_HOST] = "host_annotation",
    [STEPS_CALL] = "host_call",
};

static const char of_program[] = " of ";

const struct step_table *summary_steps_by(const struct summary *summary, enum step_method method)
{
    if (method == STEPS_NONE)
        return NULL;
    if (summary->steps.method == method)
        return &summary->steps;
    for (size_t i = 0; i < summary->other_step_count; i++) {
        if (summary->other_steps[i].method == method)
            return &summary->other_steps[i];
    }
    return NULL;
}

bool step_tables_alike(const struct step_table *a, const struct step_table *b)
{
    if (a->method != b->method)
        return false;
    if (a->program != NULL && b->program != NULL)
        return strcmp(a->program, b->program) == 0;
    return a->program == b->program || !step_method_is_annotated(a->method);
}

const char *step_table_text(const struct step_table *table, struct arena *arena)
{
    const char *method = step_method_names[table->method];
    return table->program == NULL
               ? method
               : arena_printf(arena, "%s%s%s", method, of_program, table->program);
}

void step_table_named(const char *text, struct step_table *table)
{
    const char *of = strstr(text, of_program);
    size_t length = of == NULL ? strlen(text) : (size_t)(of - text);
    for (int i = 0; i < STEP_METHOD_COUNT; i++) {
        if (strlen(step_method_names[i]) != length ||
            strncmp(step_method_names[i], text, length) != 0)
            continue;
        table->method = (enum step_method)i;
        table->program = of == NULL ? NULL : of + strlen(of_program);
        return;
    }
}

size_t steps_whole(const struct step_table *table)
{
    const struct step_row *end = table->rows + table->count;
    return table->count > 1 && end[-1].warmup && !end[-2].warmup ? table->count - 1 : table->count;
}

size_t steps_first_warmup(const struct step_table *table)
{
    size_t count = 0;
    while (count < table->count && table->rows[count].warmup)
        count++;
    return count;
}

size_t steps_recompiled(const struct step_table *table)
{
    enum { COUNTS_AS_USUAL = 3 }; /* of fewer steps no one can say what is usual */
    size_t compiled = 0, first = 0, again = 0;
    for (size_t i = 0; i < table->count; i++)
        compiled += table->rows[i].host_compiled;
    if (table->count >= COUNTS_AS_USUAL && 2 * compiled > table->count)
        return compiled;
    while (first < table->count && (table->rows[first].host_compiled || table->rows[first].warmup))
        first++;
    for (size_t i = first; i < table->count; i++)
        again += table->rows[i].host_compiled;
    return again;
}

size_t steps_recompiled_of(const struct step_table *table)
{
    size_t compiled = 0, warmup = 0;
    for (size_t i = 0; i < table->count; i++) {
        compiled += table->rows[i].host_compiled;
        warmup += table->rows[i].warmup;
    }
    return steps_recompiled(table) < compiled ? table->count - warmup : table->count;
}

static const char are_left[] = "hosts are not known and in no time here";

const char *steps_left_words(const struct steps_left *left, struct arena *arena)
{
    const char *why =
        left->own == STEPS_NONE
            ? "where no steps are found"
            : arena_printf(arena, "where steps are found by %s, not by %s",
                           step_method_names[left->own], step_method_names[left->method]);
    return why == NULL ? NULL
                       : arena_printf(arena,
                                      "Steps of %lld of %lld %s (the first: '%s', %s): the others "
                                      "may wait for theirs.",
                                      (long long)left->count, (long long)left->of, are_left,
                                      left->first, why);
}

const char *summary_steps_left(const struct summary *summary)
{
    const struct string_list *warnings = &summary->coverage.warnings;
    for (size_t i = 0; i < warnings->count; i++)
        if (strstr(warnings->items[i], are_left) != NULL)
            return warnings->items[i];
    return NULL;
}
