/* A growing list of sentences for people: warnings of a summary. */
#ifndef INGEST_SOURCE_NOTES_H
#define INGEST_SOURCE_NOTES_H

#include "ops/runtime/arena.h"
#include "schema/documents/summary.h"

#include <stdbool.h>
#include <stddef.h>

struct notes {
    struct arena *arena; /* of the list and of NOTE's texts */
    const char **items;
    size_t count, capacity;
    bool failed; /* beyond the budget: something is missing */
};

/* Appends a text that outlives the list. NULL, as from a printf beyond the budget, is a failure. */
void note_add(struct notes *notes, const char *text);

/* Appends a formatted text. */
#define NOTE(notes, ...) note_add((notes), arena_printf((notes)->arena, __VA_ARGS__))

static inline struct string_list notes_list(const struct notes *notes)
{
    return (struct string_list){notes->items, notes->count};
}

#endif
