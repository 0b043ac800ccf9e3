#include "ingest/timeline/running_totals.h"

#include <string.h>

static const char separator[] = "=>";

void running_totals_init(struct running_totals *totals, struct catalog *catalog,
                         struct arena *arena)
{
    *totals = (struct running_totals){.catalog = catalog, .arena = arena};
    id_map_init(&totals->region_by_path, arena);
}

/* Room for index `need` of an array that is indexed by a growing catalog. */
static void *table_grow(struct arena *arena, void *items, size_t *capacity, size_t need,
                        size_t size)
{
    size_t grown = *capacity == 0 ? 256 : *capacity;
    if (need < *capacity)
        return items;
    while (grown <= need)
        grown *= 2;
    void *table = arena_zalloc(arena, grown, size);
    if (*capacity > 0)
        memcpy(table, items, *capacity * size);
    *capacity = grown;
    return table;
}

/* The region of that text. */
static uint32_t region_of(struct running_totals *totals, uint32_t path, int64_t depth)
{
    int32_t known = id_map_find(&totals->region_by_path, path);
    if (known != ID_MAP_ABSENT)
        return (uint32_t)known;
    totals->regions = arena_grow(totals->arena, totals->regions, totals->region_count,
                                 &totals->region_capacity, sizeof *totals->regions);
    id_map_set(&totals->region_by_path, path, (int32_t)totals->region_count);
    totals->regions[totals->region_count] = (struct region){.path = path, .depth = depth};
    return (uint32_t)totals->region_count++;
}

/* The regions of a path, made when its first event comes. */
static const uint32_t *chain_of(struct running_totals *totals, int32_t path)
{
    struct strings *strings = &totals->catalog->strings;
    totals->chains = table_grow(totals->arena, totals->chains, &totals->chain_capacity,
                                (size_t)path, sizeof *totals->chains);
    if (totals->chains[path] != NULL)
        return totals->chains[path];
    const struct region_path *parts = &totals->catalog->paths[path];
    uint32_t *chain = arena_array(totals->arena, uint32_t, parts->count);
    scoped_text joined;
    text_init(&joined, SIZE_MAX / 2);
    for (uint32_t i = 0; i < parts->count; i++) {
        if (i > 0)
            text_addn(&joined, separator, strlen(separator));
        text_add(&joined, strings_text(strings, parts->parts[i]));
        const uint32_t text = strings_add(strings, text_shown(&joined), joined.length);
        chain[i] = region_of(totals, text, (int64_t)i + 1);
    }
    return totals->chains[path] = chain;
}

void running_totals_add(struct running_totals *totals, const struct plane_ops *ops, int32_t op,
                        double total_us, double exclusive_us)
{
    const struct op *facts = &ops->ops[op];
    int32_t path = ops->details[op].path;
    const uint32_t *chain = chain_of(totals, path);
    totals->names = table_grow(totals->arena, totals->names, &totals->name_capacity,
                               (size_t)facts->name, sizeof *totals->names);
    totals->names[facts->name].total_us += total_us;
    totals->names[facts->name].exclusive_us += exclusive_us;
    if (facts->collective != COLLECTIVE_NONE)
        totals->collectives[facts->collective] += exclusive_us;
    uint32_t count = totals->catalog->paths[path].count;
    for (uint32_t i = 0; i < count; i++)
        totals->regions[chain[i]].inclusive_us += exclusive_us;
    totals->regions[chain[count - 1]].exclusive_us += exclusive_us;
}

void running_totals_count(struct running_totals *totals, const struct plane_ops *ops, int32_t op,
                          int64_t count)
{
    int32_t path = ops->details[op].path;
    const uint32_t *chain = chain_of(totals, path);
    for (uint32_t i = 0; i < totals->catalog->paths[path].count; i++)
        totals->regions[chain[i]].count += count;
}
