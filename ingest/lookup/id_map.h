/* From 64-bit ids to dense indexes.
 *
 * Ids in real files go up to 2.4e18, so nothing is ever an array by id; most are small and lie
 * close together, so those below DENSE_IDS are answered from a table without hashing. The table is
 * never much larger than what it holds: a single id of 65535 does not make one.
 */
#ifndef INGEST_LOOKUP_ID_MAP_H
#define INGEST_LOOKUP_ID_MAP_H

#include "ops/runtime/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum { ID_MAP_ABSENT = -1, DENSE_IDS = 1 << 16 };

struct id_slot {
    int64_t id;
    int32_t index; /* ID_MAP_ABSENT = free */
};

struct id_map {
    struct arena *arena;
    int32_t *dense; /* index by id */
    size_t dense_count;
    struct id_slot *slots;
    size_t mask;       /* slots - 1; 0 without slots */
    size_t slot_count; /* of those, taken */
    size_t count;      /* ids */
};

/* An empty map in the arena. */
void id_map_init(struct id_map *map, struct arena *arena);

/* Sets the index (>= 0) of an id, replacing an earlier one. */
void id_map_set(struct id_map *map, int64_t id, int32_t index);

/* The slow path of id_map_find. */
int32_t id_map_find_slot(const struct id_map *map, int64_t id);

/* The index of an id, ID_MAP_ABSENT when it has none. */
static inline int32_t id_map_find(const struct id_map *map, int64_t id)
{
    if ((uint64_t)id < map->dense_count)
        return map->dense[id];
    return map->mask == 0 ? ID_MAP_ABSENT : id_map_find_slot(map, id);
}

#endif
