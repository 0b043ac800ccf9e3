#include "ingest/lookup/counter.h"

#include <stdlib.h>

void counter_init(struct counter *counter, struct arena *arena)
{
    *counter = (struct counter){.arena = arena};
    id_map_init(&counter->index, arena);
}

void counter_add(struct counter *counter, int64_t key, int64_t count, uint64_t first_seen)
{
    int32_t at = id_map_find(&counter->index, key);
    if (at != ID_MAP_ABSENT) {
        struct count *item = &counter->items[at];
        if (__builtin_add_overflow(item->count, count, &item->count))
            item->count = INT64_MAX;
        if (first_seen < item->first_seen)
            item->first_seen = first_seen;
        return;
    }
    id_map_set(&counter->index, key, (int32_t)counter->item_count);
    counter->items = arena_grow(counter->arena, counter->items, counter->item_count,
                                &counter->capacity, sizeof *counter->items);
    counter->items[counter->item_count++] = (struct count){key, count, first_seen};
}

int64_t counter_count(const struct counter *counter, int64_t key)
{
    int32_t at = id_map_find(&counter->index, key);
    return at == ID_MAP_ABSENT ? 0 : counter->items[at].count;
}

/* true when a comes before b. */
static bool count_before(const struct count *a, const struct count *b)
{
    return a->count != b->count ? a->count > b->count : a->first_seen < b->first_seen;
}

static int compare(const void *a, const void *b)
{
    return count_before(a, b) ? -1 : count_before(b, a);
}

void counter_sort(struct counter *counter)
{
    if (counter->item_count > 0)
        qsort(counter->items, counter->item_count, sizeof *counter->items, compare);
}

int64_t counter_top(const struct counter *counter, int64_t absent)
{
    const struct count *top = NULL;
    for (size_t i = 0; i < counter->item_count; i++) {
        if (top == NULL || count_before(&counter->items[i], top))
            top = &counter->items[i];
    }
    return top == NULL ? absent : top->key;
}
