#include "ingest/order/note_slots.h"

#include "ops/runtime/arena.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 256 };

void note_slots_done(struct note_slots *slots)
{
    free(slots->items);
    free(slots->free);
    *slots = (struct note_slots){0};
}

uint32_t note_keep(struct note_slots *slots, const struct event_note *note)
{
    uint32_t number;
    if (slots->free_count > 0) {
        number = slots->free[--slots->free_count];
    } else {
        if (slots->count == slots->capacity) {
            slots->capacity = slots->capacity == 0 ? FIRST_SLOTS : 2 * slots->capacity;
            slots->items = memory_resize(slots->items, slots->capacity * sizeof *slots->items);
            slots->free = memory_resize(slots->free, slots->capacity * sizeof *slots->free);
        }
        number = (uint32_t)++slots->count;
    }
    slots->items[number - 1] = *note;
    return number;
}
