/* See step_extents.h. */
#include "ingest/step_extents.h"

void extents_init(struct extent_list *list, struct arena *arena)
{
    *list = (struct extent_list){.arena = arena};
    id_map_init(&list->by_window, arena);
}

bool extents_enter(struct extent_list *list, int32_t window)
{
    int32_t at = id_map_find(&list->by_window, window);
    if (at != ID_MAP_ABSENT) {
        list->last = (size_t)at;
        return true;
    }
    struct step_extent *items =
        arena_grow(list->arena, list->items, list->count, &list->capacity, sizeof *items);
    if (items == NULL || !id_map_set(&list->by_window, window, (int32_t)list->count))
        return false;
    list->items = items;
    list->last = list->count++;
    items[list->last] = (struct step_extent){window, INT64_MAX, INT64_MIN, 0};
    return true;
}
