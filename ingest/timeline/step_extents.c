#include "ingest/timeline/step_extents.h"

#include <stdlib.h>

void extents_init(struct extent_list *list, struct arena *arena)
{
    *list = (struct extent_list){.arena = arena};
    id_map_init(&list->by_place, arena);
}

void extents_enter(struct extent_list *list, int32_t window, uint16_t program)
{
    const int64_t place = ((int64_t)program << 32) + window;
    int32_t at = id_map_find(&list->by_place, place);
    if (at != ID_MAP_ABSENT) {
        list->last = (size_t)at;
        return;
    }
    list->items =
        arena_grow(list->arena, list->items, list->count, &list->capacity, sizeof *list->items);
    id_map_set(&list->by_place, place, (int32_t)list->count);
    list->last = list->count++;
    list->items[list->last] = (struct step_extent){
        .window = window, .program = program, .first_ps = INT64_MAX, .last_ps = INT64_MIN};
}

static int compare_extents(const void *a, const void *b)
{
    const struct step_extent *left = a, *right = b;
    if (left->window != right->window)
        return left->window < right->window ? -1 : 1;
    return (left->program > right->program) - (left->program < right->program);
}

void extents_sort(struct extent_list *list)
{
    if (list->count > 1)
        qsort(list->items, list->count, sizeof *list->items, compare_extents);
}
