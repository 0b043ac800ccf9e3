/* Whether tables are of the profile that they are put into. What nobody else would have by chance
 * tells it: kernels that ran as often and as long, to the nanosecond that xprof keeps, and steps
 * that last as long. Names of files and hosts do not, for files are copied and renamed, and the
 * next capture of a job has the same ones.
 */
#include "ingest/xprof/xprof_reading.h"

#include "ops/runtime/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Exports round: kernels to the nanosecond each, steps to what a page shows. */
static const double kernel_us_off = .01, step_share_off = 1e-3, step_us_off = 2, us_per_ms = 1e3,
                    enough = .5, ps_per_us = 1e6;
enum {
    OPS_COMPARED = 64, /* those of most time, which stand first */
    STEPS_COMPARED = 256,
};

static const char *role_file(const struct xprof_tables *tables, const struct xprof_table *table)
{
    const char *path = tables->claims[table->role][table->origin];
    return path != NULL ? path : tables->paths[0];
}

/* What all rows of the name, which differ by how they were launched, add up to. */
struct kernel_sum {
    double count, total_us;
};

static struct kernel_sum kernel_sum_of(const struct data_table *kernels, const char *name)
{
    struct kernel_sum sum = {0};
    for (size_t i = 0; i < kernels->row_count; i++) {
        const struct data_value *cell = data_cell(kernels, i, "kernel_name");
        if (cell == NULL || !cell->set || cell->kind != DATA_TEXT || strcmp(cell->text, name) != 0)
            continue;
        sum.count += xprof_number(data_cell(kernels, i, "occurrences")).value;
        sum.total_us += xprof_number(data_cell(kernels, i, "total_duration_us")).value;
    }
    return sum;
}

static void kernels_match(const struct xprof_tables *tables, const struct summary *summary,
                          struct xprof_match *match)
{
    const struct xprof_table *table = xprof_find(tables, XPROF_KERNELS);
    const struct hot_op *unlike = NULL;
    struct kernel_sum theirs = {0};
    double shared_us = 0, equal_us = 0;
    if (table == NULL || table->data.row_count == 0 || summary->hot_op_count == 0)
        return;
    match->compared = true;
    for (size_t i = 0; i < summary->hot_op_count && i < OPS_COMPARED; i++) {
        const struct hot_op *op = &summary->hot_ops[i];
        const struct kernel_sum sum = kernel_sum_of(&table->data, op->name);
        if (sum.count <= 0)
            continue;
        const double count = (double)op->count;
        const bool equal = fabs(sum.count - count) < enough &&
                           fabs(sum.total_us - op->total_duration) <= kernel_us_off * count;
        shared_us += op->total_duration;
        equal_us += equal ? op->total_duration : 0;
        if (equal || unlike != NULL)
            continue;
        unlike = op;
        theirs = sum;
    }
    if (shared_us <= 0)
        NOTE(&match->doubts,
             "The kernels of '%s' are none of '%s': not one of the ops that take most of its time "
             "is named there.",
             role_file(tables, table), summary->source_path);
    else if (equal_us < enough * shared_us)
        NOTE(&match->doubts,
             "The kernels of '%s' are those of another capture than '%s': of the time of those "
             "that both name %.0f %% is of ones that ran as often and as long in both (%s: %.0f "
             "times, %.3f us there, %lld times, %.3f us here).",
             role_file(tables, table), summary->source_path, 100 * equal_us / shared_us,
             unlike->name, theirs.count, theirs.total_us, (long long)unlike->count,
             unlike->total_duration);
}

/* How long a step is taken to last; xprof's of a host begins with the first of its devices and ends
 * with the last. */
enum step_length { LENGTH_SLOWEST, LENGTH_MEAN, LENGTH_ALL_DEVICES, LENGTH_PERIOD, LENGTH_COUNT };

static double row_us(const struct step_row *row, enum step_length length)
{
    int64_t begin = INT64_MAX, end = INT64_MIN;
    if (length == LENGTH_SLOWEST || length == LENGTH_MEAN)
        return (double)(length == LENGTH_SLOWEST ? row->max_ps : row->mean_ps) / ps_per_us;
    if (length == LENGTH_PERIOD)
        return row->has_period ? (double)row->period_ps / ps_per_us : -1;
    for (size_t i = 0; i < row->span_count; i++) {
        const struct step_span *span = &row->spans[i];
        begin = span->start_ps < begin ? span->start_ps : begin;
        end = span->start_ps + span->duration_ps > end ? span->start_ps + span->duration_ps : end;
    }
    return row->span_count > 0 ? (double)(end - begin) / ps_per_us : -1;
}

/* How many of us[count] last as long as the steps from rows[begin - count] on; which may be before
 * the first one. */
static size_t steps_alike_from(const struct step_table *steps, size_t begin, const double *us,
                               size_t count, enum step_length length)
{
    size_t alike = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t at = begin + i;
        if (at < count || at - count >= steps->count)
            continue;
        const double row = row_us(&steps->rows[at - count], length);
        alike += fabs(us[i] - row) <= fmax(step_us_off, step_share_off * fmax(us[i], row));
    }
    return alike;
}

/* How many of us[count], which follow each other, last as long as steps that do so. */
static size_t steps_alike(const struct step_table *steps, const double *us, size_t count)
{
    size_t most = 0;
    for (int length = 0; length < LENGTH_COUNT; length++)
        for (size_t begin = 1; begin < steps->count + count; begin++) {
            const size_t alike =
                steps_alike_from(steps, begin, us, count, (enum step_length)length);
            most = alike > most ? alike : most;
        }
    return most;
}

static void steps_match(const struct xprof_tables *tables, const struct summary *summary,
                        struct xprof_match *match)
{
    const struct xprof_table *table = xprof_find(tables, XPROF_STEPS);
    double us[STEPS_COMPARED];
    size_t count = 0, alike = 0;
    if (table == NULL || summary->steps.count == 0)
        return;
    for (size_t i = 0; i < table->data.row_count && count < STEPS_COMPARED; i++) {
        const struct opt_f64 ms = xprof_number(data_cell(&table->data, i, "stepTimeMs"));
        if (ms.set)
            us[count++] = ms.value * us_per_ms;
    }
    for (size_t t = 0; t <= summary->other_step_count; t++) { /* however they are found */
        const size_t found =
            steps_alike(t == 0 ? &summary->steps : &summary->other_steps[t - 1], us, count);
        alike = found > alike ? found : alike;
    }
    match->compared = match->compared || count > 0;
    if ((double)alike < enough * (double)count)
        NOTE(&match->doubts,
             "The steps of '%s' are not those of '%s': %zu of %zu last as long as one of its %zu "
             "steps (the first %.3f us there, %.3f us here).",
             role_file(tables, table), summary->source_path, alike, count, summary->steps.count,
             us[0], (double)summary->steps.rows[0].max_ps / ps_per_us);
}

void xprof_match(const struct xprof_tables *tables, const struct summary *summary,
                 struct arena *arena, struct xprof_match *ret_match)
{
    const char *theirs = tables->run.device_type, *ours = summary->environment.device_type;
    *ret_match = (struct xprof_match){.doubts = {.arena = arena}};
    if (theirs != NULL && ours != NULL &&
        (strstr(theirs, "TPU") != NULL) != (strstr(ours, "TPU") != NULL))
        NOTE(&ret_match->doubts, "The tables are of a device '%s', and '%s' is of '%s'.", theirs,
             summary->source_path, ours);
    kernels_match(tables, summary, ret_match);
    steps_match(tables, summary, ret_match);
}
