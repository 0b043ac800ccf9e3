#include "ingest/order/sort_radix.h"

#include "ops/runtime/arena.h"

#include <stdlib.h>
#include <string.h>

enum { KEY_BYTES = 16, BYTE_VALUES = 256 };

/* Ascending by start, then descending by end. */
struct sort_key {
    uint64_t start, end;
    uint32_t index;
};

struct keys {
    struct sort_key *items, *spare;
    size_t count;
};

static uint64_t signed_rank(int64_t value)
{
    return (uint64_t)value ^ UINT64_C(1) << 63;
}

static unsigned key_byte(const struct sort_key *key, unsigned byte)
{
    uint64_t word = byte < 8 ? key->end : key->start;
    return (unsigned)(word >> (8 * (byte & 7))) & 0xFF;
}

static void keys_pass(struct keys *keys, unsigned byte)
{
    uint32_t starts[BYTE_VALUES] = {0};
    for (size_t i = 0; i < keys->count; i++)
        starts[key_byte(&keys->items[i], byte)]++;
    if (starts[key_byte(&keys->items[0], byte)] == keys->count)
        return; /* the same everywhere */
    uint32_t sum = 0;
    for (size_t value = 0; value < BYTE_VALUES; value++) {
        uint32_t here = starts[value];
        starts[value] = sum;
        sum += here;
    }
    for (size_t i = 0; i < keys->count; i++)
        keys->spare[starts[key_byte(&keys->items[i], byte)]++] = keys->items[i];
    struct sort_key *sorted = keys->spare;
    keys->spare = keys->items;
    keys->items = sorted;
}

void sort_radix(struct sort_record *items, size_t count, struct sort_record *spare)
{
    if (count < 2)
        return;
    struct sort_key *room = memory_alloc(2 * count * sizeof *room);
    struct keys keys = {room, room + count, count};
    for (size_t i = 0; i < count; i++)
        keys.items[i] = (struct sort_key){signed_rank(items[i].offset_ps),
                                          ~signed_rank(record_end(&items[i])), (uint32_t)i};
    for (unsigned byte = 0; byte < KEY_BYTES; byte++)
        keys_pass(&keys, byte);
    for (size_t i = 0; i < count; i++)
        spare[i] = items[keys.items[i].index];
    memcpy(items, spare, count * sizeof *items);
    free(room);
}
