/* A growing list of sentences for people: warnings of a summary. */
#ifndef INGEST_SOURCE_NOTES_H
#define INGEST_SOURCE_NOTES_H

#include "ops/runtime/arena.h"
#include "schema/documents/summary.h"

#include <stddef.h>

struct notes {
    struct arena *arena; /* of the list and of NOTE's texts */
    const char **items;
    size_t count, capacity;
};

/* Appends a text that outlives the list. */
void note_add(struct notes *notes, const char *text);

/* Appends a formatted text. */
#define NOTE(notes, ...) note_add((notes), arena_printf((notes)->arena, __VA_ARGS__))

/* Items of a file that are in no figure, by what became of them. */
struct fate_list {
    const char *things; /* what the file has, "items of the trace" */
    int64_t all;        /* how many */
    const char *const *texts;
    const int64_t *counts;
    size_t count;
};

/* Says how many are in no figure and why, where there are any. */
void notes_fates(struct notes *notes, const struct fate_list *list);

static inline struct string_list notes_list(const struct notes *notes)
{
    return (struct string_list){notes->items, notes->count};
}

#endif
