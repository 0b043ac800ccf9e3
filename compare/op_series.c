/* Implements the matching of ops by signature: one flat list of cells, sorted, cut into series. */
#include "compare/op_series.h"
#include "compare/runs.h"

#include <stdlib.h>
#include <string.h>

/* One op of one profile. */
struct op_cell {
    const struct op_row *row;
    size_t run;     /* index into op_series.us */
    size_t profile; /* of the run: only to fix the order of sums */
    double us;
};

struct cell_list {
    struct op_cell *items;
    size_t count;
};

static int cell_order(const void *left, const void *right)
{
    const struct op_cell *a = left, *b = right;
    int order = strcmp(a->row->signature, b->row->signature);
    if (order != 0)
        return order;
    if (a->run != b->run)
        return a->run < b->run ? -1 : 1;
    return (a->profile > b->profile) - (a->profile < b->profile);
}

/* ---- collecting ------------------------------------------------------------------------------ */

static bool row_counts(const struct op_row *row)
{
    return !row->asynchronous && row->steady_self_ps > 0;
}

static void run_cells(const struct gate_run *run, size_t index, struct cell_list *cells)
{
    for (size_t i = 0; i < run->profile_count; i++) {
        const struct summary *summary = run->profiles[i]->summary;
        double divisor = (double)summary->steps.steady_spans * (double)run->profile_count * 1e6;
        for (size_t j = 0; j < summary->op_count && divisor > 0; j++) {
            const struct op_row *row = &summary->ops[j];
            if (row_counts(row))
                cells->items[cells->count++] =
                    (struct op_cell){row, index, i, (double)row->steady_self_ps / divisor};
        }
    }
}

static size_t runs_op_count(const struct gate_runs *runs)
{
    size_t count = 0;
    for (size_t i = 0; i < runs->count; i++) {
        for (size_t j = 0; j < runs->items[i].profile_count; j++)
            count += runs->items[i].profiles[j]->summary->op_count;
    }
    return count;
}

static bool cells_collect(struct judgement *judgement, struct cell_list *cells)
{
    const struct gate_runs *sides[] = {&judgement->baseline, &judgement->candidate,
                                       &judgement->history};
    size_t most = 0, index = 0;
    for (size_t i = 0; i < 3; i++)
        most += runs_op_count(sides[i]);
    cells->items = arena_array(judgement->arena, struct op_cell, most);
    cells->count = 0;
    if (cells->items == NULL)
        return false;
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < sides[i]->count; j++)
            run_cells(&sides[i]->items[j], index++, cells);
    }
    if (cells->count > 1)
        qsort(cells->items, cells->count, sizeof *cells->items, cell_order);
    return true;
}

/* ---- series ---------------------------------------------------------------------------------- */

static size_t table_runs(const struct op_table *table)
{
    return table->baseline_runs + table->candidate_runs + table->history_runs;
}

static double mean_of(const double *us, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += us[i];
    return count == 0 ? 0 : sum / (double)count;
}

static void series_add(const struct op_table *table, struct op_series *series,
                       const struct op_cell *cell)
{
    series->us[cell->run] += cell->us;
    if (cell->run < table->baseline_runs) {
        if (series->before == NULL)
            series->before = cell->row;
    } else if (cell->run < table->baseline_runs + table->candidate_runs && series->after == NULL) {
        series->after = cell->row;
    }
}

static void series_close(const struct op_table *table, struct op_series *series)
{
    series->before_us = mean_of(series->us, table->baseline_runs);
    series->after_us = mean_of(series->us + table->baseline_runs, table->candidate_runs);
}

static size_t distinct_signatures(const struct cell_list *cells)
{
    size_t count = 0;
    for (size_t i = 0; i < cells->count; i++)
        count += i == 0 ||
                 strcmp(cells->items[i - 1].row->signature, cells->items[i].row->signature) != 0;
    return count;
}

bool op_series_build(struct judgement *judgement, struct op_table *ret_table)
{
    struct op_table *table = ret_table;
    struct cell_list cells;
    *table = (struct op_table){.baseline_runs = judgement->baseline.count,
                               .candidate_runs = judgement->candidate.count,
                               .history_runs = judgement->history.count};
    if (!judgement->steps_are_ours || !runs_have_spans(judgement))
        return true;
    bool collected = cells_collect(judgement, &cells);
    size_t count = collected ? distinct_signatures(&cells) : 0;
    table->items = arena_array(judgement->arena, struct op_series, count);
    double *us = arena_array(judgement->arena, double, count *table_runs(table));
    if (!collected || table->items == NULL || us == NULL) {
        judgement->out_of_memory = true;
        return false;
    }
    struct op_series *series = NULL;
    for (size_t i = 0; i < cells.count; i++) {
        const char *signature = cells.items[i].row->signature;
        if (series == NULL || strcmp(series->signature, signature) != 0) {
            series = &table->items[table->count];
            series->signature = signature;
            series->us = us + table->count++ * table_runs(table);
        }
        series_add(table, series, &cells.items[i]);
    }
    for (size_t i = 0; i < table->count; i++)
        series_close(table, &table->items[i]);
    return true;
}

/* ---- cost shifts ----------------------------------------------------------------------------- */

/* Where an op that went or came stood: the length of path that two of them must share. */
struct place {
    const char *path;
    size_t length;
    double us;
    struct op_series *series;
};

static int place_order(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    size_t shorter = a->length < b->length ? a->length : b->length;
    int order = memcmp(a->path, b->path, shorter);
    if (order != 0 || a->length != b->length)
        return order != 0 ? order : (a->length < b->length ? -1 : 1);
    if (a->us != b->us)
        return a->us > b->us ? -1 : 1;
    return strcmp(a->series->signature, b->series->signature);
}

static bool same_place(const struct place *a, const struct place *b)
{
    return a->length == b->length && memcmp(a->path, b->path, a->length) == 0;
}

/* The whole op path, or what is above its last part; length 0 when there is none. */
static struct place place_of(struct op_series *series, bool parent)
{
    const struct op_row *row = series->before != NULL ? series->before : series->after;
    const char *path = row == NULL || row->op_path == NULL ? "" : row->op_path;
    const char *slash = strrchr(path, '/');
    size_t length = !parent ? strlen(path) : slash == NULL ? 0 : (size_t)(slash - path);
    return (struct place){path, length, series->before_us + series->after_us, series};
}

/* The ops that only one side has, in order of place and then size. */
static size_t places_collect(const struct op_table *table, bool gone, bool parent,
                             struct place *places)
{
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        struct op_series *series = &table->items[i];
        bool fits = gone ? series->before_us > 0 && series->after_us <= 0
                         : series->before_us <= 0 && series->after_us > 0;
        if (series->shifted || !fits)
            continue;
        places[count] = place_of(series, parent);
        count += places[count].length > 0;
    }
    if (count > 1)
        qsort(places, count, sizeof *places, place_order);
    return count;
}

/* The candidate's op takes over the baseline's past. */
static void series_merge(const struct op_table *table, struct op_series *came,
                         struct op_series *gone)
{
    for (size_t i = 0; i < table_runs(table); i++) {
        came->us[i] += gone->us[i];
        gone->us[i] = 0;
    }
    came->before = gone->before;
    came->shifted = true;
    gone->before = gone->after = NULL;
    series_close(table, came);
    series_close(table, gone);
}

static void shifts_pair(const struct op_table *table, bool parent, struct place *gone,
                        struct place *came)
{
    size_t gone_count = places_collect(table, true, parent, gone);
    size_t came_count = places_collect(table, false, parent, came);
    size_t i = 0, j = 0;
    while (i < gone_count && j < came_count) {
        if (same_place(&gone[i], &came[j])) {
            series_merge(table, came[j++].series, gone[i++].series);
            continue;
        }
        struct place left = gone[i], right = came[j];
        left.us = right.us = 0;
        left.series = right.series = gone[i].series;
        if (place_order(&left, &right) < 0)
            i++;
        else
            j++;
    }
}

bool op_table_pair_shifts(struct judgement *judgement, struct op_table *table)
{
    struct place *gone = arena_array(judgement->arena, struct place, table->count);
    struct place *came = arena_array(judgement->arena, struct place, table->count);
    if (gone == NULL || came == NULL) {
        judgement->out_of_memory = true;
        return false;
    }
    shifts_pair(table, false, gone, came);
    shifts_pair(table, true, gone, came);
    size_t kept = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct op_series *series = &table->items[i];
        if (series->before != NULL || series->after != NULL)
            table->items[kept++] = *series;
    }
    table->count = kept;
    return true;
}
