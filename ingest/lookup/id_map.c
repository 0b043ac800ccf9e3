/* Open addressing with linear probing; at most half full. */
#include "ingest/lookup/id_map.h"

enum {
    FIRST_SLOTS = 16,
    FIRST_DENSE = 64,
    DENSE_PER_ID = 16 /* the table has at most so many places for each id */
};

void id_map_init(struct id_map *map, struct arena *arena)
{
    *map = (struct id_map){.arena = arena};
}

static struct id_slot *slot_of(const struct id_map *map, int64_t id)
{
    const uint64_t hash = (uint64_t)id * UINT64_C(0x9E3779B97F4A7C15);
    size_t at = (size_t)(hash ^ hash >> 32) & map->mask;
    while (map->slots[at].index != ID_MAP_ABSENT && map->slots[at].id != id)
        at = (at + 1) & map->mask;
    return &map->slots[at];
}

int32_t id_map_find_slot(const struct id_map *map, int64_t id)
{
    return slot_of(map, id)->index;
}

static void slots_grow(struct id_map *map)
{
    const struct id_map old = *map;
    const size_t slots = old.mask == 0 ? FIRST_SLOTS : 2 * (old.mask + 1);
    map->slots = arena_array(map->arena, struct id_slot, slots);
    map->mask = slots - 1;
    for (size_t i = 0; i < slots; i++)
        map->slots[i].index = ID_MAP_ABSENT;
    for (size_t i = 0; old.mask != 0 && i <= old.mask; i++) {
        if (old.slots[i].index != ID_MAP_ABSENT)
            *slot_of(map, old.slots[i].id) = old.slots[i];
    }
}

/* Makes the table reach to an id; those that it now reaches move there from the slots, where the
 * places that they leave are not found any more. */
static void dense_grow(struct id_map *map, size_t id)
{
    size_t count = map->dense_count == 0 ? FIRST_DENSE : map->dense_count;
    while (count <= id)
        count *= 2;
    int32_t *dense = arena_array(map->arena, int32_t, count);
    for (size_t i = 0; i < count; i++)
        dense[i] = i < map->dense_count ? map->dense[i] : ID_MAP_ABSENT;
    for (size_t i = 0; map->mask != 0 && i <= map->mask; i++) {
        const struct id_slot *slot = &map->slots[i];
        if (slot->index != ID_MAP_ABSENT && (uint64_t)slot->id < count)
            dense[slot->id] = slot->index;
    }
    map->dense = dense;
    map->dense_count = count;
}

void id_map_set(struct id_map *map, int64_t id, int32_t index)
{
    const bool is_dense = id >= 0 && id < DENSE_IDS &&
                          ((size_t)id < FIRST_DENSE || (size_t)id / DENSE_PER_ID <= map->count);
    if ((uint64_t)id >= map->dense_count && is_dense)
        dense_grow(map, (size_t)id);
    if ((uint64_t)id < map->dense_count) {
        map->count += map->dense[id] == ID_MAP_ABSENT;
        map->dense[id] = index;
        return;
    }
    if (2 * (map->slot_count + 1) > map->mask)
        slots_grow(map);
    struct id_slot *slot = slot_of(map, id);
    if (slot->index == ID_MAP_ABSENT) {
        map->slot_count++;
        map->count++;
    }
    *slot = (struct id_slot){id, index};
}
