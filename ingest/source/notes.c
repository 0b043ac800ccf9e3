/* See notes.h. */
#include "ingest/source/notes.h"

void note_add(struct notes *notes, const char *text)
{
    const char **items =
        arena_grow(notes->arena, notes->items, notes->count, &notes->capacity, sizeof *items);
    if (items == NULL || text == NULL) {
        notes->failed = true;
        return;
    }
    notes->items = items;
    items[notes->count++] = text;
}
