/* Gaps by the op that they are charged to (profile_summary.v1 §11). Planes in order, and in each
 * the gaps in order, so that sums are made as the reference makes them.
 */
#include "ingest/reference/reference.h"

#include <stdlib.h>
#include <string.h>

struct marker_count {
    int32_t row;    /* of the table */
    int32_t marker; /* catalog->names */
    int64_t count;
};

struct table {
    struct profile *profile;
    struct arena *work; /* until the table is made */
    struct gap_before_op *rows;
    size_t count, capacity;
    struct id_map row_by_name;
    struct marker_count *markers;
    size_t marker_count, marker_capacity;
    struct id_map marker_by_pair;
};

static void marker_add(struct table *table, int32_t row, int32_t marker, int64_t count)
{
    int64_t pair = (int64_t)row << 32 | marker;
    int32_t known = id_map_find(&table->marker_by_pair, pair);
    if (known != ID_MAP_ABSENT) {
        table->markers[known].count += count;
        return;
    }
    id_map_set(&table->marker_by_pair, pair, (int32_t)table->marker_count);
    table->markers = arena_grow(table->work, table->markers, table->marker_count,
                                &table->marker_capacity, sizeof *table->markers);
    table->markers[table->marker_count++] = (struct marker_count){row, marker, count};
}

static void gap_add(struct table *table, const struct plane_ops *ops, const struct gap *gap)
{
    const struct catalog *catalog = &table->profile->catalog;
    const int32_t name = ops->ops[gap->payload].name;
    int32_t at = id_map_find(&table->row_by_name, name);
    if (at == ID_MAP_ABSENT) {
        const char *text = catalog_text(catalog, catalog->names[name].name);
        at = (int32_t)table->count;
        id_map_set(&table->row_by_name, name, at);
        table->rows = arena_grow(table->work, table->rows, table->count, &table->capacity,
                                 sizeof *table->rows);
        table->rows[table->count++] = (struct gap_before_op){.name = text, .payload_op = text};
    }
    struct gap_before_op *row = &table->rows[at];
    row->count += gap->count;
    row->total_gap_duration += gap->total_us;
    if (gap->max_us > row->max_gap_duration)
        row->max_gap_duration = gap->max_us;
    marker_add(table, at, ops->ops[gap->marker].name, gap->count);
}

/* The marker that most gaps of a row have; by name among equals. */
static void markers_choose(struct table *table, int64_t *best)
{
    const struct catalog *catalog = &table->profile->catalog;
    for (size_t i = 0; i < table->marker_count; i++) {
        const struct marker_count *marker = &table->markers[i];
        struct gap_before_op *row = &table->rows[marker->row];
        const char *name = catalog_text(catalog, catalog->names[marker->marker].name);
        int64_t most = best[marker->row];
        if (marker->count > most || (marker->count == most && strcmp(name, row->marker_op) < 0)) {
            best[marker->row] = marker->count;
            row->marker_op = name;
        }
    }
    for (size_t i = 0; i < table->count; i++)
        table->rows[i].avg_gap_duration =
            table->rows[i].total_gap_duration / (double)table->rows[i].count;
}

int gap_before_op_order(const void *a, const void *b)
{
    const struct gap_before_op *left = a, *right = b;
    if (left->total_gap_duration != right->total_gap_duration)
        return left->total_gap_duration > right->total_gap_duration ? -1 : 1;
    if (left->max_gap_duration != right->max_gap_duration)
        return left->max_gap_duration > right->max_gap_duration ? -1 : 1;
    return strcmp(left->name, right->name);
}

void gap_table_build(struct profile *profile, struct summary *summary)
{
    scoped_arena work;
    struct table table = {.profile = profile, .work = &work};
    arena_init_within(&work, profile->arena);
    id_map_init(&table.row_by_name, &work);
    id_map_init(&table.marker_by_pair, &work);
    for (size_t p = 0; p < profile->plane_count; p++) {
        const struct plane_state *state = &profile->planes[p];
        for (size_t i = 0; i < state->gaps.count; i++)
            gap_add(&table, &state->plane->ops, &state->gaps.items[i]);
    }
    markers_choose(&table, arena_array(&work, int64_t, table.count));
    if (table.count > 0)
        qsort(table.rows, table.count, sizeof *table.rows, gap_before_op_order);
    summary->gap_before_op_count =
        slice_count_least(table.count, profile->options->hot_op_limit, GAPS_LEAST);
    summary->gap_before_ops =
        arena_copy(profile->arena, table.rows, summary->gap_before_op_count, sizeof *table.rows);
}
