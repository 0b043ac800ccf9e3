/* Our step table: every step, on every device (schema/summary.h, struct step_table). */
#include "ingest/step_table.h"
#include "ingest/ours.h"
#include "ingest/step_stats.h"
#include "ingest/steps.h"

#include <stdlib.h>
#include <string.h>

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

/* ---- gathering ------------------------------------------------------------------------------- */

static void device_spans(const struct plane_state *state, struct numbered_span *spans,
                         size_t *count)
{
    for (size_t i = 0; state->device != UINT32_MAX && i < state->windows.count; i++) {
        const struct step_window *window = &state->windows.items[i];
        spans[(*count)++] =
            (struct numbered_span){window->number,
                                   {state->device, window->span_ps[0],
                                    ps_between(window->span_ps[0], window->span_ps[1])}};
    }
}

/* Without devices the annotation itself is the step. */
static bool host_spans(struct profile *profile, struct numbered_span **ret_spans, size_t *ret_count,
                       struct err *err)
{
    *ret_count = 0;
    *ret_spans = NULL;
    size_t capacity = 0;
    for (size_t s = 0; s < profile->space_count; s++) {
        const struct host_step_list *list = steps_of_host(profile, &profile->spaces[s], err);
        if (list == NULL)
            return false;
        for (size_t i = 0; i < list->count; i++) {
            const struct host_step *step = &list->items[i];
            struct numbered_span *spans =
                arena_grow(profile->arena, *ret_spans, *ret_count, &capacity, sizeof *spans);
            if (spans == NULL)
                return arena_failed(profile->arena, "the steps of a profile", err);
            *ret_spans = spans;
            spans[(*ret_count)++] = (struct numbered_span){
                step->number,
                {UINT32_MAX, step->start_ps, ps_between(step->start_ps, step->end_ps)}};
        }
    }
    return true;
}

static bool spans_gather(struct profile *profile, const struct summary *summary,
                         struct numbered_span **ret_spans, size_t *ret_count, struct err *err)
{
    if (summary->device_count == 0)
        return host_spans(profile, ret_spans, ret_count, err);
    size_t most = 0;
    for (size_t p = 0; p < profile->plane_count; p++)
        most += profile->planes[p].windows.count;
    *ret_count = 0;
    *ret_spans = arena_array(profile->arena, struct numbered_span, most);
    if (*ret_spans == NULL)
        return arena_failed(profile->arena, "the steps of a profile", err);
    for (size_t p = 0; p < profile->plane_count; p++)
        device_spans(&profile->planes[p], *ret_spans, ret_count);
    return true;
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
    size_t low = 0, high = row->span_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (row->spans[middle].device < device)
            low = middle + 1;
        else
            high = middle;
    }
    return low < row->span_count && row->spans[low].device == device ? &row->spans[low] : NULL;
}

/* Period and gap look at the rows beside it; only neighbours in number are neighbours in time. */
static void row_relate(struct step_row *row, const struct step_row *before,
                       const struct step_row *after)
{
    if (after != NULL && after->number - 1 == row->number) {
        const struct step_span *own = span_on(row, row->slowest);
        const struct step_span *next = span_on(after, row->slowest);
        row->has_period = next != NULL;
        row->period_ps = next == NULL ? 0 : ps_between(own->start_ps, next->start_ps);
    }
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

static size_t numbers_count(const struct numbered_span *spans, size_t count)
{
    size_t numbers = count > 0;
    for (size_t i = 1; i < count; i++)
        numbers += spans[i].number != spans[i - 1].number;
    return numbers;
}

bool step_rows_make(struct numbered_span *spans, size_t count, struct arena *arena,
                    struct step_table *table, struct err *err)
{
    if (count > 1)
        qsort(spans, count, sizeof *spans, compare_spans);
    struct step_span *all = arena_array(arena, struct step_span, count);
    struct step_row *rows = arena_array(arena, struct step_row, numbers_count(spans, count));
    if (all == NULL || rows == NULL)
        return arena_failed(arena, "the steps of a profile", err);
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
    return true;
}

/* ---- figures --------------------------------------------------------------------------------- */

static int compare_durations(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* Median of values[count], rounded down; sorts them. */
static int64_t median_of(int64_t *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_durations);
    int64_t high = values[count / 2], low = values[(count - 1) / 2];
    return low + (high - low) / 2;
}

/* The durations of steady steps by device, one behind the other: those of device d end at ends[d].
 */
struct device_durations {
    int64_t *values;
    size_t *ends;
};

static bool durations_gather(const struct step_table *table, size_t device_count,
                             struct arena *arena, struct device_durations *ret_durations)
{
    size_t *ends = arena_array(arena, size_t, device_count + 1);
    int64_t *values = arena_array(arena, int64_t, (size_t)table->steady_spans);
    if (ends == NULL || values == NULL)
        return false;
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
            values[ends[row->spans[s].device]++] = row->spans[s].duration_ps;
    }
    *ret_durations = (struct device_durations){values, ends};
    return true;
}

static bool device_medians(const struct step_table *table, struct summary *summary,
                           struct arena *arena)
{
    struct device_durations durations;
    if (summary->device_count == 0)
        return true;
    if (!durations_gather(table, summary->device_count, arena, &durations))
        return false;
    for (size_t d = 0, first = 0; d < summary->device_count; first = durations.ends[d++]) {
        if (durations.ends[d] > first)
            summary->devices[d].steady_step_median_ps =
                median_of(durations.values + first, durations.ends[d] - first);
    }
    return true;
}

static void steady_figures(struct step_table *table, int64_t *scratch, double *values)
{
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        if (table->rows[i].warmup)
            continue;
        scratch[count++] = table->rows[i].max_ps;
        table->steady_spans += (int64_t)table->rows[i].span_count;
    }
    table->steady_count = (int64_t)count;
    if (count == 0)
        return;
    qsort(scratch, count, sizeof *scratch, compare_durations);
    for (size_t i = 0; i < count; i++)
        values[i] = (double)scratch[i] / 1e6;
    table->steady_median_us = some_f64(quantile(values, count, 0.5));
    table->steady_p90_us = some_f64(quantile(values, count, 0.9));
}

bool step_figures_make(struct summary *summary, struct arena *arena, struct err *err)
{
    struct step_table *table = &summary->steps;
    int64_t *scratch = arena_array(arena, int64_t, table->count);
    double *values = arena_array(arena, double, table->count);
    if (scratch == NULL || values == NULL)
        return arena_failed(arena, "the steps of a profile", err);
    steady_figures(table, scratch, values);
    return device_medians(table, summary, arena) ||
           arena_failed(arena, "the steps of a profile", err);
}

bool step_table_build(struct profile *profile, struct summary *summary, struct err *err)
{
    struct step_table *table = &summary->steps;
    struct numbered_span *spans;
    size_t count;
    if (!spans_gather(profile, summary, &spans, &count, err) ||
        !step_rows_make(spans, count, profile->arena, table, err))
        return false;
    for (size_t i = 0; i < table->count; i++)
        table->rows[i].warmup = step_is_warmup(profile, table->rows[i].number);
    table->method = table->count == 0 ? STEPS_NONE : profile->step_method;
    return step_figures_make(summary, profile->arena, err);
}
