/* Implements the differences between runs of a group. */
#include "compare/ranking/ranked_facts.h"

#include "ops/runtime/text.h"

#include <stdlib.h>
#include <string.h>

/* One name with its value of each run. */
struct fact_column {
    const char *name;
    const char **values; /* NULL: not known */
};

static bool values_differ(const struct fact_column *column, size_t count)
{
    const char *first = column->values[0];
    for (size_t i = 1; i < count; i++) {
        const char *value = column->values[i];
        if ((first == NULL) != (value == NULL) || (first != NULL && strcmp(first, value) != 0))
            return true;
    }
    return false;
}

/* ---- flags ------------------------------------------------------------------------------------
 */

/* The next flag from *at on, which is moved behind it; its length, 0: there is none. */
static size_t flag_next(const char **at, const char **ret_flag)
{
    *at += strspn(*at, " \t\n");
    *ret_flag = *at;
    *at += strcspn(*at, " \t\n");
    return (size_t)(*at - *ret_flag);
}

static bool flags_hold(const char *flags, const char *flag, size_t length)
{
    const char *at = flags, *other;
    size_t other_length;
    while ((other_length = flag_next(&at, &other)) > 0)
        if (other_length == length && memcmp(other, flag, length) == 0)
            return true;
    return false;
}

/* The flags of a value that some of the lists lack (wanted true), or that all hold that are known.
 */
static const char *flags_keep(const char *value, const char *const *lists, size_t count,
                              bool wanted, struct arena *arena)
{
    const char *at = value, *flag;
    char *out = arena_alloc(arena, strlen(value) + 1);
    size_t length, used = 0;
    while ((length = flag_next(&at, &flag)) > 0) {
        bool lacks = false;
        for (size_t i = 0; i < count && !lacks; i++)
            lacks = lists[i] != NULL && !flags_hold(lists[i], flag, length);
        if (lacks != wanted)
            continue;
        if (used > 0)
            out[used++] = ' ';
        memcpy(out + used, flag, length);
        used += length;
    }
    out[used] = '\0';
    return out;
}

static bool is_flags(const struct fact_column *column, size_t count)
{
    bool seen = false;
    for (size_t i = 0; i < count; i++) {
        const char *value = column->values[i];
        if (value == NULL || *value == '\0')
            continue;
        if (strncmp(value, "--", 2) != 0)
            return false;
        seen = true;
    }
    return seen;
}

/* ---- differences ------------------------------------------------------------------------------
 */

static void column_add(const struct fact_column *column, struct ranked_run *runs, size_t count,
                       struct arena *arena)
{
    const char *common = NULL, *first = NULL;
    for (size_t i = 0; i < count && first == NULL; i++)
        first = column->values[i];
    if (is_flags(column, count) && first != NULL)
        common = flags_keep(first, column->values, count, false, arena);
    for (size_t i = 0; i < count; i++) {
        struct ranked_difference *row = &runs[i].differences[runs[i].difference_count++];
        *row = (struct ranked_difference){column->name, column->values[i], NULL};
        if (common != NULL && row->value != NULL)
            row->own = flags_keep(row->value, &common, 1, true, arena);
    }
}

static int name_order(const void *left, const void *right)
{
    const char *const *a = left, *const *b = right;
    return strcmp(*a, *b);
}

/* The names of all facts, each once, in order; how many. */
static size_t names_gather(const struct ranked_captures *captures, size_t count, const char **names)
{
    size_t total = 0, kept = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < captures[i].count; j++)
            for (size_t k = 0; k < captures[i].items[j]->environment.fact_count; k++)
                names[total++] = captures[i].items[j]->environment.facts[k].name;
    if (total > 1)
        qsort(names, total, sizeof *names, name_order);
    for (size_t i = 0; i < total; i++)
        if (kept == 0 || strcmp(names[kept - 1], names[i]) != 0)
            names[kept++] = names[i];
    return kept;
}

static const char *fact_of(const struct ranked_captures *captures, const char *name)
{
    const struct fact *fact = NULL;
    for (size_t i = 0; i < captures->count && fact == NULL; i++)
        fact = environment_fact(&captures->items[i]->environment, name);
    return fact == NULL ? NULL : fact->value;
}

static void identities_add(struct ranked_run *runs, size_t count, const char **values,
                           struct arena *arena)
{
    static const struct {
        const char *name;
        size_t offset;
    } identities[] = {{"commit", offsetof(struct ranked_run, commit)},
                      {"branch", offsetof(struct ranked_run, branch)},
                      {"label", offsetof(struct ranked_run, label)}};
    for (size_t i = 0; i < sizeof identities / sizeof *identities; i++) {
        for (size_t run = 0; run < count; run++)
            memcpy(&values[run], (const char *)&runs[run] + identities[i].offset, sizeof *values);
        const struct fact_column column = {identities[i].name, values};
        if (values_differ(&column, count))
            column_add(&column, runs, count, arena);
    }
}

void ranked_differences_fill(struct ranked_run *runs, const struct ranked_captures *captures,
                             size_t count, struct arena *arena)
{
    enum { IDENTITIES = 3 };
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < captures[i].count; j++)
            total += captures[i].items[j]->environment.fact_count;
    const char **names = arena_array(arena, const char *, total + 1);
    const char **values = arena_array(arena, const char *, count + 1);
    const size_t fact_count = names_gather(captures, count, names);
    for (size_t i = 0; i < count; i++)
        runs[i].differences = arena_array(arena, struct ranked_difference, fact_count + IDENTITIES);
    identities_add(runs, count, values, arena);
    for (size_t i = 0; i < fact_count; i++) {
        for (size_t run = 0; run < count; run++)
            values[run] = fact_of(&captures[run], names[i]);
        const struct fact_column column = {names[i], values};
        if (values_differ(&column, count))
            column_add(&column, runs, count, arena);
    }
}
