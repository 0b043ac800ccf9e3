/* See step_table.h: rows out of spans, and the figures over them. */
#include "ingest/step_table/step_table.h"

#include "ingest/intervals/intervals.h"
#include "ingest/lookup/lookup.h"
#include "ingest/step_table/step_stats.h"

#include <stdlib.h>

static int compare_spans(const void *a, const void *b)
{
    const struct numbered_span *left = a, *right = b;
    if (left->number != right->number)
        return left->number < right->number ? -1 : 1;
    if (left->span.device != right->span.device)
        return left->span.device < right->span.device ? -1 : 1;
    return (left->span.start_ps > right->span.start_ps) -
           (left->span.start_ps < right->span.start_ps);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* spans[count] are those of one step; a number that comes back on a device counts once. */
static void row_fill(struct step_row *row, const struct numbered_span *spans, size_t count)
{
    int64_t sum = 0;
    row->number = spans[0].number;
    for (size_t i = 0; i < count; i++) {
        const struct step_span *span = &spans[i].span;
        if (row->span_count > 0 && span->device != UINT32_MAX &&
            row->spans[row->span_count - 1].device == span->device)
            continue;
        if (row->span_count == 0 || span->duration_ps > row->max_ps) {
            row->max_ps = span->duration_ps;
            row->slowest = span->device;
        }
        ps_add(&sum, span->duration_ps);
        row->spans[row->span_count++] = *span;
    }
    row->mean_ps = sum / (int64_t)row->span_count;
}

/* Spans of a row ascend by device. NULL when the device has no part in the step. */
static const struct step_span *span_on(const struct step_row *row, uint32_t device)
{
    const size_t own = sorted_count(row->span_count, at, row->spans[at].device < device);
    return own < row->span_count && row->spans[own].device == device ? &row->spans[own] : NULL;
}

/* From the row's start to that of the next, over the steps in between that lack their mark, where
 * as many numbers are missing as would fit: each takes half as long as the row at least. */
static void row_period(struct step_row *row, const struct step_row *after)
{
    const struct step_span *own = span_on(row, row->slowest);
    const struct step_span *next = span_on(after, row->slowest);
    int64_t numbers;
    if (next == NULL || __builtin_sub_overflow(after->number, row->number, &numbers))
        return;
    const int64_t apart = ps_between(own->start_ps, next->start_ps);
    row->has_period = numbers == 1
                          ? apart >= 0
                          : (apart > own->duration_ps &&
                             (apart - own->duration_ps) / (numbers - 1) >= own->duration_ps / 2);
    row->period_ps = row->has_period ? apart / numbers : 0;
}

/* Gaps look at the row before; only neighbours in number are neighbours in time. */
static void row_relate(struct step_row *row, const struct step_row *before,
                       const struct step_row *after)
{
    if (after != NULL)
        row_period(row, after);
    if (before == NULL || before->number != row->number - 1)
        return;
    for (size_t i = 0; i < row->span_count; i++) {
        const struct step_span *last = span_on(before, row->spans[i].device);
        if (last == NULL)
            continue;
        int64_t gap = ps_between(last->start_ps + last->duration_ps, row->spans[i].start_ps);
        if (!row->has_gap || gap < row->gap_before_ps)
            row->gap_before_ps = gap;
        row->has_gap = true;
    }
}

void step_rows_make(struct numbered_span *spans, size_t count, struct arena *arena,
                    struct step_table *table)
{
    if (count > 1)
        qsort(spans, count, sizeof *spans, compare_spans);
    size_t numbers = count > 0;
    for (size_t i = 1; i < count; i++)
        numbers += spans[i].number != spans[i - 1].number;
    struct step_span *all = arena_array(arena, struct step_span, count);
    struct step_row *rows = arena_array(arena, struct step_row, numbers);
    table->count = 0;
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i; next < count && spans[next].number == spans[i].number;)
            next++;
        struct step_row *row = &rows[table->count++];
        row->spans = all + i;
        row_fill(row, spans + i, next - i);
    }
    for (size_t i = 0; i < table->count; i++)
        row_relate(&rows[i], i == 0 ? NULL : &rows[i - 1],
                   i + 1 == table->count ? NULL : &rows[i + 1]);
    table->rows = table->count == 0 ? NULL : rows;
}

/* ---- figures --------------------------------------------------------------------------------- */

/* Median of values[count], rounded down; sorts them. */
static int64_t median_of(int64_t *values, size_t count)
{
    qsort(values, count, sizeof *values, i64_order);
    int64_t high = values[count / 2], low = values[(count - 1) / 2];
    return low + (high - low) / 2;
}

static void device_medians(const struct step_table *table, struct device_row *devices,
                           size_t device_count, struct arena *arena)
{
    for (size_t d = 0; d < device_count; d++)
        devices[d].steady_step_median_ps = -1;
    /* Steps that were not measured on devices say nothing of them. */
    if (device_count == 0 || table->count == 0 || table->rows[0].spans[0].device == UINT32_MAX)
        return;
    /* By device, one behind the other: those of device d end at ends[d]. */
    size_t *ends = arena_array(arena, size_t, device_count + 1);
    int64_t *durations = arena_array(arena, int64_t, (size_t)table->steady_spans);
    for (size_t i = 0; i < table->count; i++) {
        const struct step_row *row = &table->rows[i];
        for (size_t s = 0; !row->warmup && s < row->span_count; s++)
            ends[row->spans[s].device + 1]++;
    }
    for (size_t d = 0; d < device_count; d++)
        ends[d + 1] += ends[d];
    for (size_t i = 0; i < table->count; i++) {
        const struct step_row *row = &table->rows[i];
        for (size_t s = 0; !row->warmup && s < row->span_count; s++)
            durations[ends[row->spans[s].device]++] = row->spans[s].duration_ps;
    }
    for (size_t d = 0, first = 0; d < device_count; first = ends[d++]) {
        if (ends[d] > first)
            devices[d].steady_step_median_ps = median_of(durations + first, ends[d] - first);
    }
}

/* The figures over the steady rows of a table. */
static void step_table_settle(struct step_table *table, struct arena *arena)
{
    int64_t *durations = arena_array(arena, int64_t, table->count);
    double *values = arena_array(arena, double, table->count);
    size_t count = 0;
    table->steady_spans = 0;
    table->steady_median_us = table->steady_p90_us = (struct opt_f64){0};
    for (size_t i = 0; i < table->count; i++) {
        if (table->rows[i].warmup)
            continue;
        durations[count++] = table->rows[i].max_ps;
        table->steady_spans += (int64_t)table->rows[i].span_count;
    }
    table->steady_count = (int64_t)count;
    if (count == 0)
        return;
    qsort(durations, count, sizeof *durations, i64_order);
    for (size_t i = 0; i < count; i++)
        values[i] = (double)durations[i] / 1e6;
    table->steady_median_us = some_f64(quantile(values, count, 0.5));
    table->steady_p90_us = some_f64(quantile(values, count, 0.9));
}

void step_figures_make(struct summary *summary, struct arena *arena)
{
    step_table_settle(&summary->steps, arena);
    for (size_t i = 0; i < summary->other_step_count; i++) {
        step_table_settle(&summary->other_steps[i], arena);
    }
    device_medians(&summary->steps, summary->devices, summary->device_count, arena);
}
