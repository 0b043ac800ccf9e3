/* Implements the rows of families. */
#include "compare/reference/family_delta.h"

#include "schema/documents/op_semantics.h"

#include <stdlib.h>
#include <string.h>

/* ---- families of an older summary ------------------------------------------------------------ */

struct family_list {
    struct semantic_family *items;
    size_t count;
};

/* §18: summaries of before families existed, or with an empty list of them. Shapes are not known
 * per family then. */
static struct family_list families_rebuild(const struct summary *summary, struct arena *arena)
{
    struct family_list list = {arena_array(arena, struct semantic_family, summary->hot_op_count),
                               0};
    for (size_t i = 0, at; i < summary->hot_op_count; i++) {
        const struct hot_op *op = &summary->hot_ops[i];
        const char *name = op_family(op->canonical_name);
        for (at = 0; at < list.count && strcmp(list.items[at].family, name) != 0;)
            at++;
        struct semantic_family *family = &list.items[at];
        if (at == list.count) {
            *family = (struct semantic_family){.family = name, .example_op = op->name};
            list.count++;
        }
        struct opt_f64 proxy = op->flop_proxy_per_invocation;
        if (!proxy.set)
            proxy = op_flop_proxy(name, op->shape_signature);
        family->exclusive_duration += op->exclusive_duration;
        if (proxy.set) {
            family->flop_proxy_total.set = true;
            family->flop_proxy_total.value += proxy.value * (double)op->count;
        }
    }
    for (size_t i = 0; i < list.count; i++) {
        struct semantic_family *family = &list.items[i];
        if (family->flop_proxy_total.value <= 0)
            family->flop_proxy_total = (struct opt_f64){0};
        if (family->flop_proxy_total.set)
            family->time_per_flop_proxy =
                some_f64(family->exclusive_duration / family->flop_proxy_total.value);
    }
    return list;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* A family of one side: by name, then later in its document first, because a later one of the same
 * name replaces an earlier one. */
struct sided_family {
    const struct semantic_family *family;
    size_t position;
};

static int family_order(const void *left, const void *right)
{
    const struct sided_family *a = left, *b = right;
    int order = strcmp(a->family->family, b->family->family);
    return order != 0 ? order : (a->position < b->position) - (a->position > b->position);
}

struct side {
    struct sided_family *items;
    size_t count;
};

static struct side side_make(const struct summary *summary, struct arena *arena)
{
    struct family_list list = {summary->semantic_families, summary->semantic_family_count};
    if (list.count == 0)
        list = families_rebuild(summary, arena);
    struct sided_family *items = arena_array(arena, struct sided_family, list.count);
    for (size_t i = 0; i < list.count; i++)
        items[i] = (struct sided_family){&list.items[i], i};
    if (list.count > 1)
        qsort(items, list.count, sizeof *items, family_order);
    size_t kept = 0;
    for (size_t i = 0; i < list.count; i++) {
        if (kept == 0 || strcmp(items[kept - 1].family->family, items[i].family->family) != 0)
            items[kept++] = items[i];
    }
    return (struct side){items, kept};
}

/* after / before; absent when a side is absent or before <= 0. */
static struct opt_f64 ratio(struct opt_f64 before, struct opt_f64 after)
{
    return before.set && after.set && before.value > 0 ? some_f64(after.value / before.value)
                                                       : (struct opt_f64){0};
}

static struct family_delta row_make(const struct semantic_family *before,
                                    const struct semantic_family *after)
{
    static const struct semantic_family nothing = {0};
    const char *name = before != NULL ? before->family : after->family;
    const struct semantic_family *b = before != NULL ? before : &nothing;
    const struct semantic_family *a = after != NULL ? after : &nothing;
    struct opt_f64 time_before = some_f64(b->exclusive_duration);
    struct opt_f64 time_after = some_f64(a->exclusive_duration);
    struct opt_f64 time_ratio = ratio(time_before, time_after);
    struct opt_f64 work_ratio = ratio(b->flop_proxy_total, a->flop_proxy_total);
    return (struct family_delta){
        .family = name,
        .before_exclusive_duration = b->exclusive_duration,
        .after_exclusive_duration = a->exclusive_duration,
        .exclusive_duration_delta = a->exclusive_duration - b->exclusive_duration,
        .exclusive_regression_pct = change_percent(time_before, time_after),
        .before_flop_proxy_total = b->flop_proxy_total,
        .after_flop_proxy_total = a->flop_proxy_total,
        .flop_proxy_ratio = work_ratio,
        .before_time_per_flop_proxy = b->time_per_flop_proxy,
        .after_time_per_flop_proxy = a->time_per_flop_proxy,
        .time_per_flop_regression_pct =
            change_percent(b->time_per_flop_proxy, a->time_per_flop_proxy),
        .time_ratio = time_ratio,
        .work_ratio = work_ratio,
        .efficiency_ratio = ratio(work_ratio, time_ratio),
        .example_before = b->example_op,
        .example_after = a->example_op,
        .shape_signature_before = b->dominant_shape_signature,
        .shape_signature_after = a->dominant_shape_signature,
    };
}

void family_deltas_make(const struct summary *before, const struct summary *after,
                        struct arena *arena, struct comparison *comparison)
{
    const struct side left = side_make(before, arena), right = side_make(after, arena);
    struct family_delta *rows = arena_array(arena, struct family_delta, left.count + right.count);
    size_t count = 0, i = 0, j = 0;
    while (i < left.count || j < right.count) {
        int order = i == left.count ? 1
                    : j == right.count
                        ? -1
                        : strcmp(left.items[i].family->family, right.items[j].family->family);
        const struct semantic_family *b = order <= 0 ? left.items[i++].family : NULL;
        const struct semantic_family *a = order >= 0 ? right.items[j++].family : NULL;
        rows[count++] = row_make(b, a);
    }
    comparison->semantic_family_delta = rows;
    comparison->semantic_family_delta_count = count;
}
