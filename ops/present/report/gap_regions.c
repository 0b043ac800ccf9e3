/* Sums gap contexts by region: the contexts are brought together by sorting, then each run is
 * summed in document order. */
#include "ops/present/report/gap_regions.h"

#include <stdlib.h>
#include <string.h>

struct entry {
    const struct gap_region_context *context;
    size_t order;
};

/* By region, then op, then place in the document. */
static int entry_compare(const void *left, const void *right)
{
    const struct entry *a = left;
    const struct entry *b = right;
    int by_path = strcmp(a->context->region_path, b->context->region_path);
    if (by_path != 0)
        return by_path;
    return (a->order > b->order) - (a->order < b->order);
}

static int op_by_name(const void *left, const void *right)
{
    const struct gap_region_op *a = left;
    const struct gap_region_op *b = right;
    int by_name = strcmp(a->name, b->name);
    return by_name != 0 ? by_name : (a->order > b->order) - (a->order < b->order);
}

static int op_by_count(const void *left, const void *right)
{
    const struct gap_region_op *a = left;
    const struct gap_region_op *b = right;
    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return (a->order > b->order) - (a->order < b->order);
}

static int region_compare(const void *left, const void *right)
{
    const struct gap_region *a = left;
    const struct gap_region *b = right;
    if (a->total != b->total)
        return a->total < b->total ? 1 : -1;
    return strcmp(a->path, b->path);
}

/* One entry per op name, then the order that is shown. */
static void ops_join(struct gap_region *region)
{
    size_t kept = 0;
    qsort(region->ops, region->op_count, sizeof *region->ops, op_by_name);
    for (size_t i = 0; i < region->op_count; i++) {
        if (kept > 0 && strcmp(region->ops[kept - 1].name, region->ops[i].name) == 0)
            region->ops[kept - 1].count += region->ops[i].count;
        else
            region->ops[kept++] = region->ops[i];
    }
    region->op_count = kept;
    qsort(region->ops, kept, sizeof *region->ops, op_by_count);
}

void gap_regions_make(const struct summary *summary, struct arena *arena,
                      struct gap_region **ret_regions, size_t *ret_count)
{
    size_t count = summary->gap_region_context_count;
    struct entry *entries = arena_array(arena, struct entry, count);
    struct gap_region *regions = arena_array(arena, struct gap_region, count);
    struct gap_region_op *ops = arena_array(arena, struct gap_region_op, count);
    for (size_t i = 0; i < count; i++)
        entries[i] = (struct entry){&summary->gap_region_contexts[i], i};
    qsort(entries, count, sizeof *entries, entry_compare);
    size_t region_count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct gap_region_context *context = entries[i].context;
        if (i == 0 || strcmp(context->region_path, entries[i - 1].context->region_path) != 0)
            regions[region_count++] =
                (struct gap_region){.path = context->region_path, .ops = &ops[i]};
        struct gap_region *region = &regions[region_count - 1];
        region->count += context->count;
        region->total += context->total_gap_duration;
        region->ops[region->op_count++] =
            (struct gap_region_op){context->op_name, context->count, entries[i].order};
    }
    for (size_t i = 0; i < region_count; i++)
        ops_join(&regions[i]);
    *ret_count = region_count;
    qsort(regions, *ret_count, sizeof *regions, region_compare);
    *ret_regions = regions;
}
