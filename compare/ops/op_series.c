/* Implements the matching of ops by signature: one flat list of cells, sorted, cut into series. */
#include "compare/ops/op_series.h"
#include "compare/runs/runs.h"

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

/* Self time of an op per steady step and device, or of one call; 0: it does not count. */
static double row_us(const struct summary *summary, const struct op_row *row, bool per_call)
{
    double count = per_call ? (double)row->count : (double)summary->steps.steady_spans;
    int64_t self_ps = per_call ? row->self_ps : row->steady_self_ps;
    return row->asynchronous || self_ps <= 0 || count <= 0 ? 0 : (double)self_ps / count / 1e6;
}

static void run_cells(const struct gate_run *run, size_t index, bool per_call,
                      struct cell_list *cells)
{
    for (size_t i = 0; i < run->profile_count; i++) {
        const struct summary *summary = run->profiles[i]->summary;
        for (size_t j = 0; j < summary->op_count; j++) {
            const struct op_row *row = &summary->ops[j];
            double us = row_us(summary, row, per_call) / (double)run->profile_count;
            if (us > 0)
                cells->items[cells->count++] = (struct op_cell){row, index, i, us};
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

static void cells_collect(struct gate_state *judgement, bool per_call, struct cell_list *cells)
{
    const struct gate_runs *sides[] = {&judgement->op_sides.before, &judgement->op_sides.after,
                                       &judgement->op_sides.past};
    size_t most = 0, index = 0;
    for (size_t i = 0; i < 3; i++)
        most += runs_op_count(sides[i]);
    cells->items = arena_array(judgement->arena, struct op_cell, most);
    cells->count = 0;
    for (size_t i = 0; i < 3; i++) {
        for (size_t j = 0; j < sides[i]->count; j++)
            run_cells(&sides[i]->items[j], index++, per_call, cells);
    }
    if (cells->count > 1)
        qsort(cells->items, cells->count, sizeof *cells->items, cell_order);
}

/* ---- series ---------------------------------------------------------------------------------- */

size_t op_table_runs(const struct op_table *table)
{
    return table->baseline_runs + table->candidate_runs + table->history_runs;
}

/* Over the runs that run it. */
static double mean_of(const double *us, size_t count, size_t *ret_runs)
{
    double sum = 0;
    size_t runs = 0;
    for (size_t i = 0; i < count; i++) {
        sum += us[i];
        runs += us[i] > 0;
    }
    *ret_runs = runs;
    return runs == 0 ? 0 : sum / (double)runs;
}

void op_series_close(const struct op_table *table, struct op_series *series)
{
    series->before_us = mean_of(series->us, table->baseline_runs, &series->before_runs);
    series->after_us =
        mean_of(series->us + table->baseline_runs, table->candidate_runs, &series->after_runs);
}

void op_series_build(struct gate_state *judgement, struct op_table *ret_table)
{
    struct op_table *table = ret_table;
    const struct op_sides *sides = &judgement->op_sides;
    struct cell_list cells;
    *table = (struct op_table){.baseline_runs = sides->before.count,
                               .candidate_runs = sides->after.count,
                               .history_runs = sides->past.count,
                               .per_call = sides->per_call};
    if (!judgement->steps_are_ours || sides->before.count == 0 || sides->after.count == 0)
        return;
    cells_collect(judgement, table->per_call, &cells);
    size_t count = 0;
    for (size_t i = 0; i < cells.count; i++)
        count +=
            i == 0 || strcmp(cells.items[i - 1].row->signature, cells.items[i].row->signature) != 0;
    table->items = arena_array(judgement->arena, struct op_series, count);
    double *us = arena_array(judgement->arena, double, count *op_table_runs(table));
    struct op_series *series = NULL;
    for (size_t i = 0; i < cells.count; i++) {
        const char *signature = cells.items[i].row->signature;
        if (series == NULL || strcmp(series->signature, signature) != 0) {
            series = &table->items[table->count];
            series->signature = signature;
            series->us = us + table->count++ * op_table_runs(table);
        }
        const struct op_cell *cell = &cells.items[i];
        series->us[cell->run] += cell->us;
        if (cell->run < table->baseline_runs) {
            if (series->before == NULL)
                series->before = cell->row;
        } else if (cell->run < table->baseline_runs + table->candidate_runs &&
                   series->after == NULL) {
            series->after = cell->row;
        }
    }
    for (size_t i = 0; i < table->count; i++)
        op_series_close(table, &table->items[i]);
}
