/* Interning: open addressing over numbers, texts in the arena. */
#include "ingest/lookup/strings.h"

#include <string.h>

enum { FIRST_SLOTS = 1024 };

static uint64_t mix(uint64_t h)
{
    h ^= h >> 32;
    h *= UINT64_C(0xD6E8FEB86659FD93);
    return h ^ h >> 29;
}

uint64_t bytes_hash(const void *bytes, size_t length)
{
    const unsigned char *p = bytes;
    uint64_t h = UINT64_C(0x9E3779B97F4A7C15) ^ length;
    for (; length >= sizeof(uint64_t); p += sizeof(uint64_t), length -= sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, p, sizeof word);
        h = mix(h ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    }
    uint64_t tail = 0;
    memcpy(&tail, p, length);
    return mix(h ^ tail);
}

void strings_init(struct strings *strings, struct arena *arena)
{
    *strings = (struct strings){.arena = arena, .count = 1, .capacity = FIRST_SLOTS / 2};
    strings->texts = arena_array(arena, const char *, strings->capacity);
    strings->hashes = arena_array(arena, uint32_t, strings->capacity);
    strings->slots = arena_array(arena, uint32_t, FIRST_SLOTS);
    strings->mask = FIRST_SLOTS - 1;
}

/* The old arrays stay in the arena; where room is doubled, in all no more than the new ones. */
static void strings_grow(struct strings *strings, uint32_t capacity)
{
    const uint32_t slot_count = 2 * capacity;
    const char **texts = arena_array(strings->arena, const char *, capacity);
    uint32_t *hashes = arena_array(strings->arena, uint32_t, capacity);
    uint32_t *slots = arena_array(strings->arena, uint32_t, slot_count);
    memcpy(texts, strings->texts, strings->count * sizeof *texts);
    memcpy(hashes, strings->hashes, strings->count * sizeof *hashes);
    for (uint32_t number = 1; number < strings->count; number++) {
        uint32_t at = hashes[number] & (slot_count - 1);
        while (slots[at] != STRING_NONE)
            at = (at + 1) & (slot_count - 1);
        slots[at] = number;
    }
    strings->texts = texts;
    strings->hashes = hashes;
    strings->slots = slots;
    strings->capacity = capacity;
    strings->mask = slot_count - 1;
}

void strings_expect(struct strings *strings, size_t count)
{
    uint32_t capacity = strings->capacity;
    while (capacity <= count)
        capacity *= 2;
    if (capacity > strings->capacity)
        strings_grow(strings, capacity);
}

uint32_t strings_add(struct strings *strings, const char *text, size_t length)
{
    length = strnlen(text, length);
    if (strings->count == strings->capacity)
        strings_grow(strings, 2 * strings->capacity);
    uint32_t hash = (uint32_t)bytes_hash(text, length);
    uint32_t at = hash & strings->mask;
    for (; strings->slots[at] != STRING_NONE; at = (at + 1) & strings->mask) {
        uint32_t number = strings->slots[at];
        const char *known = strings->texts[number];
        if (strings->hashes[number] == hash && strncmp(known, text, length) == 0 &&
            known[length] == '\0')
            return number;
    }
    uint32_t number = strings->count++;
    strings->texts[number] = arena_strndup(strings->arena, text, length);
    strings->hashes[number] = hash;
    strings->slots[at] = number;
    return number;
}
