/* The list of facts of an environment while it grows: each name once, the first one stays. */
#ifndef INGEST_SOURCE_FACTS_H
#define INGEST_SOURCE_FACTS_H

#include "ops/runtime/arena.h"
#include "schema/documents/summary.h"

struct fact_list {
    struct arena *arena;
    struct environment *environment;
    size_t capacity;
};

/* The fact of that name, NULL when there is none. */
const struct fact *fact_find(const struct environment *environment, const char *name);

/* Adds a fact unless there is one of that name. */
void fact_add(struct fact_list *facts, struct fact fact);

/* Sorts by name. */
void facts_sort(struct environment *environment);

#endif
