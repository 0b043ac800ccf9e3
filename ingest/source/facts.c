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

bool fact_add(struct fact_list *facts, struct fact fact, struct err *err)
{
    struct environment *environment = facts->environment;
    if (fact.name != NULL && fact_find(environment, fact.name) != NULL)
        return true;
    struct fact *items = arena_grow(facts->arena, environment->facts, environment->fact_count,
                                    &facts->capacity, sizeof *items);
    if (items == NULL || fact.name == NULL || fact.value == NULL)
        return arena_failed(facts->arena, "the environment of a profile", err);
    environment->facts = items;
    items[environment->fact_count++] = fact;
    return true;
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
