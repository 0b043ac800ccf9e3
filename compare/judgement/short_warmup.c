#include "compare/judgement/short_warmup.h"

#include "compare/statistics/statistics.h"

#include <math.h>

/* Captures of more steps tell their warm-up themselves. */
enum { STEPS_SHORT = 8 };
/* Of fewer past captures or steps nothing is said. */
enum { PAST_CAPTURES_LEAST = 3, PAST_STEPS_LEAST = 12 };
/* Times the noise of past steps that the first ones are apart, and by this share at least; of fewer
 * than FEW_STEPS by more, which is also what all but the last have to be longer by. */
enum { FEW_STEPS = 4 };
static const double apart_noises = 6.5, apart_least = 0.04, apart_of_few = 0.10;
static const double noise_least = 0.005;
/* What so many past captures have in common is no accident of some. */
static const double common_part = 0.75;
/* Last steps that the end of a capture cut agree no better than this; a candidate's that is so near
 * to the past is none. */
static const double last_agree = 0.05, last_near = 0.06;
static const double mad_to_sd = 1.4826;
/* Of two steps that are left behind warm-up the first may be so many noises longer. */
static const double left_noises = 3;

/* ---- one capture ----------------------------------------------------------------------------- */

static double row_log(const struct step_table *table, size_t row)
{
    return log(fmax((double)table->rows[row].max_ps, 1));
}

/* By how much the shortest of the rows before `first` exceeds the longest of the rest, in
 * logarithms. */
static double apart_by(const struct step_table *table, size_t from, size_t first)
{
    double least = INFINITY, most = -INFINITY;
    for (size_t i = from; i < table->count; i++) {
        if (i < first)
            least = fmin(least, row_log(table, i));
        else
            most = fmax(most, row_log(table, i));
    }
    return least - most;
}

static double apart_limit(const struct step_table *table, double noise)
{
    double least = table->count < FEW_STEPS ? apart_of_few : apart_least;
    return fmax(log1p(least), apart_noises * noise);
}

/* The first row behind all that are apart from the rest, of `rest` rows or more; `from`: none is.
 */
static size_t settled_from(const struct step_table *table, double noise, size_t rest)
{
    size_t from = steps_first_warmup(table);
    if (noise < 0 || table->count > STEPS_SHORT)
        return from;
    for (size_t first = table->count - 1; first > from; first--) {
        if (table->count - first >= rest &&
            apart_by(table, from, first) > apart_limit(table, noise))
            return first;
    }
    return from;
}

/* A last step that is short alone may be what the end of the capture cut. */
static size_t rest_least(const struct step_table *table)
{
    return table->count > 2 ? 2 : 1;
}

/* The deviation of logarithms of steady steps of the second half; -1 of fewer than two. *ret_count:
 * of all. What the first half still settles by is no noise. */
static double table_noise(const struct step_table *table, size_t *ret_count)
{
    double sum = 0, squares = 0;
    size_t count = 0, half = table->count > 2 ? table->count / 2 : 0;
    *ret_count = table->count - steps_first_warmup(table);
    for (size_t i = half; i < table->count; i++) {
        if (table->rows[i].warmup || table->rows[i].max_ps <= 0)
            continue;
        double value = row_log(table, i) - row_log(table, 0);
        sum += value;
        squares += value * value;
        count++;
    }
    if (count < 2)
        return -1;
    /* The middle of the squares of few is below their mean (Wilson and Hilferty 1931). */
    double df = (double)count - 1, middle = pow(1 - 2 / (9 * df), 3);
    return sqrt(fmax(0, (squares - sum * sum / (double)count) / df / middle));
}

/* ---- past captures --------------------------------------------------------------------------- */

/* Past captures with steps of the wanted kind, without a last one that the end of the capture cut,
 * and room for a value of each. */
struct captures {
    struct step_table *tables;
    double *values;
    size_t count;
};

/* The middle of values[count], which it sorts. */
static double middle(double *values, size_t count)
{
    stats_sort(values, count);
    return count == 0 ? -1 : stats_quantile(values, count, 0.5);
}

/* In the middle of captures; -1 where too few tell. */
static double noise_of_all(const struct captures *past)
{
    size_t count = 0, steps = 0;
    for (size_t i = 0; i < past->count; i++) {
        size_t own = 0;
        past->values[count] = table_noise(&past->tables[i], &own);
        if (past->values[count] < 0)
            continue;
        count++;
        steps += own;
    }
    if (count < PAST_CAPTURES_LEAST || steps < PAST_STEPS_LEAST)
        return -1;
    return fmax(middle(past->values, count), noise_least);
}

/* The same by the last two steps of each, however many before them are warm-up. */
static double noise_of_last_two(const struct captures *past)
{
    size_t count = 0;
    for (size_t i = 0; i < past->count; i++) {
        const struct step_table *table = &past->tables[i];
        if (table->count > 2)
            past->values[count++] =
                mad_to_sd / sqrt(2) *
                fabs(row_log(table, table->count - 1) - row_log(table, table->count - 2));
    }
    return count < PAST_CAPTURES_LEAST ? -1 : fmax(middle(past->values, count), noise_least);
}

/* Whether most captures have first steps that are apart by that noise. */
static bool is_common(const struct captures *past, double noise, size_t rest)
{
    size_t apart = 0;
    for (size_t i = 0; i < past->count; i++) {
        const struct step_table *table = &past->tables[i];
        apart += settled_from(table, noise, rest) > steps_first_warmup(table);
    }
    return noise >= 0 && (double)apart >= common_part * (double)past->count;
}

static double level_of(const struct captures *past, const struct short_past *found)
{
    for (size_t i = 0; i < past->count; i++) {
        const struct step_table *table = &past->tables[i];
        size_t rest = found->last_alone ? 1 : rest_least(table), count = 0;
        double rows[STEPS_SHORT] = {0};
        for (size_t j = settled_from(table, found->noise, rest);
             j < table->count && count < STEPS_SHORT; j++)
            rows[count++] = row_log(table, j);
        past->values[i] = middle(rows, count);
    }
    return middle(past->values, past->count);
}

void short_past_read(const struct gate_side *past, const struct step_table *wanted,
                     struct arena *arena, struct short_past *ret)
{
    struct captures captures;
    captures = (struct captures){arena_array(arena, struct step_table, past->profile_count),
                                 arena_array(arena, double, past->profile_count), 0};
    for (size_t i = 0; wanted != NULL && i < past->profile_count; i++) {
        const struct step_table *table =
            summary_steps_by(past->profiles[i].summary, wanted->method);
        if (table != NULL && step_tables_alike(table, wanted) && table->count > 0 &&
            table->rows[0].max_ps > 0) {
            captures.tables[captures.count] = *table;
            captures.tables[captures.count++].count = steps_whole(table);
        }
    }
    ret->noise = noise_of_all(&captures);
    ret->last_alone = false;
    /* Among captures by their last steps; -1 where these do not agree. */
    for (size_t i = 0; i < captures.count; i++)
        captures.values[i] = row_log(&captures.tables[i], captures.tables[i].count - 1);
    double level = middle(captures.values, captures.count);
    for (size_t i = 0; i < captures.count; i++)
        captures.values[i] = fabs(captures.values[i] - level);
    double noise = mad_to_sd * middle(captures.values, captures.count);
    double two = noise_of_last_two(&captures),
           last = captures.count < PAST_CAPTURES_LEAST || noise > last_agree
                      ? -1
                      : fmax(noise, noise_least);
    if (two >= 0 && two < ret->noise && is_common(&captures, two, 2)) {
        ret->noise = two;
    } else if (last >= 0 && last < ret->noise && is_common(&captures, last, 1)) {
        ret->noise = last;
        ret->last_alone = true;
    }
    ret->level = level_of(&captures, ret);
}

/* ---- warm-up --------------------------------------------------------------------------------- */

size_t short_warmup(const struct step_table *read, const struct short_past *past)
{
    struct step_table whole = *read;
    whole.count = steps_whole(read);
    const struct step_table *table = &whole;
    size_t own = steps_first_warmup(table), last = table->count - 1;
    if (past->noise < 0 || table->count > STEPS_SHORT)
        return 0;
    size_t first = settled_from(table, past->noise, past->last_alone ? 1 : rest_least(table));
    bool settles = first > 0 && first + 2 == table->count;
    double limit = settles ? left_noises * past->noise
                           : fmax(log1p(apart_of_few), apart_limit(table, past->noise));
    /* Only the last step is where past runs are: those before it have not settled. */
    if (table->count > 2 && !past->last_alone && first < last &&
        apart_by(table, first, last) > limit &&
        fabs(row_log(table, last) - past->level) <= last_near)
        return table->count;
    return first > own ? first : 0;
}
