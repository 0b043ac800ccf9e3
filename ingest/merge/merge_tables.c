/* The tables of several hosts: rows of one key are added, then stand in the table's own order. */
#include "ingest/merge/merge_rows.h"
#include "ingest/merge/merging.h"

#include "ingest/lookup/lookup.h"
#include "ingest/reference/reference.h"
#include "ingest/step_table/step_table.h"
#include "ingest/tables/tables.h"
#include "schema/documents/told_ops.h"

#include <stdlib.h>
#include <string.h>

#define TABLE(type, rows, n, tag, sorted) \
    { \
        .rows_offset = offsetof(struct summary, rows), \
        .count_offset = offsetof(struct summary, n), .row_size = sizeof(struct type), \
        .key = tag##_key, .add = tag##_add, .finish = tag##_finish, .order = sorted \
    }

/* ---- ops ------------------------------------------------------------------------------------- */

static void op_key(const void *row, const char *texts[3])
{
    texts[0] = ((const struct op_row *)row)->signature;
}

static void number_sum(struct opt_f64 *sum, struct opt_f64 value)
{
    sum->set = sum->set || value.set;
    sum->value += value.set ? value.value : 0;
}

static void op_add(void *row, const void *other)
{
    struct op_row *sum = row;
    const struct op_row *op = other;
    sum->count += op->count;
    sum->device_count += op->device_count;
    ps_sum(&sum->total_ps, op->total_ps);
    ps_sum(&sum->self_ps, op->self_ps);
    if (op->max_device_self_ps > sum->max_device_self_ps) {
        sum->max_device_self_ps = op->max_device_self_ps;
        sum->max_device = op->max_device;
    }
    sum->steady_count += op->steady_count;
    ps_sum(&sum->steady_self_ps, op->steady_self_ps);
    number_sum(&sum->flops, op->flops);
    number_sum(&sum->bytes_accessed, op->bytes_accessed);
}

static void op_finish(void *row)
{
    (void)row;
}

/* The ops of a host, by the numbers that devices have in the capture. NULL beyond the budget. */
static struct op_row *ops_renumbered(const struct merging *merging, size_t host,
                                     struct told_ops ops)
{
    struct op_row *rows = arena_array(merging->arena, struct op_row, ops.count);
    for (size_t i = 0; rows != NULL && i < ops.count; i++) {
        rows[i] = ops.items[i];
        if (rows[i].max_device != UINT32_MAX)
            rows[i].max_device += merging->first_devices[host];
    }
    return rows;
}

/* Of what no program told of a host the ops are as its profile tells them. */
static bool ops_merge(const struct merging *merging, const struct table *table, bool as_told,
                      struct err *err)
{
    const size_t count = merging->count;
    struct arena *arena = merging->arena;
    struct summary *shifted = arena_array(arena, struct summary, count);
    const struct summary **list = arena_array(arena, const struct summary *, count);
    if (shifted == NULL || list == NULL)
        return arena_failed(arena, "the op table", err);
    for (size_t h = 0; h < count; h++) {
        const struct summary *host = merging->hosts[h];
        const struct told_ops ops =
            as_told ? told_ops_of(host) : (struct told_ops){host->ops, host->op_count};
        struct op_row *rows = ops_renumbered(merging, h, ops);
        if (rows == NULL)
            return arena_failed(arena, "the op table", err);
        shifted[h].ops = shifted[h].program_ops = rows;
        shifted[h].op_count = shifted[h].program_op_count = ops.count;
        list[h] = &shifted[h];
    }
    return table_merge(list, count, table, arena, merging->summary) ||
           arena_failed(arena, "the op table", err);
}

static void copies_key(const void *row, const char *texts[3])
{
    texts[0] = copy_way_names[((const struct copied_ops *)row)->way];
    texts[1] = ((const struct copied_ops *)row)->name;
}

/* Of a host whose summary is older nothing is known: then of the capture neither. */
static bool copies_merge(const struct merging *merging, struct err *err)
{
    static const struct table copies = {
        .rows_offset = offsetof(struct summary, copies),
        .count_offset = offsetof(struct summary, copy_count),
        .row_size = sizeof(struct copied_ops),
        .key = copies_key,
        .add = copied_ops_add,
        .order = copied_ops_order,
    };
    struct summary *summary = merging->summary;
    summary->has_copies = true;
    for (size_t h = 0; h < merging->count; h++)
        summary->has_copies &= merging->hosts[h]->has_copies;
    return !summary->has_copies ||
           table_merge(merging->hosts, merging->count, &copies, merging->arena, summary) ||
           arena_failed(merging->arena, "the copies of devices", err);
}

bool merge_ops(const struct merging *merging, struct err *err)
{
    static const struct table ops = TABLE(op_row, ops, op_count, op, op_row_order);
    static const struct table told = TABLE(op_row, program_ops, program_op_count, op, op_row_order);
    struct summary *summary = merging->summary;
    summary->has_program_ops = false;
    summary->program_ops = NULL;
    summary->program_op_count = 0;
    for (size_t h = 0; h < merging->count; h++)
        summary->has_program_ops |= merging->hosts[h]->has_program_ops;
    return ops_merge(merging, &ops, false, err) && copies_merge(merging, err) &&
           (!summary->has_program_ops || ops_merge(merging, &told, true, err));
}

/* ---- tables of the reference ----------------------------------------------------------------- */

static void hot_key(const void *row, const char *texts[3])
{
    texts[0] = ((const struct hot_op *)row)->name;
}

static void hot_add(void *row, const void *other)
{
    struct hot_op *sum = row;
    const struct hot_op *hot = other;
    double weight = (double)sum->count, own = (double)hot->count;
    struct opt_f64 *proxy = &sum->flop_proxy_per_invocation;
    if (proxy->set && hot->flop_proxy_per_invocation.set)
        proxy->value =
            (proxy->value * weight + hot->flop_proxy_per_invocation.value * own) / (weight + own);
    else if (!proxy->set)
        *proxy = hot->flop_proxy_per_invocation;
    sum->count += hot->count;
    sum->total_duration += hot->total_duration;
    sum->exclusive_duration += hot->exclusive_duration;
}

static void hot_finish(void *row)
{
    struct hot_op *hot = row;
    hot->avg_duration = hot->total_duration / (double)hot->count;
}

static void family_key(const void *row, const char *texts[3])
{
    texts[0] = ((const struct semantic_family *)row)->family;
}

static void family_add(void *row, const void *other)
{
    struct semantic_family *sum = row;
    const struct semantic_family *family = other;
    sum->count += family->count;
    sum->total_duration += family->total_duration;
    sum->exclusive_duration += family->exclusive_duration;
    number_sum(&sum->flop_proxy_total, family->flop_proxy_total);
}

static void family_finish(void *row)
{
    struct semantic_family *family = row;
    family->avg_duration = family->total_duration / (double)family->count;
    family->avg_exclusive_duration = family->exclusive_duration / (double)family->count;
    bool known = family->flop_proxy_total.set && family->flop_proxy_total.value > 0;
    family->time_per_flop_proxy =
        known ? some_f64(family->exclusive_duration / family->flop_proxy_total.value)
              : (struct opt_f64){0};
}

static void collective_key(const void *row, const char *texts[3])
{
    texts[0] = ((const struct communication_op *)row)->collective;
}

static void collective_add(void *row, const void *other)
{
    struct communication_op *sum = row;
    const struct communication_op *op = other;
    sum->count += op->count;
    sum->total_duration += op->total_duration;
}

static void collective_finish(void *row)
{
    struct communication_op *op = row;
    op->avg_duration = op->total_duration / (double)op->count;
}

static void gap_key(const void *row, const char *texts[3])
{
    const struct gap_before_op *gap = row;
    texts[0] = gap->name;
    texts[1] = gap->payload_op;
    texts[2] = gap->marker_op;
}

static void gap_add(void *row, const void *other)
{
    struct gap_before_op *sum = row;
    const struct gap_before_op *gap = other;
    sum->count += gap->count;
    sum->total_gap_duration += gap->total_gap_duration;
    if (gap->max_gap_duration > sum->max_gap_duration)
        sum->max_gap_duration = gap->max_gap_duration;
}

static void gap_finish(void *row)
{
    struct gap_before_op *gap = row;
    gap->avg_gap_duration = gap->total_gap_duration / (double)gap->count;
}

static void region_key(const void *row, const char *texts[3])
{
    texts[0] = ((const struct hierarchical_region *)row)->path;
}

static void region_add(void *row, const void *other)
{
    struct hierarchical_region *sum = row;
    const struct hierarchical_region *region = other;
    sum->count += region->count;
    sum->inclusive_duration += region->inclusive_duration;
    sum->exclusive_duration += region->exclusive_duration;
}

static void region_finish(void *row)
{
    (void)row;
}

static void context_key(const void *row, const char *texts[3])
{
    const struct gap_region_context *context = row;
    texts[0] = context->op_name;
    texts[1] = context->region_path;
}

static void context_add(void *row, const void *other)
{
    struct gap_region_context *sum = row;
    const struct gap_region_context *context = other;
    sum->count += context->count;
    sum->total_gap_duration += context->total_gap_duration;
}

static void context_finish(void *row)
{
    struct gap_region_context *context = row;
    context->avg_gap_duration = context->total_gap_duration / (double)context->count;
}

static const struct table reference_tables[] = {
    TABLE(hot_op, hot_ops, hot_op_count, hot, hot_op_order),
    TABLE(semantic_family, semantic_families, semantic_family_count, family, semantic_family_order),
    TABLE(communication_op, communication_ops, communication_op_count, collective,
          communication_op_order),
    TABLE(gap_before_op, gap_before_ops, gap_before_op_count, gap, gap_before_op_order),
    TABLE(hierarchical_region, hierarchical_regions, hierarchical_region_count, region,
          region_order),
    TABLE(gap_region_context, gap_region_contexts, gap_region_context_count, context,
          gap_context_order),
};

static void tables_cut(struct summary *summary)
{
    int64_t limit = summary->producer.hot_op_limit;
    summary->hot_op_count = slice_count(summary->hot_op_count, limit);
    summary->semantic_family_count =
        slice_count_least(summary->semantic_family_count, limit, FAMILIES_LEAST);
    summary->gap_before_op_count =
        slice_count_least(summary->gap_before_op_count, limit, GAPS_LEAST);
    summary->hierarchical_region_count =
        slice_count_least(summary->hierarchical_region_count, limit, REGIONS_LEAST);
    summary->gap_region_context_count =
        slice_count_least(summary->gap_region_context_count, limit, CONTEXTS_LEAST);
}

/* Of all families, as far as the hosts' tables have them. */
static void shares_fill(struct summary *summary)
{
    double exclusive = 0, total = summary->time_breakdown.total_duration;
    for (size_t i = 0; i < summary->semantic_family_count; i++)
        exclusive += summary->semantic_families[i].exclusive_duration;
    total = exclusive > total ? exclusive : total;
    for (size_t i = 0; i < summary->semantic_family_count; i++) {
        struct semantic_family *family = &summary->semantic_families[i];
        family->share_of_total = total > 0 ? family->exclusive_duration / total : 0;
    }
}

/* ---- members that are no tables -------------------------------------------------------------- */

/* The texts of all hosts, each once, at most so many. */
static struct string_list texts_merge(const struct summary *const *hosts, size_t count,
                                      size_t offset, size_t most, struct notes *notes)
{
    struct notes list = {.arena = notes->arena};
    for (size_t h = 0; h < count; h++) {
        const struct string_list *own =
            (const struct string_list *)(const void *)((const char *)hosts[h] + offset);
        for (size_t i = 0; i < own->count; i++) {
            size_t known = 0;
            while (known < list.count && strcmp(list.items[known], own->items[i]) != 0)
                known++;
            if (known == list.count && list.count < most)
                note_add(&list, own->items[i]);
        }
    }
    notes->failed = notes->failed || list.failed;
    return notes_list(&list);
}

static void overview_merge(const struct summary *const *hosts, size_t count,
                           struct trace_overview *overview)
{
    *overview = hosts[0]->trace_overview;
    for (size_t h = 1; h < count; h++) {
        const struct trace_overview *own = &hosts[h]->trace_overview;
        struct opt_f64 *start = &overview->profile_start_ts, *end = &overview->profile_end_ts;
        overview->num_events_total += own->num_events_total;
        overview->num_complete_events += own->num_complete_events;
        overview->num_processes += own->num_processes;
        overview->num_threads += own->num_threads;
        overview->suspected_truncation |= own->suspected_truncation;
        if (own->profile_start_ts.set &&
            (!start->set || own->profile_start_ts.value < start->value))
            *start = own->profile_start_ts;
        if (own->profile_end_ts.set && (!end->set || own->profile_end_ts.value > end->value))
            *end = own->profile_end_ts;
    }
}

static void breakdown_merge(const struct summary *const *hosts, size_t count,
                            struct time_breakdown *breakdown)
{
    *breakdown = hosts[0]->time_breakdown;
    for (size_t h = 1; h < count; h++) {
        breakdown->total_duration += hosts[h]->time_breakdown.total_duration;
        for (int part = 0; part < PART_COUNT; part++)
            breakdown->part[part].total_duration +=
                hosts[h]->time_breakdown.part[part].total_duration;
    }
    double total = breakdown->total_duration;
    for (int part = 0; part < PART_COUNT; part++)
        breakdown->part[part].share_of_total =
            total > 0 ? breakdown->part[part].total_duration / total : 0;
}

/* Where the hosts' files have step times by the reference's rule, the capture has: each step's mean
 * over its devices. */
static bool step_time_merge(const struct summary *const *hosts, size_t count, struct arena *arena,
                            struct summary *summary)
{
    const struct step_table *table = &summary->steps;
    struct step_time *time = &summary->step_time;
    struct step_value *steps = arena_array(arena, struct step_value, table->count);
    double *scratch = arena_array(arena, double, table->count);
    int64_t known = 0;
    size_t first_steady = 0, step_count = table->count;
    if (steps == NULL || scratch == NULL)
        return false;
    *time = (struct step_time){.warmup_steps_ignored = hosts[0]->step_time.warmup_steps_ignored};
    for (size_t h = 0; h < count; h++)
        known += hosts[h]->step_time.all_steps.count;
    step_count = known == 0 ? 0 : step_count;
    for (size_t i = 0; i < step_count; i++) {
        steps[i] = (struct step_value){table->rows[i].number, (double)table->rows[i].mean_ps / 1e6};
        first_steady += steps[i].number < time->warmup_steps_ignored;
    }
    time->all_steps = duration_stats_of(steps, step_count, scratch);
    time->steady_state_steps =
        duration_stats_of(steps + first_steady, step_count - first_steady, scratch);
    return step_classes_build(steps + first_steady, step_count - first_steady, arena,
                              &time->classes, &time->class_count);
}

bool merge_reference(const struct merging *merging, struct err *err)
{
    const struct summary *const *hosts = merging->hosts;
    const size_t count = merging->count;
    struct arena *arena = merging->arena;
    struct summary *summary = merging->summary;
    enum { TOP_ROWS = 20 };
    struct notes notes = {.arena = arena};
    overview_merge(hosts, count, &summary->trace_overview);
    breakdown_merge(hosts, count, &summary->time_breakdown);
    summary->trace_overview.quality_warnings = texts_merge(
        hosts, count, offsetof(struct summary, trace_overview.quality_warnings), SIZE_MAX, &notes);
    summary->trace_provenance.run_ids = texts_merge(
        hosts, count, offsetof(struct summary, trace_provenance.run_ids), TOP_ROWS, &notes);
    summary->trace_provenance.source_file_hints =
        texts_merge(hosts, count, offsetof(struct summary, trace_provenance.source_file_hints),
                    TOP_ROWS, &notes);
    bool merged = !notes.failed && step_time_merge(hosts, count, arena, summary);
    for (size_t i = 0; merged && i < sizeof reference_tables / sizeof reference_tables[0]; i++)
        merged = table_merge(hosts, count, &reference_tables[i], arena, summary);
    if (!merged)
        return arena_failed(arena, "the tables of a capture", err);
    shares_fill(summary);
    tables_cut(summary);
    return candidates_build(arena, summary, err);
}
