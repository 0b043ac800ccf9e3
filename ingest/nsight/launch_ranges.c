#include "ingest/nsight/launch_ranges.h"

#include <stdlib.h>
#include <string.h>

struct open_range {
    int64_t start, end;
    uint32_t context;
    int32_t parent; /* among those of the thread; -1 = none */
    uint32_t run;
};

struct thread_ranges {
    struct open_range *items; /* by start, once they are nested */
    size_t count, capacity;
    size_t hint; /* where the last question was answered */
};

struct known_launch {
    int64_t correlation;
    struct launch_origin origin;
};

void launch_ranges_init(struct launch_ranges *ranges, struct strings *strings, struct arena *arena)
{
    *ranges = (struct launch_ranges){.arena = arena, .strings = strings};
    id_map_init(&ranges->context_by_text, arena);
    id_map_init(&ranges->context_by_pair, arena);
    id_map_init(&ranges->thread_by_id, arena);
    ranges->contexts =
        arena_grow(arena, NULL, 0, &ranges->context_capacity, sizeof *ranges->contexts);
    ranges->contexts[ranges->context_count++] = (struct launch_context){0};
}

/* ---- contexts -------------------------------------------------------------------------------- */

/* The context of a key, where it is known; else a new one under it. */
static uint32_t context_add(struct launch_ranges *ranges, struct id_map *by_key, int64_t key,
                            const struct launch_context *context)
{
    ranges->contexts = arena_grow(ranges->arena, ranges->contexts, ranges->context_count,
                                  &ranges->context_capacity, sizeof *ranges->contexts);
    ranges->contexts[ranges->context_count] = *context;
    id_map_set(by_key, key, (int32_t)ranges->context_count);
    return (uint32_t)ranges->context_count++;
}

static uint32_t part_keep(struct launch_ranges *ranges, struct range_part part)
{
    return part.length == 0 ? (uint32_t)STRING_NONE
                            : strings_add(ranges->strings, part.start, part.length);
}

/* What a range says alone. */
static uint32_t context_of_text(struct launch_ranges *ranges, uint32_t text,
                                const struct range_name *name)
{
    const int32_t known = id_map_find(&ranges->context_by_text, text);
    if (known != ID_MAP_ABSENT)
        return (uint32_t)known;
    struct launch_context context = {.program = name->program};
    context.module = part_keep(ranges, name->module);
    context.op = part_keep(ranges, name->op);
    *(name->kind == RANGE_MODULE ? &context.prefix : &context.path) = part_keep(ranges, name->path);
    return context_add(ranges, &ranges->context_by_text, text, &context);
}

/* What a range says within another one: an op of the module around it, else what the inner one
 * says. */
static uint32_t context_within(struct launch_ranges *ranges, uint32_t inner, uint32_t outer)
{
    const struct launch_context *around = &ranges->contexts[outer];
    struct launch_context context = ranges->contexts[inner];
    if (context.module != STRING_NONE || around->module == STRING_NONE)
        return inner;
    const int64_t pair = (int64_t)outer << 32 | inner;
    const int32_t known = id_map_find(&ranges->context_by_pair, pair);
    if (known != ID_MAP_ABSENT)
        return (uint32_t)known;
    context.module = around->module;
    context.program = around->program;
    context.prefix = around->prefix;
    /* the module keeps the beginning that the paths of all of its ops share */
    const char *begin = strings_text(ranges->strings, context.prefix);
    const char *rest = strings_text(ranges->strings, context.path);
    if (begin != NULL && rest != NULL && rest[0] == '/') {
        const char *whole = arena_printf(ranges->arena, "%s%s", begin, rest);
        context.path = strings_add(ranges->strings, whole, strlen(whole));
    }
    return context_add(ranges, &ranges->context_by_pair, pair, &context);
}

/* ---- ranges ---------------------------------------------------------------------------------- */

static struct thread_ranges *thread_of(struct launch_ranges *ranges, int64_t thread)
{
    int32_t known = id_map_find(&ranges->thread_by_id, thread);
    if (known != ID_MAP_ABSENT)
        return &ranges->threads[known];
    id_map_set(&ranges->thread_by_id, thread, (int32_t)ranges->thread_count);
    ranges->threads = arena_grow(ranges->arena, ranges->threads, ranges->thread_count,
                                 &ranges->thread_capacity, sizeof *ranges->threads);
    ranges->threads[ranges->thread_count] = (struct thread_ranges){0};
    return &ranges->threads[ranges->thread_count++];
}

void launch_ranges_add(struct launch_ranges *ranges, const struct range_place *place, uint32_t text,
                       const struct range_name *name)
{
    const uint32_t context = context_of_text(ranges, text, name);
    struct thread_ranges *own = thread_of(ranges, place->thread);
    own->items =
        arena_grow(ranges->arena, own->items, own->count, &own->capacity, sizeof *own->items);
    own->items[own->count++] =
        (struct open_range){place->start, place->end, context, -1,
                            name->kind == RANGE_MODULE ? ++ranges->run_count : NO_RUN};
}

static int compare_ranges(const void *a, const void *b)
{
    const struct open_range *left = a, *right = b;
    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    return (left->end < right->end) - (left->end > right->end);
}

void launch_ranges_nest(struct launch_ranges *ranges)
{
    for (size_t t = 0; t < ranges->thread_count; t++) {
        struct thread_ranges *own = &ranges->threads[t];
        int32_t open = -1;
        qsort(own->items, own->count, sizeof *own->items, compare_ranges);
        for (size_t i = 0; i < own->count; i++) {
            struct open_range *range = &own->items[i];
            while (open >= 0 && own->items[open].end <= range->start)
                open = own->items[open].parent;
            range->parent = open;
            if (open >= 0)
                range->context = context_within(ranges, range->context, own->items[open].context);
            if (range->run == NO_RUN && open >= 0)
                range->run = own->items[open].run;
            open = (int32_t)i;
        }
    }
}

/* ---- launches -------------------------------------------------------------------------------- */

/* The innermost range that is open on the thread at this time. */
static struct launch_origin origin_at(struct launch_ranges *ranges, int64_t thread, int64_t time)
{
    const struct launch_origin nowhere = {NO_CONTEXT, NO_RUN};
    int32_t known = id_map_find(&ranges->thread_by_id, thread);
    if (known == ID_MAP_ABSENT)
        return nowhere;
    struct thread_ranges *own = &ranges->threads[known];
    if (own->hint >= own->count || own->items[own->hint].start > time)
        own->hint = 0;
    size_t low = own->hint, high = own->count;
    for (size_t reach = 1; low + reach < own->count; reach *= 2) {
        if (own->items[low + reach].start > time) {
            high = low + reach;
            break;
        }
        low += reach;
    }
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(own->items[middle].start > time ? &high : &low) = middle;
    }
    own->hint = low;
    int32_t at = own->items[low].start <= time ? (int32_t)low : -1;
    while (at >= 0 && own->items[at].end <= time)
        at = own->items[at].parent;
    return at < 0 ? nowhere : (struct launch_origin){own->items[at].context, own->items[at].run};
}

void launch_add(struct launch_ranges *ranges, int64_t thread, int64_t start, int64_t correlation)
{
    const struct launch_origin origin = origin_at(ranges, thread, start);
    if (origin.context == NO_CONTEXT)
        return;
    ranges->launches = arena_grow(ranges->arena, ranges->launches, ranges->launch_count,
                                  &ranges->launch_capacity, sizeof *ranges->launches);
    ranges->launches[ranges->launch_count++] = (struct known_launch){correlation, origin};
    ranges->is_settled = false;
}

static int compare_launches(const void *a, const void *b)
{
    const struct known_launch *left = a, *right = b;
    if (left->correlation != right->correlation)
        return left->correlation < right->correlation ? -1 : 1;
    return (left->origin.context > right->origin.context) -
           (left->origin.context < right->origin.context);
}

struct launch_origin launch_origin_of(struct launch_ranges *ranges, struct opt_i64 correlation)
{
    const struct launch_origin nowhere = {NO_CONTEXT, NO_RUN};
    if (!correlation.set || ranges->launch_count == 0)
        return nowhere;
    if (!ranges->is_settled)
        qsort(ranges->launches, ranges->launch_count, sizeof *ranges->launches, compare_launches);
    ranges->is_settled = true;
    size_t low = 0, high = ranges->launch_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ranges->launches[middle].correlation < correlation.value)
            low = middle + 1;
        else
            high = middle;
    }
    bool known =
        low < ranges->launch_count && ranges->launches[low].correlation == correlation.value;
    return known ? ranges->launches[low].origin : nowhere;
}
