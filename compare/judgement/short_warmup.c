/* See short_warmup.h. */
#include "compare/judgement/short_warmup.h"

#include "compare/statistics/statistics.h"

#include <math.h>
#include <stdlib.h>

/* Captures of more steps tell their warm-up themselves. */
enum { STEPS_SHORT = 8 };
/* Of fewer past captures or steps nothing is said. */
enum { PAST_CAPTURES_LEAST = 3, PAST_STEPS_LEAST = 12 };
/* Times the noise of past steps that the first ones are apart, and by this share at least. */
static const double apart_noises = 8, apart_least = 0.10, noise_least = 0.005;

/* ---- noise ----------------------------------------------------------------------------------- */

/* -1 of fewer than two steady steps. */
static double table_noise(const struct step_table *table, size_t *ret_count)
{
    double sum = 0, squares = 0;
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        if (table->rows[i].warmup || table->rows[i].max_ps <= 0)
            continue;
        double value = log((double)table->rows[i].max_ps / (double)table->rows[0].max_ps);
        sum += value;
        squares += value * value;
        count++;
    }
    *ret_count = count;
    if (count < 2)
        return -1;
    return sqrt(fmax(0, (squares - sum * sum / (double)count) / (double)(count - 1)));
}

static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

double steps_noise(const struct gate_side *past, const struct step_table *wanted,
                   struct arena *arena, bool *ret_known)
{
    double *noises = arena_array(arena, double, past->profile_count);
    size_t count = 0, steps = 0;
    *ret_known = noises != NULL;
    for (size_t i = 0; noises != NULL && wanted != NULL && i < past->profile_count; i++) {
        const struct step_table *table =
            summary_steps_by(past->profiles[i].summary, wanted->method);
        size_t own = 0;
        if (table == NULL || !step_tables_alike(table, wanted) || table->count == 0 ||
            table->rows[0].max_ps <= 0)
            continue;
        noises[count] = table_noise(table, &own);
        if (noises[count] < 0)
            continue;
        count++;
        steps += own;
    }
    if (count < PAST_CAPTURES_LEAST || steps < PAST_STEPS_LEAST)
        return -1;
    qsort(noises, count, sizeof *noises, compare_doubles);
    return fmax(stats_quantile(noises, count, 0.5), noise_least);
}

/* ---- warm-up --------------------------------------------------------------------------------- */

/* By how much the shortest of the first rows exceeds the longest of the rest, in logarithms. */
static double apart_by(const struct step_table *table, size_t first)
{
    int64_t least = INT64_MAX, most = 1;
    for (size_t i = 0; i < first; i++)
        least = table->rows[i].max_ps < least ? table->rows[i].max_ps : least;
    for (size_t i = first; i < table->count; i++)
        most = table->rows[i].max_ps > most ? table->rows[i].max_ps : most;
    return least <= 0 ? -1 : log((double)least / (double)most);
}

size_t short_warmup(const struct step_table *table, double noise)
{
    /* A last step that is short alone may be what the end of the capture cut. */
    const size_t rest_least = table->count > 2 ? 2 : 1;
    if (noise < 0 || table->count > STEPS_SHORT)
        return 0;
    for (size_t i = 0; i < table->count; i++) {
        if (table->rows[i].warmup)
            return 0;
    }
    const double limit = fmax(log1p(apart_least), apart_noises * noise);
    for (size_t first = table->count; first-- > 1;) {
        if (table->count - first >= rest_least && apart_by(table, first) > limit)
            return first;
    }
    return 0;
}
