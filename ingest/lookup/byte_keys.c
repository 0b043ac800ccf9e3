/* See byte_keys.h. Open addressing, at most half full. */
#include "ingest/lookup/byte_keys.h"

#include "ingest/lookup/strings.h"

#include <assert.h>
#include <string.h>

enum { FIRST_SLOTS = 64 };

/* Room for so many keys, which fill at most half of the slots. */
static void slots_grow(struct byte_keys *keys, size_t count, struct arena *arena)
{
    size_t slots = keys->mask == 0 ? FIRST_SLOTS : keys->mask + 1;
    while (2 * count >= slots)
        slots *= 2;
    keys->slots = arena_array(arena, uint32_t, slots);
    keys->mask = slots - 1;
    for (size_t i = 0; i < keys->count; i++) {
        size_t at = keys->items[i].hash & keys->mask;
        while (keys->slots[at] != 0)
            at = (at + 1) & keys->mask;
        keys->slots[at] = (uint32_t)i + 1;
    }
}

void byte_keys_expect(struct byte_keys *keys, size_t more, struct arena *arena)
{
    const size_t count = keys->count + more;
    if (2 * count > keys->mask)
        slots_grow(keys, count, arena);
    keys->items = arena_expect(arena, keys->items, &keys->capacity, count, sizeof *keys->items);
}

/* The slot of the key, or the free one where it would be. */
static uint32_t *slot_of(const struct byte_keys *keys, uint32_t hash, const void *bytes,
                         size_t length)
{
    size_t at = hash & keys->mask;
    for (; keys->slots[at] != 0; at = (at + 1) & keys->mask) {
        const struct byte_key *key = &keys->items[keys->slots[at] - 1];
        if (key->hash == hash && key->length == length && memcmp(key->bytes, bytes, length) == 0)
            break;
    }
    return &keys->slots[at];
}

int32_t byte_keys_find(const struct byte_keys *keys, const void *bytes, size_t length)
{
    return keys->count == 0
               ? -1
               : (int32_t)*slot_of(keys, (uint32_t)bytes_hash(bytes, length), bytes, length) - 1;
}

int32_t byte_keys_number(struct byte_keys *keys, const void *bytes, size_t length,
                         struct arena *arena)
{
    if (2 * (keys->count + 1) > keys->mask)
        slots_grow(keys, keys->count + 1, arena);
    assert(length <= UINT32_MAX);
    const uint32_t hash = (uint32_t)bytes_hash(bytes, length);
    uint32_t *slot = slot_of(keys, hash, bytes, length);
    if (*slot == 0) {
        char *copy = memcpy(arena_alloc(arena, length), bytes, length);
        keys->items =
            arena_grow(arena, keys->items, keys->count, &keys->capacity, sizeof *keys->items);
        keys->items[keys->count++] = (struct byte_key){copy, (uint32_t)length, hash};
        *slot = (uint32_t)keys->count;
    }
    return (int32_t)*slot - 1;
}
