/* Notes of events that are on their way through a sort: few events have one, so they lie apart. */
#ifndef INGEST_ORDER_NOTE_SLOTS_H
#define INGEST_ORDER_NOTE_SLOTS_H

#include "ingest/order/event.h"

#include <stddef.h>
#include <stdint.h>

struct note_slots {
    struct event_note *items;
    uint32_t *free; /* numbers that can be given again */
    size_t count, capacity, free_count;
};

/* Accepts a zeroed struct. */
void note_slots_done(struct note_slots *slots);

/* Keeps a copy; its number, above 0. */
uint32_t note_keep(struct note_slots *slots, const struct event_note *note);

/* The note of a number, until it is released. 0 is no number. */
static inline const struct event_note *note_of(const struct note_slots *slots, uint32_t number)
{
    return &slots->items[number - 1];
}

/* Takes a number back; 0 is none. */
static inline void note_release(struct note_slots *slots, uint32_t number)
{
    if (number != 0)
        slots->free[slots->free_count++] = number;
}

#endif
