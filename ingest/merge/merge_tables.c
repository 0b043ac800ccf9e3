/* The tables of several hosts: rows of one key are added, then stand in the table's own order. */
#include "ingest/merge/merging.h"

#include "ingest/lookup/lookup.h"
#include "ingest/reference/reference.h"
#include "ingest/step_table/step_table.h"
#include "ingest/tables/tables.h"
#include "schema/documents/told_ops.h"

#include <stdlib.h>
#include <string.h>

/* ---- rows of one key ------------------------------------------------------------------------- */

/* A member of a row: a text of its key, or how rows of one key become one. */
struct field {
    enum { FIELD_NONE, KEY, KEY_WAY, COUNT, TIME, MOST, MEAN } kind;
    size_t at;
    size_t of; /* of MEAN: the time that it is of, over the count */
};

/* A table of the summary: where its rows are, what tells them apart, how they add up. */
struct table {
    size_t rows_offset, count_offset, row_size;
    struct field fields[8];                    /* up to FIELD_NONE */
    void (*add)(void *row, const void *other); /* what the fields do not say; NULL: nothing */
    int (*order)(const void *a, const void *b);
};

#define TABLE(type, rows, n, sorted, added, ...) \
    { \
        .rows_offset = offsetof(struct summary, rows), \
        .count_offset = offsetof(struct summary, n), .row_size = sizeof(struct type), \
        .fields = {__VA_ARGS__}, .add = (added), .order = (sorted) \
    }
#define FIELD(type, kind, member) \
    { \
        kind, offsetof(struct type, member), 0 \
    }
#define FIELD_MEAN(type, member, time) \
    { \
        MEAN, offsetof(struct type, member), offsetof(struct type, time) \
    }

static void *member_of(void *row, size_t at)
{
    return (char *)row + at;
}

/* The row's texts, any NULL, as one. */
static const char *key_of(const struct table *table, void *row, struct arena *arena)
{
    enum { SEPARATOR = '\x1f' };
    const char *key = "";
    for (const struct field *field = table->fields; field->kind != FIELD_NONE; field++) {
        const char *text = NULL;
        if (field->kind == KEY)
            text = *(const char **)member_of(row, field->at);
        else if (field->kind == KEY_WAY)
            text = copy_way_names[*(enum copy_way *)member_of(row, field->at)];
        else
            continue;
        key = arena_printf(arena, "%s%c%s", key, SEPARATOR, text != NULL ? text : "");
    }
    return key;
}

static void row_add(const struct table *table, void *row, void *other)
{
    if (table->add != NULL)
        table->add(row, other);
    for (const struct field *field = table->fields; field->kind != FIELD_NONE; field++) {
        double *time = member_of(row, field->at), *own = member_of(other, field->at);
        if (field->kind == COUNT)
            *(int64_t *)member_of(row, field->at) += *(int64_t *)member_of(other, field->at);
        else if (field->kind == TIME)
            *time += *own;
        else if (field->kind == MOST)
            *time = *own > *time ? *own : *time;
    }
}

static void row_finish(const struct table *table, void *row)
{
    int64_t count = 0;
    for (const struct field *field = table->fields; field->kind != FIELD_NONE; field++) {
        if (field->kind == COUNT)
            count = *(int64_t *)member_of(row, field->at);
        if (field->kind == MEAN)
            *(double *)member_of(row, field->at) =
                *(double *)member_of(row, field->of) / (double)count;
    }
}

static size_t table_count(const struct summary *summary, const struct table *table)
{
    return *(const size_t *)((const char *)summary + table->count_offset);
}

/* Fills the table of the summary with the rows of hosts[count], in the table's own order. */
static void rows_merge(const struct summary *const *hosts, size_t count, const struct table *table,
                       struct arena *arena, struct summary *summary)
{
    size_t most = 0, kept = 0;
    struct strings keys;
    struct id_map rows_by_key;
    strings_init(&keys, arena);
    id_map_init(&rows_by_key, arena);
    for (size_t h = 0; h < count; h++)
        most += table_count(hosts[h], table);
    char *rows = arena_zalloc(arena, most, table->row_size);
    for (size_t h = 0; h < count; h++) {
        char *own = *(char *const *)(const void *)((const char *)hosts[h] + table->rows_offset);
        for (size_t i = 0; i < table_count(hosts[h], table); i++, own += table->row_size) {
            const char *key = key_of(table, own, arena);
            const uint32_t number = strings_add(&keys, key, strlen(key));
            const int32_t at = id_map_find(&rows_by_key, number);
            if (at != ID_MAP_ABSENT) {
                row_add(table, rows + (size_t)at * table->row_size, own);
                continue;
            }
            id_map_set(&rows_by_key, number, (int32_t)kept);
            memcpy(rows + kept++ * table->row_size, own, table->row_size);
        }
    }
    for (size_t i = 0; i < kept; i++)
        row_finish(table, rows + i * table->row_size);
    if (kept > 1)
        qsort(rows, kept, table->row_size, table->order);
    void *filled = kept == 0 ? NULL : rows;
    memcpy((char *)summary + table->rows_offset, &filled, sizeof filled);
    memcpy((char *)summary + table->count_offset, &kept, sizeof kept);
}

/* ---- ops ------------------------------------------------------------------------------------- */

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

/* The ops of hosts, by the numbers that devices have in the capture. Of what no program told of a
 * host the ops are as its profile tells them. */
static void ops_merge(const struct merging *merging, const struct table *table, bool as_told)
{
    const size_t count = merging->count;
    struct arena *arena = merging->arena;
    struct summary *shifted = arena_array(arena, struct summary, count);
    const struct summary **list = arena_array(arena, const struct summary *, count);
    for (size_t h = 0; h < count; h++) {
        const struct summary *host = merging->hosts[h];
        const struct told_ops ops =
            as_told ? told_ops_of(host) : (struct told_ops){host->ops, host->op_count};
        struct op_row *rows = arena_array(arena, struct op_row, ops.count);
        for (size_t i = 0; i < ops.count; i++) {
            rows[i] = ops.items[i];
            if (rows[i].max_device != UINT32_MAX)
                rows[i].max_device += merging->first_devices[h];
        }
        shifted[h].ops = shifted[h].program_ops = rows;
        shifted[h].op_count = shifted[h].program_op_count = ops.count;
        list[h] = &shifted[h];
    }
    rows_merge(list, count, table, arena, merging->summary);
}

void merge_ops(const struct merging *merging)
{
    static const struct table ops =
        TABLE(op_row, ops, op_count, op_row_order, op_add, FIELD(op_row, KEY, signature));
    static const struct table told = TABLE(op_row, program_ops, program_op_count, op_row_order,
                                           op_add, FIELD(op_row, KEY, signature));
    static const struct table copies =
        TABLE(copied_ops, copies, copy_count, copied_ops_order, copied_ops_add,
              FIELD(copied_ops, KEY_WAY, way), FIELD(copied_ops, KEY, name));
    struct summary *summary = merging->summary;
    summary->has_program_ops = false;
    summary->program_ops = NULL;
    summary->program_op_count = 0;
    /* Of a host whose summary is older its copies are not known: then those of the capture neither.
     */
    summary->has_copies = true;
    for (size_t h = 0; h < merging->count; h++) {
        summary->has_program_ops |= merging->hosts[h]->has_program_ops;
        summary->has_copies &= merging->hosts[h]->has_copies;
    }
    ops_merge(merging, &ops, false);
    if (summary->has_copies)
        rows_merge(merging->hosts, merging->count, &copies, merging->arena, summary);
    if (summary->has_program_ops)
        ops_merge(merging, &told, true);
}

/* ---- tables of the reference ----------------------------------------------------------------- */

/* The mean over all events, of which those of `sum` are not added up yet. */
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
}

static void family_add(void *row, const void *other)
{
    struct semantic_family *sum = row;
    number_sum(&sum->flop_proxy_total, ((const struct semantic_family *)other)->flop_proxy_total);
}

static const struct table reference_tables[] = {
    TABLE(hot_op, hot_ops, hot_op_count, hot_op_order, hot_add, FIELD(hot_op, KEY, name),
          FIELD(hot_op, COUNT, count), FIELD(hot_op, TIME, total_duration),
          FIELD(hot_op, TIME, exclusive_duration),
          FIELD_MEAN(hot_op, avg_duration, total_duration)),
    TABLE(semantic_family, semantic_families, semantic_family_count, semantic_family_order,
          family_add, FIELD(semantic_family, KEY, family), FIELD(semantic_family, COUNT, count),
          FIELD(semantic_family, TIME, total_duration),
          FIELD(semantic_family, TIME, exclusive_duration),
          FIELD_MEAN(semantic_family, avg_duration, total_duration),
          FIELD_MEAN(semantic_family, avg_exclusive_duration, exclusive_duration)),
    TABLE(communication_op, communication_ops, communication_op_count, communication_op_order, NULL,
          FIELD(communication_op, KEY, collective), FIELD(communication_op, COUNT, count),
          FIELD(communication_op, TIME, total_duration),
          FIELD_MEAN(communication_op, avg_duration, total_duration)),
    TABLE(gap_before_op, gap_before_ops, gap_before_op_count, gap_before_op_order, NULL,
          FIELD(gap_before_op, KEY, name), FIELD(gap_before_op, KEY, payload_op),
          FIELD(gap_before_op, KEY, marker_op), FIELD(gap_before_op, COUNT, count),
          FIELD(gap_before_op, TIME, total_gap_duration),
          FIELD(gap_before_op, MOST, max_gap_duration),
          FIELD_MEAN(gap_before_op, avg_gap_duration, total_gap_duration)),
    TABLE(hierarchical_region, hierarchical_regions, hierarchical_region_count, region_order, NULL,
          FIELD(hierarchical_region, KEY, path), FIELD(hierarchical_region, COUNT, count),
          FIELD(hierarchical_region, TIME, inclusive_duration),
          FIELD(hierarchical_region, TIME, exclusive_duration)),
    TABLE(gap_region_context, gap_region_contexts, gap_region_context_count, gap_context_order,
          NULL, FIELD(gap_region_context, KEY, op_name),
          FIELD(gap_region_context, KEY, region_path), FIELD(gap_region_context, COUNT, count),
          FIELD(gap_region_context, TIME, total_gap_duration),
          FIELD_MEAN(gap_region_context, avg_gap_duration, total_gap_duration)),
};

/* ---- members that are no tables -------------------------------------------------------------- */

/* The texts of all hosts, each once, at most so many. */
static struct string_list texts_merge(const struct merging *merging, size_t offset, size_t most)
{
    const struct summary *const *hosts = merging->hosts;
    struct notes list = {.arena = merging->arena};
    for (size_t h = 0; h < merging->count; h++) {
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
static void step_time_merge(const struct summary *const *hosts, size_t count, struct arena *arena,
                            struct summary *summary)
{
    const struct step_table *table = &summary->steps;
    struct step_time *time = &summary->step_time;
    struct step_value *steps = arena_array(arena, struct step_value, table->count);
    double *scratch = arena_array(arena, double, table->count);
    int64_t known = 0;
    size_t first_steady = 0, step_count = table->count;
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
    step_classes_build(steps + first_steady, step_count - first_steady, arena, &time->classes,
                       &time->class_count);
}

void merge_reference(const struct merging *merging)
{
    const struct summary *const *hosts = merging->hosts;
    const size_t count = merging->count;
    struct arena *arena = merging->arena;
    struct summary *summary = merging->summary;
    enum { TOP_ROWS = 20 };
    overview_merge(hosts, count, &summary->trace_overview);
    breakdown_merge(hosts, count, &summary->time_breakdown);
    summary->trace_overview.quality_warnings =
        texts_merge(merging, offsetof(struct summary, trace_overview.quality_warnings), SIZE_MAX);
    summary->trace_provenance.run_ids =
        texts_merge(merging, offsetof(struct summary, trace_provenance.run_ids), TOP_ROWS);
    summary->trace_provenance.source_file_hints = texts_merge(
        merging, offsetof(struct summary, trace_provenance.source_file_hints), TOP_ROWS);
    step_time_merge(hosts, count, arena, summary);
    for (size_t i = 0; i < sizeof reference_tables / sizeof reference_tables[0]; i++)
        rows_merge(hosts, count, &reference_tables[i], arena, summary);
    /* Shares are of all families, as far as the hosts' tables have them. */
    double exclusive = 0, total = summary->time_breakdown.total_duration;
    for (size_t i = 0; i < summary->semantic_family_count; i++)
        exclusive += summary->semantic_families[i].exclusive_duration;
    total = exclusive > total ? exclusive : total;
    for (size_t i = 0; i < summary->semantic_family_count; i++) {
        struct semantic_family *family = &summary->semantic_families[i];
        const struct opt_f64 flops = family->flop_proxy_total;
        family->share_of_total = total > 0 ? family->exclusive_duration / total : 0;
        family->time_per_flop_proxy = flops.set && flops.value > 0
                                          ? some_f64(family->exclusive_duration / flops.value)
                                          : (struct opt_f64){0};
    }
    const int64_t limit = summary->producer.hot_op_limit;
    summary->hot_op_count = slice_count(summary->hot_op_count, limit);
    summary->semantic_family_count =
        slice_count_least(summary->semantic_family_count, limit, FAMILIES_LEAST);
    summary->gap_before_op_count =
        slice_count_least(summary->gap_before_op_count, limit, GAPS_LEAST);
    summary->hierarchical_region_count =
        slice_count_least(summary->hierarchical_region_count, limit, REGIONS_LEAST);
    summary->gap_region_context_count =
        slice_count_least(summary->gap_region_context_count, limit, CONTEXTS_LEAST);
    candidates_build(arena, summary);
}
