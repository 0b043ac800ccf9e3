/* Optimal partitioning with two kinds of pieces, over running sums. */
#include "compare/changes/pieces.h"

#include "compare/changes/level_noise.h"
#include "compare/statistics/statistics.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

/* Of the logarithm of the count, times the long-run variance. Chosen on own draws: a year of daily
 * values with and without steps and lines, independent and with a correlation of .4. */
static const double cut_penalty = 4.5, slope_penalty = 4, knee_penalty = 2.25;
static const double rho_max = .7;         /* as in level_noise.c */
static const double wander_rho_max = .98; /* as in run_levels.c */
/* Pieces are looked for by the noise of neighbours too where the first ones leave a long-run
 * variance so many times as large. */
static const double finer_from = 2;
/* That noise of so many values is as correlated as it may be cannot be excluded; of more than that
 * the doubt falls with their cube. With the chance below: at most .8 of 100 histories of 10, 14, 20
 * and 30 runs that correlate by .6 have a false change, none of independent ones; 3.9 of 45 and 60.
 */
static const double doubted_count = 24;
enum { LINE_LEVELS = 2, LINE_VALUES_MIN = 24, ROUNDS = 2 };
enum { LINE_FEWEST = 3 /* values that tell more than a line through them */, SETTLING_ROUNDS = 8 };
static const double range_tail = .025; /* of the 95 % range, on either side */

/* Of the values before each place, count + 1 each; places lie about 0 and are scaled to 1. */
struct piece_sums {
    double *values, *squares, *products;
    double middle, scale;
};

static double place_of(const struct piece_sums *sums, double index)
{
    return (index - sums->middle) / sums->scale;
}

const struct piece_sums *piece_sums_new(const double *values, size_t count, struct arena *arena)
{
    struct piece_sums *sums = arena_new(arena, struct piece_sums);
    sums->values = arena_array(arena, double, count + 1);
    sums->squares = arena_array(arena, double, count + 1);
    sums->products = arena_array(arena, double, count + 1);
    sums->middle = ((double)count - 1) / 2;
    sums->scale = (double)count;
    sums->values[0] = sums->squares[0] = sums->products[0] = 0;
    for (size_t i = 0; i < count; i++) {
        sums->values[i + 1] = sums->values[i] + values[i];
        sums->squares[i + 1] = sums->squares[i] + values[i] * values[i];
        sums->products[i + 1] = sums->products[i] + values[i] * place_of(sums, (double)i);
    }
    return sums;
}

/* Slope by place and mean of values[from..end). */
static double line_fit(const struct piece_sums *sums, size_t from, size_t end, double *ret_mean)
{
    double m = (double)(end - from);
    double middle = place_of(sums, (double)(from + end - 1) / 2);
    double spread = m * (m * m - 1) / 12 / (sums->scale * sums->scale);
    *ret_mean = (sums->values[end] - sums->values[from]) / m;
    double across = sums->products[end] - sums->products[from] - middle * m * *ret_mean;
    return spread > 0 ? across / spread : 0;
}

double piece_cost(const struct piece_sums *sums, size_t from, size_t end, bool is_sloped)
{
    double m = (double)(end - from), mean;
    double slope = line_fit(sums, from, end, &mean);
    double cost = sums->squares[end] - sums->squares[from] - m * mean * mean;
    if (is_sloped)
        cost -= slope * slope * m * (m * m - 1) / 12 / (sums->scale * sums->scale);
    return fmax(cost, 0);
}

/* What the fit of a ramp needs: of places that are 0 at its begin, and of values. */
struct ramp_moments {
    double count, mean, spread, across; /* mean: of places */
    double level;                       /* of values */
};

static struct ramp_moments ramp_measure(const struct piece_sums *sums, const struct ramp *ramp)
{
    double n = (double)(ramp->end - ramp->from), length = (double)(ramp->right - ramp->left);
    double behind = (double)(ramp->end - 1 - ramp->right), begin = (double)ramp->left;
    size_t last = ramp->right + 1;
    double places = length * (length + 1) / 2 + behind * length;
    double squares = length * (length + 1) * (2 * length + 1) / 6 + behind * length * length;
    double along = sums->scale * (sums->products[last] - sums->products[ramp->left]) +
                   (sums->middle - begin) * (sums->values[last] - sums->values[ramp->left]);
    double across = along + length * (sums->values[ramp->end] - sums->values[last]);
    double mean = places / n, level = (sums->values[ramp->end] - sums->values[ramp->from]) / n;
    return (struct ramp_moments){n, mean, squares - n * mean * mean, across - n * mean * level,
                                 level};
}

double ramp_cost(const struct piece_sums *sums, const struct ramp *ramp)
{
    const struct ramp_moments moments = ramp_measure(sums, ramp);
    double cost = sums->squares[ramp->end] - sums->squares[ramp->from] -
                  moments.count * moments.level * moments.level -
                  moments.across * moments.across / moments.spread;
    return fmax(cost, 0);
}

void ramp_fit(const struct piece_sums *sums, struct ramp *ramp)
{
    const struct ramp_moments moments = ramp_measure(sums, ramp);
    double slope = moments.across / moments.spread;
    ramp->before = moments.level - slope * moments.mean;
    ramp->after = ramp->before + slope * (double)(ramp->right - ramp->left);
}

struct cutting {
    const double *values;
    size_t count;
    const struct piece_sums *sums;
    struct arena *arena;
    double *costs;   /* [count + 1], of the best pieces of the values before; INFINITY: none */
    size_t *cuts;    /* [count + 1], where the last of them begins... */
    bool *is_sloped; /* ...and what it is */
};

/* Keeps the piece from..end when with it the values before end are cheapest. */
static void piece_weigh(struct cutting *cutting, size_t from, size_t end, double unit)
{
    size_t least = level_min_count(cutting->count);
    double before = cutting->costs[from] + cut_penalty * unit;
    size_t line_least =
        LINE_LEVELS * least > LINE_VALUES_MIN ? LINE_LEVELS * least : LINE_VALUES_MIN;
    int lines = from + line_least <= end;
    for (int sloped = 0; sloped <= lines && before < cutting->costs[end]; sloped++) {
        double cost =
            before + piece_cost(cutting->sums, from, end, sloped) + sloped * slope_penalty * unit;
        if (cost >= cutting->costs[end])
            continue;
        cutting->costs[end] = cost;
        cutting->cuts[end] = from;
        cutting->is_sloped[end] = sloped;
    }
}

void piece_fit(const struct piece_sums *sums, struct piece *piece)
{
    double mean, slope = line_fit(sums, piece->from, piece->end, &mean);
    double half =
        piece->is_sloped ? slope * (double)(piece->end - piece->from - 1) / 2 / sums->scale : 0;
    piece->left = mean - half;
    piece->right = mean + half;
}

/* The pieces that the ends tell, last first, then turned round. */
static void pieces_walk(const struct cutting *cutting, struct piece_list *list)
{
    list->count = 0;
    for (size_t end = cutting->count, from; end > 0; end = from) {
        from = cutting->cuts[end];
        struct piece *piece = &list->items[list->count++];
        *piece = (struct piece){.from = from, .end = end, .is_sloped = cutting->is_sloped[end]};
        piece_fit(cutting->sums, piece);
    }
    for (size_t i = 0; i < list->count / 2; i++) {
        struct piece held = list->items[i];
        list->items[i] = list->items[list->count - 1 - i];
        list->items[list->count - 1 - i] = held;
    }
}

/* Of both, when the second one begins at `place`. */
static double pair_cost(const struct piece_sums *sums, const struct piece *left, size_t place)
{
    const struct piece *right = left + 1;
    return piece_cost(sums, left->from, place, left->is_sloped) +
           piece_cost(sums, place, right->end, right->is_sloped);
}

static size_t least_count(const struct piece *piece)
{
    return piece->is_sloped ? LINE_FEWEST : 1;
}

void pieces_settle(const struct piece_sums *sums, struct piece *pieces, size_t count)
{
    bool moved = count > 1;
    for (int round = 0; moved && round < SETTLING_ROUNDS; round++) {
        moved = false;
        for (struct piece *left = pieces; left + 1 < pieces + count; left++) {
            size_t best = left->end, last = left[1].end - least_count(left + 1);
            double least = pair_cost(sums, left, best);
            for (size_t i = left->from + least_count(left); i <= last; i++) {
                double cost = pair_cost(sums, left, i);
                best = cost < least ? i : best;
                least = fmin(cost, least);
            }
            moved |= best != left->end;
            left->end = left[1].from = best;
        }
    }
    for (size_t i = 0; i < count; i++)
        piece_fit(sums, &pieces[i]);
}

void piece_begin_costs(const struct piece_sums *sums, const struct piece *left,
                       double long_run_variance, struct place_costs *places)
{
    double own = pair_cost(sums, left, left->end);
    places->first = left->from + least_count(left);
    places->end = left[1].end - least_count(left + 1) + 1;
    for (size_t i = places->first; i < places->end; i++)
        places->costs[i - places->first] =
            (pair_cost(sums, left, i) - own) / (2 * long_run_variance);
}

void place_range_widen(const struct place_costs *places, size_t place, size_t *first, size_t *last)
{
    double all = 0, passed = 0;
    size_t from = place, to = place;
    for (size_t i = places->first; i < places->end; i++)
        all += exp(-places->costs[i - places->first]);
    for (size_t i = places->first; i < places->end; i++) {
        from = passed <= range_tail * all && i <= place ? i : from;
        to = passed < (1 - range_tail) * all && i > to ? i : to;
        passed += exp(-places->costs[i - places->first]);
    }
    *first = from < *first ? from : *first;
    *last = to > *last ? to : *last;
}

struct piece_noise piece_noise_left(const double *values, const struct piece *pieces, size_t count,
                                    size_t shared)
{
    double squares = 0, products = 0, last = 0, parameters = (double)shared,
           n = (double)pieces[count - 1].end;
    for (size_t i = 0; i < count; i++) {
        const struct piece *piece = &pieces[i];
        double span = (double)(piece->end - piece->from - 1);
        parameters += !piece->meets + piece->is_sloped;
        for (size_t k = piece->from; k < piece->end; k++) {
            double along = span > 0 ? (double)(k - piece->from) / span : 0;
            double fitted = piece->left + (piece->right - piece->left) * along;
            double residual = values[k] - fitted;
            squares += residual * residual;
            products += k > 0 ? residual * last : 0;
            last = residual;
        }
    }
    double rho = squares > 0 ? products / squares : 0, freedom = fmax(n - parameters, 1);
    rho = fmin(fmax(rho + parameters * (1 + rho) / n, 0), rho_max);
    double variance = squares / freedom;
    return (struct piece_noise){variance, rho, variance * (1 + rho) / (1 - rho), freedom};
}

double pieces_penalty(size_t cuts, size_t lines, size_t knees)
{
    return cut_penalty * (double)cuts + slope_penalty * (double)lines +
           knee_penalty * (double)knees;
}

size_t pieces_knees(const struct piece_list *list)
{
    size_t knees = 0;
    for (size_t i = 0; i < list->count; i++)
        knees += list->items[i].meets;
    return knees;
}

/* Of all pieces, in long-run variances. */
static double list_penalty(const struct piece_list *list)
{
    size_t lines = 0, knees = pieces_knees(list), n = list->items[list->count - 1].end;
    for (size_t i = 0; i < list->count; i++)
        lines += list->items[i].is_sloped;
    return pieces_penalty(list->count - 1 - knees, lines, knees) * log((double)n);
}

double pieces_cost(const double *values, const struct piece_list *pieces, double long_run_variance)
{
    struct piece_noise left = piece_noise_left(values, pieces->items, pieces->count, 0);
    return left.variance * left.freedom + list_penalty(pieces) * long_run_variance;
}

double piece_doubt(const struct piece_noise *noise, size_t count)
{
    double rho = fmin(noise->rho + pow(doubted_count / (double)count, 3), rho_max);
    return (1 + rho) / (1 - rho);
}

double piece_chance(const struct piece_noise *noise, size_t count, double jump, double weight)
{
    double spread = sqrt(noise->variance * piece_doubt(noise, count) * weight);
    if (spread <= 0)
        return 0;
    return fmin(1, 2 * (double)count * stats_t_upper(fabs(jump) / spread, noise->freedom));
}

double piece_line_weight(const struct piece *levels, size_t count)
{
    double spread = 0;
    for (size_t i = 0; i < count; i++) {
        double length = (double)(levels[i].end - levels[i].from);
        spread += length * (length * length - 1) / 12;
    }
    return 1 / spread;
}

double piece_levels_chance(const struct piece_noise *noise, size_t count,
                           const struct piece *before, double line_weight)
{
    const struct piece *after = before + 1;
    double apart = (double)(after->end - before->from) / 2;
    double weight = 1 / (double)(before->end - before->from) +
                    1 / (double)(after->end - after->from) + apart * apart * line_weight;
    return piece_chance(noise, count, after->left - before->left, weight);
}

double piece_margin(const struct piece_noise *noise, double weight)
{
    return stats_t_quantile(.975, noise->freedom) * sqrt(noise->long_run_variance * weight);
}

bool piece_chance_is_small(double chance, size_t count)
{
    static const double chance_max = .02;
    return chance <= chance_max || count >= PIECES_LONG;
}

/* Cuts by the first guess of the noise, and again by what the pieces leave. */
static void pieces_cut(struct cutting *cutting, const struct piece_noise *guess,
                       struct piece_list *list)
{
    list->noise = *guess;
    for (int round = 0; round < ROUNDS; round++) {
        size_t n = cutting->count, least = level_min_count(n), step = 1 + n / PIECES_PLACES_MAX;
        double unit = log((double)n) * list->noise.long_run_variance;
        cutting->costs[0] = -cut_penalty * unit;
        for (size_t end = 1; end <= n; end++) {
            cutting->costs[end] = INFINITY;
            if (end % step != 0 && end != n)
                continue;
            for (size_t from = 0; from + least <= end; from += step)
                piece_weigh(cutting, from, end, unit);
        }
        pieces_walk(cutting, list);
        list->noise = piece_noise_left(cutting->values, list->items, list->count, 0);
    }
}

double pieces_neighbour_variance(const double *values, size_t count, struct arena *arena)
{
    double *apart = arena_array(arena, double, count);
    for (size_t i = 0; i + 1 < count; i++)
        apart[i] = fabs(values[i + 1] - values[i]);
    stats_sort(apart, count - 1);
    double deviation = STATS_MAD_TO_SD * stats_quantile(apart, count - 1, .5);
    return deviation * deviation / 2;
}

double pieces_unlikely(const double *values, const struct piece_list *list)
{
    size_t count = list->items[list->count - 1].end;
    double squares = 0, products = 0, ends = 0, last = 0, n = (double)count;
    for (size_t i = 0; i < list->count; i++) {
        const struct piece *piece = &list->items[i];
        double span = (double)(piece->end - piece->from - 1);
        for (size_t k = piece->from; k < piece->end; k++) {
            double along = span > 0 ? (double)(k - piece->from) / span : 0;
            double rest = values[k] - piece->left - (piece->right - piece->left) * along;
            squares += rest * rest;
            products += rest * last;
            ends += k == 0 || k + 1 == count ? rest * rest : 0;
            last = rest;
        }
    }
    double rho = squares > 0 ? fmin(fmax(products / squares, 0), wander_rho_max) : 0;
    double unexplained = squares * (1 + rho * rho) - 2 * rho * products - rho * rho * ends;
    return n * log(fmax(unexplained / n, DBL_MIN)) - log(1 - rho * rho) + list_penalty(list);
}

void pieces_find(const double *values, size_t count, const struct piece_noise *noise,
                 struct arena *arena, struct piece_list *ret_pieces)
{
    struct cutting cutting = {.values = values, .count = count, .arena = arena};
    struct piece_list list = {0}, finer = {0};
    double variance = pieces_neighbour_variance(values, count, arena);
    const struct piece_noise least = {variance, 0, variance, noise->freedom};
    cutting.sums = piece_sums_new(values, count, arena);
    cutting.costs = arena_array(arena, double, count + 1);
    cutting.cuts = arena_array(arena, size_t, count + 1);
    cutting.is_sloped = arena_array(arena, bool, count + 1);
    list.items = arena_array(arena, struct piece, count);
    finer.items = arena_array(arena, struct piece, count);
    pieces_cut(&cutting, noise, &list);
    *ret_pieces = list;
    if (variance <= 0 || list.noise.long_run_variance < finer_from * variance)
        return;
    /* What a line through a drift and the level behind it leaves looks like noise that follows
     * itself closely, and by that the pieces are never found. */
    pieces_cut(&cutting, &least, &finer);
    if (pieces_unlikely(values, &finer) < pieces_unlikely(values, &list))
        *ret_pieces = finer;
}
