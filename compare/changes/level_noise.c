/* Weighs numbers of levels, with and without a line, each with correlated noise about them. */
#include "compare/changes/level_noise.h"

#include "compare/changes/segmentation.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Chosen on injected steps and own draws alone: 57 histories of benchmarks and 42 stretches of
 * others, shuffled singly and in blocks of five, with 0 to 5 steps, with and without a drift. */
static const double level_penalty = 2, line_penalty = 2.25, rho_max = .7;
/* More for a line and a newest level that is shorter than others, where levels alone do: of the 57
 * series without a step of the injected ones 3 leaves a false line in one, 5 in none. */
static const double both_penalty = 5;
enum { HIDING_VALUES = 1000 }; /* among more a few neither make nor hide a line */
/* A level that counts holds 12 values, in a short series a fifth of them. */
enum { LEVEL_VALUES = 12, SHORT_SHARE = 5, FEWEST_VALUES = 3 };
/* Those of the model are longer in a long series, so that noise is not fitted away. */
enum { MODEL_SHARE = 12, MODEL_LONGEST_MIN = 64 };
/* Penalties that are tried fall from one that allows no cut. */
enum { PENALTY_STEPS = 80 };
static const double penalty_step = .8;
/* Two penalties that differ by less are asked, not reckoned. */
static const double rounding = 1e-9;

size_t level_min_count(size_t count)
{
    size_t share = count / SHORT_SHARE;
    return share > LEVEL_VALUES ? LEVEL_VALUES : share > FEWEST_VALUES ? share : FEWEST_VALUES;
}

struct fitting {
    const double *values;
    size_t count, min_length;
    double *straight, *residuals;
    size_t *starts;
    struct arena *arena;
    bool weighs_newest; /* a newest level that is shorter than the others too */
    double best;        /* the criterion */
    struct level_noise noise;
};

/* The slope that all levels share, by least squares; residuals from levels and line. */
static double residuals_take(struct fitting *fitting, size_t cut_count, bool line)
{
    const double *values = fitting->values;
    double across = 0, squares = 0, slope = 0;
    for (int pass = line ? 0 : 1; pass < 2; pass++) {
        for (size_t s = 0; s <= cut_count; s++) {
            size_t from = s == 0 ? 0 : fitting->starts[s - 1];
            size_t to = s == cut_count ? fitting->count : fitting->starts[s];
            double middle = (double)(from + to - 1) / 2, mean = 0;
            for (size_t i = from; i < to; i++)
                mean += (values[i] - slope * (double)i) / (double)(to - from);
            for (size_t i = from; i < to; i++) {
                double place = (double)i - middle;
                fitting->residuals[i] = values[i] - slope * (double)i - mean;
                across += place * fitting->residuals[i];
                squares += place * place;
            }
        }
        if (pass == 0)
            slope = squares > 0 ? across / squares : 0;
    }
    return slope;
}

/* Weighs the levels in starts[cut_count]; returns the criterion and their slope. */
static double levels_weigh(struct fitting *fitting, size_t cut_count, bool line, double *ret_slope)
{
    double n = (double)fitting->count, parameters = (double)cut_count + (line ? 1 : 0);
    const double *r = fitting->residuals;
    double slope = residuals_take(fitting, cut_count, line), squares = 0, products = 0;
    for (size_t i = 0; i < fitting->count; i++) {
        squares += r[i] * r[i];
        products += i > 0 ? r[i] * r[i - 1] : 0;
    }
    double rho = squares > 0 ? products / squares : 0;
    rho = fmin(fmax(rho + (parameters + 1) * (1 + rho) / n, 0), rho_max);
    double unexplained = r[0] * r[0] * (1 - rho * rho);
    for (size_t i = 1; i < fitting->count; i++)
        unexplained += (r[i] - rho * r[i - 1]) * (r[i] - rho * r[i - 1]);
    double criterion = n * log(fmax(unexplained / n, LEVEL_ROUNDING_VARIANCE)) -
                       log(1 - rho * rho) +
                       (level_penalty * (double)cut_count + (line ? line_penalty : 0)) * log(n);
    *ret_slope = slope;
    if (criterion < fitting->best) {
        double variance = fmax(squares / fmax(n - parameters - 1, 1), LEVEL_ROUNDING_VARIANCE);
        fitting->best = criterion;
        fitting->noise =
            (struct level_noise){slope, variance, rho, variance * (1 + rho) / (1 - rho)};
    }
    return criterion;
}

/* Where in the last of the levels in starts[cut_count] one may have begun that is shorter than the
 * others, in starts[cut_count]; false: it has no room for one. */
static bool newest_cut(struct fitting *fitting, const struct segmentation *cuts, size_t cut_count)
{
    size_t n = fitting->count, from = cut_count > 0 ? fitting->starts[cut_count - 1] : 0, found = 0;
    double least = INFINITY;
    for (size_t place = n - fitting->min_length + 1; place + FEWEST_VALUES <= n; place++) {
        if (place < from + fitting->min_length)
            continue;
        double cost = segmentation_cost(cuts, from, place) + segmentation_cost(cuts, place, n);
        found = cost < least ? place : found;
        least = fmin(least, cost);
    }
    if (found > 0)
        fitting->starts[cut_count] = found;
    return found > 0;
}

/* The cuts under each of the penalties that were asked; the dearer a cut, the fewer there are. */
struct path {
    struct fitting *fitting;
    struct segmentation *cuts;
    double penalties[PENALTY_STEPS];
    size_t counts[PENALTY_STEPS];
    size_t *starts[PENALTY_STEPS]; /* NULL: only their count is known */
    double costs[PENALTY_STEPS];   /* of the levels, without penalties */
};

static void path_ask(struct path *path, size_t step)
{
    struct fitting *fitting = path->fitting;
    if (path->starts[step] != NULL)
        return;
    size_t count = segmentation_cut(path->cuts, path->penalties[step], fitting->min_length,
                                    fitting->starts, fitting->arena);
    size_t *starts = arena_array(fitting->arena, size_t, count + 1);
    memcpy(starts, fitting->starts, count * sizeof *starts);
    path->costs[step] = 0;
    for (size_t i = 0; i <= count; i++)
        path->costs[step] += segmentation_cost(path->cuts, i == 0 ? 0 : starts[i - 1],
                                               i == count ? fitting->count : starts[i]);
    path->starts[step] = starts;
    path->counts[step] = count;
}

static void path_fill(struct path *path, size_t from, size_t end, size_t count)
{
    for (size_t i = from; i < end; i++)
        path->counts[i] = count;
}

/* Finds the counts between two steps that were asked: where these have the same, all do; where one
 * cut makes the difference, it comes with the penalty that it is worth; else the penalty is asked
 * with which both cost the same. */
static void path_between(struct path *path, size_t low, size_t high)
{
    size_t few = path->counts[low], many = path->counts[high];
    if (high - low < 2 || few >= many) {
        path_fill(path, low + 1, high, few);
        return;
    }
    double worth = (path->costs[low] - path->costs[high]) / (double)(many - few);
    size_t at = low + 1;
    while (at + 1 < high && path->penalties[at] > worth)
        at++;
    bool is_clear = path->penalties[at] < worth * (1 - rounding) ||
                    path->penalties[at] > worth * (1 + rounding);
    if (many - few == 1 && is_clear) {
        bool is_cheaper = path->penalties[at] < worth;
        path_fill(path, low + 1, at + !is_cheaper, few);
        path_fill(path, at + !is_cheaper, high, many);
        return;
    }
    path_ask(path, at);
    path_between(path, low, at);
    path_between(path, at, high);
}

/* Weighs each number of levels that some penalty gives for the values less a slope; ret_slope: of
 * the best of them. */
static void path_weigh(struct fitting *fitting, double slope, bool line, double *ret_slope)
{
    struct arena_mark mark = arena_mark(fitting->arena);
    size_t last = SIZE_MAX, most = fitting->count / fitting->min_length;
    double best = INFINITY;
    for (size_t i = 0; i < fitting->count; i++)
        fitting->straight[i] = fitting->values[i] - slope * (double)i;
    struct path *path = arena_new(fitting->arena, struct path);
    struct segmentation *cuts = segmentation_new(fitting->straight, fitting->count, fitting->arena);
    *path = (struct path){.fitting = fitting, .cuts = cuts};
    double penalty = segmentation_cost(cuts, 0, fitting->count);
    size_t steps = penalty > 0 ? PENALTY_STEPS : 0;
    for (size_t step = 0; step < steps; step++, penalty *= penalty_step)
        path->penalties[step] = penalty;
    if (steps > 0) {
        path_ask(path, 0);
        path_ask(path, steps - 1);
        path_between(path, 0, steps - 1);
    }
    for (size_t step = 0; step < steps; step++) {
        size_t cut_count = path->counts[step];
        if (cut_count == last)
            continue;
        if (cut_count + 1 > most)
            break;
        path_ask(path, step);
        memcpy(fitting->starts, path->starts[step], cut_count * sizeof *fitting->starts);
        size_t newest = fitting->weighs_newest && newest_cut(fitting, cuts, cut_count);
        for (size_t more = 0; more <= newest; more++) {
            double own_slope, criterion = levels_weigh(fitting, cut_count + more, line, &own_slope);
            if (criterion < best) {
                best = criterion;
                *ret_slope = own_slope;
            }
        }
        last = cut_count;
    }
    arena_rewind(fitting->arena, mark);
}

/* Levels alone, the line of all values, then that which is left when the levels are known. */
static void models_weigh(struct fitting *fitting)
{
    double slope = 0, own_slope = 0;
    path_weigh(fitting, 0, false, &own_slope);
    (void)levels_weigh(fitting, 0, true, &slope);
    for (int pass = 0; pass < 2; pass++) {
        path_weigh(fitting, slope, true, &slope);
    }
}

void level_noise_fit(const double *values, size_t count, struct arena *arena,
                     struct level_noise *ret_noise)
{
    struct fitting fitting = {.values = values, .count = count, .arena = arena, .best = INFINITY};
    size_t share = count / MODEL_SHARE;
    fitting.min_length = level_min_count(count);
    if (share > fitting.min_length)
        fitting.min_length = share < MODEL_LONGEST_MIN ? share : MODEL_LONGEST_MIN;
    fitting.straight = arena_array(arena, double, count);
    fitting.residuals = arena_array(arena, double, count);
    fitting.starts = arena_array(arena, size_t, count);
    models_weigh(&fitting);
    /* A line that won may stand for the step of a level that began a few values ago; where none won
     * that step may hide one. To ask all series for such a level alone would take noise for steps.
     */
    const struct fitting without = fitting;
    fitting.weighs_newest = count <= HIDING_VALUES;
    if (fitting.weighs_newest)
        models_weigh(&fitting);
    bool was_hidden =
        fitting.noise.slope != 0 && fitting.best < without.best - both_penalty * log((double)count);
    *ret_noise = without.noise.slope != 0 || was_hidden ? fitting.noise : without.noise;
}
