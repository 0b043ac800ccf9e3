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
    while (grown <= need)
        grown *= 2;
    void *table = arena_zalloc(arena, grown, size);
    if (table != NULL && *capacity > 0)
        memcpy(table, items, *capacity * size);
    if (table != NULL)
        *capacity = grown;
    return table;
}

static bool names_reach(struct running_totals *totals, size_t name)
{
    if (name < totals->name_capacity)
        return true;
    struct name_total *names =
        table_grow(totals->arena, totals->names, &totals->name_capacity, name, sizeof *names);
    if (names != NULL)
        totals->names = names;
    return names != NULL;
}

/* The region of that text; UINT32_MAX beyond the budget. */
static uint32_t region_of(struct running_totals *totals, uint32_t path, int64_t depth)
{
    int32_t known = id_map_find(&totals->region_by_path, path);
    if (known != ID_MAP_ABSENT)
        return (uint32_t)known;
    struct region *regions = arena_grow(totals->arena, totals->regions, totals->region_count,
                                        &totals->region_capacity, sizeof *regions);
    if (regions == NULL ||
        !id_map_set(&totals->region_by_path, path, (int32_t)totals->region_count))
        return UINT32_MAX;
    totals->regions = regions;
    regions[totals->region_count] = (struct region){.path = path, .depth = depth};
    return (uint32_t)totals->region_count++;
}

static bool chain_fill(struct running_totals *totals, const struct region_path *path,
                       uint32_t *chain)
{
    struct strings *strings = &totals->catalog->strings;
    scoped_text joined;
    text_init(&joined, SIZE_MAX / 2);
    for (uint32_t i = 0; i < path->count; i++) {
        if (i > 0)
            text_addn(&joined, separator, strlen(separator));
        text_add(&joined, strings_text(strings, path->parts[i]));
        uint32_t text = joined.failed ? (uint32_t)STRING_NONE
                                      : strings_add(strings, text_string(&joined), joined.length);
        chain[i] = text == STRING_NONE ? UINT32_MAX : region_of(totals, text, (int64_t)i + 1);
        if (chain[i] == UINT32_MAX)
            return false;
    }
    return true;
}

/* The regions of a path, made when its first event comes. */
static const uint32_t *chain_of(struct running_totals *totals, int32_t path)
{
    if ((size_t)path >= totals->chain_capacity) {
        uint32_t **chains = table_grow(totals->arena, totals->chains, &totals->chain_capacity,
                                       (size_t)path, sizeof *chains);
        if (chains == NULL)
            return NULL;
        totals->chains = chains;
    }
    if (totals->chains[path] == NULL) {
        const struct region_path *parts = &totals->catalog->paths[path];
        uint32_t *chain = arena_array(totals->arena, uint32_t, parts->count);
        if (chain == NULL || !chain_fill(totals, parts, chain))
            return NULL;
        totals->chains[path] = chain;
    }
    return totals->chains[path];
}

bool running_totals_add(struct running_totals *totals, const struct plane_ops *ops, int32_t op,
                        double total_us, double exclusive_us)
{
    const struct op *facts = &ops->ops[op];
    int32_t path = ops->details[op].path;
    const uint32_t *chain = chain_of(totals, path);
    if (chain == NULL || !names_reach(totals, (size_t)facts->name))
        return false;
    totals->names[facts->name].total_us += total_us;
    totals->names[facts->name].exclusive_us += exclusive_us;
    if (facts->collective != COLLECTIVE_NONE)
        totals->collectives[facts->collective] += exclusive_us;
    uint32_t count = totals->catalog->paths[path].count;
    for (uint32_t i = 0; i < count; i++)
        totals->regions[chain[i]].inclusive_us += exclusive_us;
    totals->regions[chain[count - 1]].exclusive_us += exclusive_us;
    return true;
}

bool running_totals_count(struct running_totals *totals, const struct plane_ops *ops, int32_t op,
                          int64_t count)
{
    int32_t path = ops->details[op].path;
    const uint32_t *chain = chain_of(totals, path);
    for (uint32_t i = 0; chain != NULL && i < totals->catalog->paths[path].count; i++)
        totals->regions[chain[i]].count += count;
    return chain != NULL;
}
