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

/* The shape that most events of a family's ops have. false beyond the budget. */
static bool dominant_shape(struct arena *arena, const struct summary *summary,
                           struct semantic_family *row)
{
    struct strings shapes;
    struct counter counter;
    bool counted = strings_init(&shapes, arena);
    counter_init(&counter, arena);
    for (size_t i = 0; counted && i < summary->hot_op_count; i++) {
        const struct hot_op *hot = &summary->hot_ops[i];
        if (hot->shape_signature == NULL ||
            strcmp(op_family(hot->canonical_name), row->family) != 0)
            continue;
        uint32_t shape = strings_add(&shapes, hot->shape_signature, strlen(hot->shape_signature));
        counted = shape != STRING_NONE && counter_add(&counter, shape, hot->count, i);
    }
    const uint32_t top = (uint32_t)counter_top(&counter, STRING_NONE);
    row->dominant_shape_signature = top == STRING_NONE ? NULL : strings_text(&shapes, top);
    return counted;
}

static void hot_add(struct semantic_family *row, const struct hot_op *hot)
{
    if (row->example_op == NULL)
        row->example_op = hot->name;
    row->count += hot->count;
    row->total_duration += hot->total_duration;
    row->exclusive_duration += hot->exclusive_duration;
    if (hot->flop_proxy_per_invocation.set) {
        row->flop_proxy_total.set = true;
        row->flop_proxy_total.value += hot->flop_proxy_per_invocation.value * (double)hot->count;
    }
}

bool families_of(int64_t limit, struct arena *arena, struct summary *summary, struct err *err)
{
    summary->semantic_family_count = 0;
    summary->semantic_families = arena_array(arena, struct semantic_family, summary->hot_op_count);
    if (summary->semantic_families == NULL)
        return arena_failed(arena, "the families of a profile", err);
    double exclusive = 0, total = summary->time_breakdown.total_duration;
    for (size_t i = 0; i < summary->hot_op_count; i++) {
        const struct hot_op *hot = &summary->hot_ops[i];
        hot_add(row_of(summary, op_family(hot->canonical_name)), hot);
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
        if (!dominant_shape(arena, summary, row))
            return arena_failed(arena, "the families of a profile", err);
        if (row->flop_proxy_total.set && flops > 0)
            row->time_per_flop_proxy = some_f64(row->exclusive_duration / flops);
    }
    size_t count = summary->semantic_family_count;
    qsort(summary->semantic_families, count, sizeof *summary->semantic_families,
          semantic_family_order);
    summary->has_semantic_families = true;
    summary->semantic_family_count = slice_count_least(count, limit, FAMILIES_LEAST);
    return true;
}

bool families_build(struct profile *profile, struct summary *summary, struct err *err)
{
    return families_of(profile->options->hot_op_limit, profile->arena, summary, err);
}
