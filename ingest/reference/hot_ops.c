/* Ops by name, and collectives by kind. Counts of shapes, sources and paths come from the distinct
 * ops of a name, in order of their first events.
 */
#include "ingest/reference/reference.h"
#include "ingest/timeline/timeline.h"

#include "schema/documents/op_semantics.h"

#include <stdlib.h>
#include <string.h>

size_t slice_count(size_t count, int64_t limit)
{
    int64_t kept = limit < 0 ? (int64_t)count + limit : limit;
    if (kept < 0)
        return 0;
    return (uint64_t)kept < count ? (size_t)kept : count;
}

size_t slice_count_least(size_t count, int64_t limit, int64_t least)
{
    return slice_count(count, limit > least ? limit : least);
}

/* ---- one name -------------------------------------------------------------------------------- */

/* What the ops of one name add up to. */
struct name_group {
    struct profile *profile;
    const struct used_op *used; /* of equal names, by first event */
    size_t count;
};

/* Texts of ops that are counted. */
enum counted_text { SHAPE, SOURCE, PATH };

/* The text that most events of the group have; the first seen among equals. */
static const char *top_text(const struct name_group *group, enum counted_text kind)
{
    struct arena *arena = &group->profile->catalog.scratch;
    struct arena_mark mark = arena_mark(arena);
    struct counter counter;
    counter_init(&counter, arena);
    for (size_t i = 0; i < group->count; i++) {
        const struct op_tally *tally = used_tally(&group->used[i]);
        const uint32_t text = kind == SHAPE    ? used_detail(&group->used[i])->shape
                              : kind == SOURCE ? used_facts(&group->used[i])->source
                                               : used_detail(&group->used[i])->tf_op;
        if (text != STRING_NONE)
            counter_add(&counter, text, tally->count, tally->first_seen);
    }
    uint32_t top = (uint32_t)counter_top(&counter, STRING_NONE);
    arena_rewind(arena, mark);
    return catalog_text(&group->profile->catalog, top);
}

/* Mean over the events whose op has one. */
static struct opt_f64 mean_proxy(const struct name_group *group, const char *family)
{
    double sum = 0;
    int64_t count = 0;
    for (size_t i = 0; i < group->count; i++) {
        const char *shape =
            catalog_text(&group->profile->catalog, used_detail(&group->used[i])->shape);
        struct opt_f64 proxy = op_flop_proxy(family, shape);
        int64_t events = used_tally(&group->used[i])->count;
        sum += proxy.set ? proxy.value * (double)events : 0;
        count += proxy.set ? events : 0;
    }
    return count == 0 ? (struct opt_f64){0} : some_f64(sum / (double)count);
}

static struct hot_op hot_op_of(const struct name_group *group)
{
    const struct catalog *catalog = &group->profile->catalog;
    const struct op *facts = used_facts(&group->used[0]);
    const struct op_name *name = &catalog->names[facts->name];
    const struct name_total *total = &group->profile->running->names[facts->name];
    struct hot_op hot = {
        .name = catalog_text(catalog, name->name),
        .canonical_name = catalog_text(catalog, name->canonical),
        .category = breakdown_part_names[facts->op_part],
        .total_duration = total->total_us,
        .exclusive_duration = total->exclusive_us,
        .flop_proxy_per_invocation = mean_proxy(group, name->family),
        .shape_signature = top_text(group, SHAPE),
        .source_file = top_text(group, SOURCE),
        .tf_op_path = top_text(group, PATH),
    };
    for (size_t i = 0; i < group->count; i++)
        hot.count += used_tally(&group->used[i])->count;
    hot.avg_duration = hot.total_duration / (double)hot.count;
    return hot;
}

/* ---- the table ------------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    int32_t left = used_facts(a)->name, right = used_facts(b)->name;
    if (left != right)
        return left < right ? -1 : 1;
    uint64_t left_place = used_tally(a)->first_seen, right_place = used_tally(b)->first_seen;
    return (left_place > right_place) - (left_place < right_place);
}

/* Descending numbers first. */
static int descending(double a, double b)
{
    return (a < b) - (a > b);
}

int hot_op_order(const void *a, const void *b)
{
    const struct hot_op *left = a, *right = b;
    int order = descending(left->exclusive_duration, right->exclusive_duration);
    if (order == 0)
        order = descending(left->total_duration, right->total_duration);
    return order != 0 ? order : strcmp(left->name, right->name);
}

int communication_op_order(const void *a, const void *b)
{
    const struct communication_op *left = a, *right = b;
    int order = descending(left->total_duration, right->total_duration);
    return order != 0 ? order : strcmp(left->collective, right->collective);
}

static void communication_build(struct profile *profile, struct summary *summary)
{
    struct communication_op *ops =
        arena_array(profile->arena, struct communication_op, COLLECTIVE_KIND_COUNT);
    int64_t counts[COLLECTIVE_KIND_COUNT] = {0};
    for (size_t i = 0; i < profile->used_count; i++) {
        int kind = used_facts(&profile->used[i])->collective;
        if (kind != COLLECTIVE_NONE)
            counts[kind] += used_tally(&profile->used[i])->count;
    }
    size_t count = 0;
    for (int kind = 0; kind < COLLECTIVE_KIND_COUNT; kind++) {
        double total = profile->running->collectives[kind];
        if (counts[kind] > 0)
            ops[count++] = (struct communication_op){collective_kind_names[kind], counts[kind],
                                                     total, total / (double)counts[kind]};
    }
    qsort(ops, count, sizeof *ops, communication_op_order);
    summary->communication_ops = count == 0 ? NULL : ops;
    summary->communication_op_count = count;
}

void hot_ops_build(struct profile *profile, struct summary *summary)
{
    size_t used_count = 0, count = 0;
    scoped_arena work;
    arena_init_within(&work, profile->arena);
    struct used_op *used = arena_array(&work, struct used_op, profile->used_count);
    for (size_t i = 0; i < profile->used_count; i++) {
        if (used_tally(&profile->used[i])->count > 0)
            used[used_count++] = profile->used[i];
    }
    if (used_count > 0)
        qsort(used, used_count, sizeof *used, compare_names);
    size_t names = 0;
    for (size_t i = 0; i < used_count; i++)
        names += i == 0 || used_facts(&used[i])->name != used_facts(&used[i - 1])->name;
    struct hot_op *hot = arena_array(&work, struct hot_op, names);
    for (size_t i = 0, next; i < used_count; i = next) {
        const int32_t name = used_facts(&used[i])->name;
        for (next = i + 1; next < used_count && used_facts(&used[next])->name == name;)
            next++;
        hot[count++] = hot_op_of(&(struct name_group){profile, &used[i], next - i});
    }
    qsort(hot, count, sizeof *hot, hot_op_order);
    summary->hot_op_count = slice_count(count, profile->options->hot_op_limit);
    summary->hot_ops = arena_copy(profile->arena, hot, summary->hot_op_count, sizeof *hot);
    communication_build(profile, summary);
}
