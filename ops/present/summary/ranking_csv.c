/* Prints a ranking as CSV (RFC 4180): a row a run, a column a fact in which runs of a group differ.
 * What takes no part and notes are no rows, and only the other formats have them. */
#include "ops/present/summary/ranking_page.h"

#include "ops/present/words/words.h"
#include "schema/documents/figures.h"

#include <stdlib.h>
#include <string.h>

static const struct ranked_difference *difference_of(const struct ranked_run *run, const char *name)
{
    for (size_t i = 0; i < run->difference_count; i++)
        if (strcmp(run->differences[i].name, name) == 0)
            return &run->differences[i];
    return NULL;
}

/* The names of the facts in which a group's runs differ, each once, as they come. */
static void names_gather(const struct ranking *ranking, struct arena *arena,
                         struct string_list *ret_names)
{
    size_t capacity = 0;
    for (size_t g = 0; g < ranking->group_count; g++) {
        const struct ranked_run *run = &ranking->groups[g].runs[0];
        for (size_t i = 0; i < run->difference_count; i++) {
            bool known = false;
            for (size_t k = 0; k < ret_names->count && !known; k++)
                known = strcmp(ret_names->items[k], run->differences[i].name) == 0;
            if (known)
                continue;
            ret_names->items = arena_grow(arena, ret_names->items, ret_names->count, &capacity,
                                          sizeof *ret_names->items);
            ret_names->items[ret_names->count++] = run->differences[i].name;
        }
    }
}

enum { NUMBER_BYTES = 24 };

static const char *number_or_null(struct opt_f64 value, char *buffer)
{
    return value.set ? text_double(value.value, buffer) : NULL;
}

/* commit, branch and label have columns of their own. */
static bool is_identity(const char *name)
{
    return strcmp(name, "commit") == 0 || strcmp(name, "branch") == 0 || strcmp(name, "label") == 0;
}

static void run_add(const struct ranking *ranking, size_t group, const struct ranked_run *run,
                    const struct string_list *names, struct text *out)
{
    char step[TEXT_DOUBLE_BYTES], period[TEXT_DOUBLE_BYTES], behind[TEXT_DOUBLE_BYTES];
    char numbers[2][NUMBER_BYTES];
    (void)snprintf(numbers[0], sizeof numbers[0], "%lld", (long long)group + 1);
    (void)snprintf(numbers[1], sizeof numbers[1], "%lld", (long long)run->step_count);
    const char *const fields[] = {
        numbers[0],
        ranking->groups[group].apart,
        run->name,
        run->commit,
        run->branch,
        run->label,
        numbers[1],
        number_or_null(run->step_us, step),
        number_or_null(run->period_us, period),
        number_or_null(run->behind, behind),
        ranking->by,
    };
    csv_row_add(fields, sizeof fields / sizeof *fields, out);
    for (size_t i = 0; i < run->figure_count; i++) {
        text_add(out, ",");
        csv_field_add(number_or_null(run->figures[i].value, step), out);
    }
    for (size_t i = 0; i < names->count; i++) {
        const struct ranked_difference *told = difference_of(run, names->items[i]);
        if (is_identity(names->items[i]))
            continue;
        text_add(out, ",");
        csv_field_add(told == NULL ? NULL : told->value, out);
    }
}

bool ranking_csv(const struct ranking *ranking, struct arena *arena, struct text *out,
                 struct err *err)
{
    struct string_list names = {0};
    names_gather(ranking, arena, &names);
    text_add(out,
             "group,apart,name,commit,branch,label,steady_step_count,step_us,period_us,behind,by");
    for (size_t i = 0; ranking->group_count > 0 && i < ranking->groups[0].runs[0].figure_count; i++)
        text_addf(out, ",%s", ranking->groups[0].runs[0].figures[i].measure);
    for (size_t i = 0; i < names.count; i++) {
        if (is_identity(names.items[i]))
            continue;
        text_add(out, ",");
        csv_field_add(names.items[i], out);
    }
    for (size_t g = 0; g < ranking->group_count; g++)
        for (size_t i = 0; i < ranking->groups[g].run_count; i++)
            run_add(ranking, g, &ranking->groups[g].runs[i], &names, out);
    return text_ok(out, "the runs side by side", err) &&
           arena_ok(arena, "the runs side by side", err);
}
