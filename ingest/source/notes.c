#include "ingest/source/notes.h"

#include "ops/runtime/text.h"

#include <inttypes.h>

enum { FATES_BYTES_MAX = 4096 };

void note_add(struct notes *notes, const char *text)
{
    notes->items = arena_grow(notes->arena, notes->items, notes->count, &notes->capacity,
                              sizeof *notes->items);
    notes->items[notes->count++] = text;
}

void notes_fates(struct notes *notes, const struct fate_list *list)
{
    int64_t count = 0;
    scoped_text parts;
    text_init(&parts, FATES_BYTES_MAX);
    for (size_t i = 0; i < list->count; i++) {
        if (list->counts[i] > 0)
            text_addf(&parts, "%s%" PRId64 " %s", count == 0 ? "" : ", ", list->counts[i],
                      list->texts[i]);
        count += list->counts[i];
    }
    if (count > 0)
        NOTE(notes, "%" PRId64 " of %" PRId64 " %s are in no figure: %s.", count, list->all,
             list->things, text_shown(&parts));
}
