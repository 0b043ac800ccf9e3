#include "ingest/order/note_slots.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 256 };

void note_slots_done(struct note_slots *slots)
{
    free(slots->items);
    free(slots->free);
    *slots = (struct note_slots){0};
}

static bool slots_grow(struct note_slots *slots)
{
    size_t capacity = slots->capacity == 0 ? FIRST_SLOTS : 2 * slots->capacity;
    if (capacity > UINT32_MAX / 2)
        return false;
    struct event_note *items = realloc(slots->items, capacity * sizeof *items);
    if (items == NULL)
        return false;
    slots->items = items;
    uint32_t *numbers = realloc(slots->free, capacity * sizeof *numbers);
    if (numbers == NULL)
        return false;
    slots->free = numbers;
    slots->capacity = capacity;
    return true;
}

uint32_t note_keep(struct note_slots *slots, const struct event_note *note)
{
    uint32_t number;
    if (slots->free_count > 0) {
        number = slots->free[--slots->free_count];
    } else {
        if (slots->count == slots->capacity && !slots_grow(slots))
            return 0;
        number = (uint32_t)++slots->count;
    }
    slots->items[number - 1] = *note;
    return number;
}
