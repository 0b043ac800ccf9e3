#include "ingest/source/facts.h"

#include <stdlib.h>
#include <string.h>

const struct fact *fact_find(const struct environment *environment, const char *name)
{
    for (size_t i = 0; i < environment->fact_count; i++) {
        if (strcmp(environment->facts[i].name, name) == 0)
            return &environment->facts[i];
    }
    return NULL;
}

void fact_add(struct fact_list *facts, struct fact fact)
{
    struct environment *environment = facts->environment;
    if (fact_find(environment, fact.name) != NULL)
        return;
    environment->facts = arena_grow(facts->arena, environment->facts, environment->fact_count,
                                    &facts->capacity, sizeof *environment->facts);
    environment->facts[environment->fact_count++] = fact;
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct fact *)a)->name, ((const struct fact *)b)->name);
}

void facts_sort(struct environment *environment)
{
    if (environment->fact_count > 0)
        qsort(environment->facts, environment->fact_count, sizeof *environment->facts, compare);
}
