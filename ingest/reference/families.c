/* Semantic families: the hot ops grouped by what their names mean (profile_summary.v1 §9). */
#include "ingest/reference/reference.h"

#include "schema/documents/op_semantics.h"

#include <stdlib.h>
#include <string.h>

int semantic_family_order(const void *a, const void *b)
{
    const struct semantic_family *left = a, *right = b;
    if (left->exclusive_duration != right->exclusive_duration)
        return left->exclusive_duration > right->exclusive_duration ? -1 : 1;
    return strcmp(left->family, right->family);
}

/* The row of a family, made when its first op comes. */
static struct semantic_family *row_of(struct summary *summary, const char *name)
{
    for (size_t i = 0; i < summary->semantic_family_count; i++) {
        if (strcmp(summary->semantic_families[i].family, name) == 0)
            return &summary->semantic_families[i];
    }
    struct semantic_family *row = &summary->semantic_families[summary->semantic_family_count++];
    row->family = name;
    return row;
}

/* The shape that most events of a family's ops have. */
static const char *dominant_shape(struct arena *arena, const struct summary *summary,
                                  const char *family)
{
    struct strings shapes;
    struct counter counter;
    strings_init(&shapes, arena);
    counter_init(&counter, arena);
    for (size_t i = 0; i < summary->hot_op_count; i++) {
        const struct hot_op *hot = &summary->hot_ops[i];
        if (hot->shape_signature == NULL || strcmp(op_family(hot->canonical_name), family) != 0)
            continue;
        uint32_t shape = strings_add(&shapes, hot->shape_signature, strlen(hot->shape_signature));
        counter_add(&counter, shape, hot->count, i);
    }
    return strings_text(&shapes, (uint32_t)counter_top(&counter, STRING_NONE));
}

void families_build(int64_t limit, struct arena *arena, struct summary *summary)
{
    summary->semantic_family_count = 0;
    summary->semantic_families = arena_array(arena, struct semantic_family, summary->hot_op_count);
    double exclusive = 0, total = summary->time_breakdown.total_duration;
    for (size_t i = 0; i < summary->hot_op_count; i++) {
        const struct hot_op *hot = &summary->hot_ops[i];
        struct semantic_family *row = row_of(summary, op_family(hot->canonical_name));
        if (row->example_op == NULL)
            row->example_op = hot->name;
        row->count += hot->count;
        row->total_duration += hot->total_duration;
        row->exclusive_duration += hot->exclusive_duration;
        if (hot->flop_proxy_per_invocation.set) {
            row->flop_proxy_total.set = true;
            row->flop_proxy_total.value +=
                hot->flop_proxy_per_invocation.value * (double)hot->count;
        }
        exclusive += hot->exclusive_duration;
    }
    double denominator = exclusive > total ? exclusive : total;
    for (size_t i = 0; i < summary->semantic_family_count; i++) {
        struct semantic_family *row = &summary->semantic_families[i];
        double flops = row->flop_proxy_total.value;
        row->share_of_total = denominator > 0 ? row->exclusive_duration / denominator : 0;
        row->avg_duration = row->count > 0 ? row->total_duration / (double)row->count : 0;
        row->avg_exclusive_duration =
            row->count > 0 ? row->exclusive_duration / (double)row->count : 0;
        row->dominant_shape_signature = dominant_shape(arena, summary, row->family);
        if (row->flop_proxy_total.set && flops > 0)
            row->time_per_flop_proxy = some_f64(row->exclusive_duration / flops);
    }
    size_t count = summary->semantic_family_count;
    qsort(summary->semantic_families, count, sizeof *summary->semantic_families,
          semantic_family_order);
    summary->has_semantic_families = true;
    summary->semantic_family_count = slice_count_least(count, limit, FAMILIES_LEAST);
}
