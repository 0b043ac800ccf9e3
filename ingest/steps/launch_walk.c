#include "ingest/steps/launch_walk.h"
#include "ingest/intervals/intervals.h"

#include <stdlib.h>

/* ---- order ----------------------------------------------------------------------------------- */

int compare_starts(const void *a, const void *b)
{
    const struct once_event *left = a, *right = b;
    if (left->start_ps != right->start_ps)
        return left->start_ps < right->start_ps ? -1 : 1;
    return (left->place > right->place) - (left->place < right->place);
}

static int compare_correlations(const void *a, const void *b)
{
    const struct once_event *left = a, *right = b;
    if (left->correlation.value != right->correlation.value)
        return left->correlation.value < right->correlation.value ? -1 : 1;
    return compare_starts(a, b);
}

/* ---- launches -------------------------------------------------------------------------------- */

/* From one event to the next: a launch begins where an op comes that the last one has shown, and
 * the program begins anew. So it does where the program's first op comes behind one of its second
 * half, for then the last one lacks its own. Streams side by side, which end and begin launches at
 * once, begin none. */
static struct found_launches events_walk(const struct once_events *list, size_t place_count,
                                         struct arena *arena)
{
    size_t *shown = arena_array(arena, size_t, place_count); /* by the last of so many launches */
    struct found_launch *items = NULL;
    size_t count = 0, capacity = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct once_event *event = &list->items[i];
        const int32_t before = i == 0 ? 0 : list->items[i - 1].place;
        const bool is_late = event->place == 0 && 2 * (size_t)before >= place_count;
        /* The way from the op before, on to the program's end and from its begin, skips less than
         * half of it. A loop goes back by less. */
        const size_t skipped = place_count - 1 - (size_t)before + (size_t)event->place;
        const bool goes_round = event->place <= before && 2 * skipped < place_count;
        if (i == 0 || is_late ||
            (shown[event->place] == count && (event->place == 0 || goes_round))) {
            items = arena_grow(arena, items, count, &capacity, sizeof *items);
            items[count++] = (struct found_launch){event->start_ps, event->correlation, 0,
                                                   event->place, event->place};
        }
        struct found_launch *launch = &items[count - 1];
        launch->least = event->place < launch->least ? event->place : launch->least;
        launch->greatest = event->place > launch->greatest ? event->place : launch->greatest;
        shown[event->place] = count;
    }
    return (struct found_launches){.items = items, .count = count};
}

struct found_launches launches_walk(struct once_events *list, size_t place_count,
                                    struct arena *arena)
{
    enum { MISSING_PER_OPS = 10 };
    const int32_t few = (int32_t)place_count / MISSING_PER_OPS;
    struct found_launches launches;
    bool by_id = true;
    for (size_t i = 0; i < list->count && by_id; i++)
        by_id = correlation_is_known(list->items[i].correlation);
    if (by_id) {
        qsort(list->items, list->count, sizeof *list->items, compare_correlations);
        launches = events_walk(list, place_count, arena);
        /* What ids tell holds where the launches begin one after the other. */
        for (size_t i = 1; i < launches.count && by_id; i++)
            by_id = launches.items[i].start_ps > launches.items[i - 1].start_ps &&
                    launches.items[i].correlation.value > launches.items[i - 1].correlation.value;
    }
    if (!by_id) {
        for (size_t i = 0; i < list->count; i++)
            list->items[i].correlation = (struct opt_i64){0};
        qsort(list->items, list->count, sizeof *list->items, compare_starts);
        launches = events_walk(list, place_count, arena);
    }
    if (launches.count > 1 && launches.items[0].least > few) {
        launches.items++;
        launches.count--;
    }
    launches.cut = launches.items[launches.count - 1];
    launches.has_cut = launches.count > 1 && launches.cut.greatest + few + 1 < (int32_t)place_count;
    launches.count -= launches.has_cut;
    return launches;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static int64_t apart_ps(const struct found_launch *a, const struct found_launch *b)
{
    return a->start_ps < b->start_ps ? ps_between(a->start_ps, b->start_ps)
                                     : ps_between(b->start_ps, a->start_ps);
}

void launches_number(struct found_launches *launches, const struct found_launches *most)
{
    size_t at = 0;
    for (size_t i = 0; i < launches->count; i++, at++) {
        const size_t last = most->count - (launches->count - i);
        struct found_launch *launch = &launches->items[i];
        while (at < last &&
               apart_ps(launch, &most->items[at + 1]) < apart_ps(launch, &most->items[at]))
            at++;
        launch->number = (int64_t)at;
    }
}
