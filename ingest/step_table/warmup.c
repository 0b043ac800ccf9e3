#include "ingest/step_table/warmup.h"

#include "ingest/lookup/lookup.h"
#include "ingest/step_table/step_stats.h"

#include <math.h>
#include <stdlib.h>

static const double compile_share_least = 0.01;
/* Above the middle of the rest by this share at least: below it a step cannot move a median. */
static const double apart_least = 0.10;
/* And above all of the rest but the highest tenth, so that no step that comes back is taken for
 * warm-up. */
static const double apart_quantile = 0.9, apart_from_quantile = 0.05;
/* Of a rest that looks more alike than clocks are, this counts as its noise. */
static const double noise_least = 0.005;
static const double mad_to_sd = 1.4826;
/* What has to be waiting of a step's excess for the device to have waited. */
static const double wait_share_least = 0.5;

/* ---- compilation ----------------------------------------------------------------------------- */

bool warmup_has_compiled(const struct warmup_step *step)
{
    return step->compile_ps > 0 &&
           (double)step->compile_ps >= compile_share_least * (double)step->duration_ps;
}

/* ---- apart from the rest --------------------------------------------------------------------- */

/* Times the noise of the rest that steps are apart, by the size of the rest: the smaller, the less
 * is known of its noise. */
static const double apart_noises[] = {0, 0, 60, 25, 14, 10, 9, 8};
static const double apart_noises_of_many = 7;

/* Whether the smallest of the first steps is apart from the rest; scratch has room for `count`. */
static bool is_apart(double smallest, const double *rest, size_t count, double *scratch)
{
    for (size_t i = 0; i < count; i++)
        scratch[i] = rest[i];
    qsort(scratch, count, sizeof *scratch, f64_order);
    double middle = quantile(scratch, count, 0.5);
    double high = scratch[(size_t)ceil(apart_quantile * (double)(count - 1))];
    for (size_t i = 0; i < count; i++)
        scratch[i] = fabs(rest[i] - middle);
    qsort(scratch, count, sizeof *scratch, f64_order);
    double noise = fmax(mad_to_sd * quantile(scratch, count, 0.5), noise_least);
    const double noises = count < sizeof apart_noises / sizeof apart_noises[0]
                              ? apart_noises[count]
                              : apart_noises_of_many;
    return smallest - middle > fmax(log1p(apart_least), noises * noise) &&
           smallest > high + log1p(apart_from_quantile);
}

/* Whether the device waited longer than in the steps of the rest, for most of what the step took
 * longer. */
static bool has_waited(const struct warmup_step *step, const struct warmup_step *rest, size_t count)
{
    double idle = 0, duration = 0;
    if (step->idle_ps < 0)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (rest[i].idle_ps < 0)
            return false;
        idle += (double)rest[i].idle_ps / (double)count;
        duration += (double)rest[i].duration_ps / (double)count;
    }
    return (double)step->idle_ps - idle >=
           wait_share_least * ((double)step->duration_ps - duration);
}

void warmup_find(const struct warmup_step *steps, size_t count, size_t most, struct arena *arena,
                 const char **reasons)
{
    enum { REST_LEAST = 2, COUNTS_AS_USUAL = 3 }; /* of fewer steps no one can say what is usual */
    struct arena_mark mark = arena_mark(arena);
    double *values = arena_array(arena, double, count);
    double *scratch = arena_array(arena, double, count);
    size_t *places = arena_array(arena, size_t, count);
    size_t kept = 0, head = 0;
    for (size_t i = 0; i < count; i++)
        reasons[i] = NULL;
    if (most > WARMUP_STEPS_MOST)
        most = WARMUP_STEPS_MOST;
    if (most > count)
        most = count;
    size_t compiled = 0;
    for (size_t i = 0; i < count; i++)
        compiled += warmup_has_compiled(&steps[i]);
    const bool as_usual = count >= COUNTS_AS_USUAL && 2 * compiled > count;
    for (size_t i = 0; i < most && !as_usual && warmup_has_compiled(&steps[i]); i++)
        reasons[i] = WARMUP_COMPILATION;
    for (size_t i = 0; i < count; i++) {
        if (reasons[i] != NULL || steps[i].duration_ps <= 0)
            continue;
        values[kept] = log((double)steps[i].duration_ps);
        places[kept++] = i;
        head += i < most;
    }
    /* The largest number of first values, at most half of all, that are apart from the others. */
    size_t apart = 0;
    double smallest = INFINITY;
    for (size_t first = 1; first <= head && 2 * first <= kept; first++) {
        smallest = fmin(smallest, values[first - 1]);
        if (kept - first >= REST_LEAST && is_apart(smallest, values + first, kept - first, scratch))
            apart = first;
    }
    for (size_t i = 0; i < apart; i++) {
        size_t rest = places[apart];
        reasons[places[i]] = has_waited(&steps[places[i]], steps + rest, count - rest)
                                 ? WARMUP_HOST_WAIT
                                 : WARMUP_APART;
    }
    arena_rewind(arena, mark);
}
