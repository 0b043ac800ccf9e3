#include "ingest/breakdown/work_lists.h"

void work_lists_init(struct work_lists *lists, struct arena *arena, struct spill *spill)
{
    *lists = (struct work_lists){.arena = arena, .spill = spill};
}

void work_lists_done(struct work_lists *lists)
{
    for (size_t i = 0; i < lists->count; i++)
        interval_list_done(&lists->items[i]->list);
    lists->count = 0;
}

void work_lists_begin_line(struct work_lists *lists)
{
    lists->line = lists->count;
}

bool work_lists_add(struct work_lists *lists, unsigned class, int64_t start, int64_t end,
                    struct err *err)
{
    struct work_list *list = NULL;
    if (lists->sweep != NULL)
        return sweep_add(lists->sweep, class, start, end, err);
    for (size_t i = lists->line; i < lists->count && list == NULL; i++)
        if (lists->items[i]->class == class && lists->items[i]->last_start <= start)
            list = lists->items[i];
    if (list == NULL) {
        list = arena_new(lists->arena, struct work_list);
        list->class = class;
        interval_list_init(&list->list, lists->spill, lists->arena);
        lists->items = arena_grow(lists->arena, lists->items, lists->count, &lists->capacity,
                                  sizeof *lists->items);
        lists->items[lists->count++] = list;
    }
    list->last_start = start;
    return interval_list_add(&list->list, start, end, err);
}

void work_lists_move(struct work_lists *lists, unsigned class, unsigned to)
{
    for (size_t i = lists->line; i < lists->count; i++)
        if (lists->items[i]->class == class)
            lists->items[i]->class = to;
}

void work_lists_drop(struct work_lists *lists, unsigned class)
{
    for (size_t i = lists->line; i < lists->count; i++) {
        struct work_list *list = lists->items[i];
        if (list->class != class)
            continue;
        interval_list_done(&list->list);
        interval_list_init(&list->list, lists->spill, lists->arena);
        list->last_start = INT64_MIN;
    }
}
