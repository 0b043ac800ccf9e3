/* Cuts a series into pieces that are a level or a straight line each: the cheapest of all, exactly.
 * Stays in its room.
 *
 * Levels alone make a staircase of a slow drift that began somewhere: several changes that never
 * were. So both are weighed: a piece costs the squared distances from it over the long-run
 * variance, each cut 4.5 ln n as a confirmed change does, and the slope of a line 4 ln n more, so
 * that noise that wanders is seldom taken for one. Pieces that meet: bends.h. Every pair of ends is
 * tried, in n^2 / 2 steps; a long series may be cut at PIECES_PLACES_MAX places only.
 */
#ifndef COMPARE_CHANGES_PIECES_H
#define COMPARE_CHANGES_PIECES_H

#include "ops/runtime/arena.h"

#include <stdbool.h>
#include <stddef.h>

enum { PIECES_PLACES_MAX = 2000 };

enum { PIECES_LONG = 100 }; /* values of a series that tells how correlated its noise is */

struct piece {
    size_t from, end; /* values[from..end) */
    bool is_sloped;
    bool meets;         /* goes on from where the one before it ends, without a jump (bends.h) */
    double left, right; /* the fitted values at from and at end - 1 */
};

struct piece_noise {
    double variance, rho; /* about the pieces, and its lag-1 correlation */
    double long_run_variance;
    double freedom; /* values less what was fitted to them */
};

struct piece_list {
    struct piece *items; /* one behind the other, the first from 0 */
    size_t count;
    struct piece_noise noise; /* that they leave */
};

/* Of values[count], count >= 1. A level holds level_min_count values, a line twice as many
 * and 24 at least.
 * noise: the first guess; the pieces are found by it, and again by what they leave, and, where that
 * follows itself closely, by what neighbours differ by: the likelier ones stand. */
void pieces_find(const double *values, size_t count, const struct piece_noise *noise,
                 struct arena *arena, struct piece_list *ret_pieces);

/* What neighbours differ by, as if they knew nothing of each other: no course hides it. */
double pieces_neighbour_variance(const double *values, size_t count, struct arena *arena);

/* How unlikely the values are about the pieces, with noise that follows its neighbour as closely as
 * what they leave says, and what they cost: -2 ln of the likelihood, less what depends on the count
 * alone. */
double pieces_unlikely(const double *values, const struct piece_list *list);

/* Where pieces meet. */
size_t pieces_knees(const struct piece_list *list);

/* What cuts, slopes of lines, and knees cost beside the squared distances, in long-run variances
 * times ln n; and both for pieces. */
double pieces_penalty(size_t cuts, size_t lines, size_t knees);
double pieces_cost(const double *values, const struct piece_list *pieces, double long_run_variance);

/* What pieces[count] leave of values, which they cover; `shared`: what was fitted beside them. */
struct piece_noise piece_noise_left(const double *values, const struct piece *pieces, size_t count,
                                    size_t shared);

/* How many times as much as that of independent values the noise varies in a mean of many of
 * `count`. Few values hardly tell how correlated their noise is: it is taken for as correlated as
 * it may be. */
double piece_doubt(const struct piece_noise *noise, size_t count);

/* The chance that noise alone makes two neighbours differ by `jump` at any of `count` places, whose
 * ends vary by `weight` long-run variances: of Student's t, with piece_doubt. */
double piece_chance(const struct piece_noise *noise, size_t count, double jump, double weight);

/* The variance of the slope of a line that levels share, of one value's. */
double piece_line_weight(const struct piece *levels, size_t count);

/* The chance that noise alone makes the difference of two neighbouring levels. A line that all
 * share makes it less sure, the more the farther they are apart; line_weight: 0 without one. */
double piece_levels_chance(const struct piece_noise *noise, size_t count,
                           const struct piece *before, double line_weight);

/* Half of the 95 % interval of the difference of two neighbours, as above but without doubt about
 * how correlated the noise is. */
double piece_margin(const struct piece_noise *noise, double weight);

/* Whether a change with that chance may be told: one in fifty at most. In a hundred values and more
 * the penalties alone make a false one rare. */
bool piece_chance_is_small(double chance, size_t count);

/* Squared distances of values[from..end) from their level or line. */
struct piece_sums;
const struct piece_sums *piece_sums_new(const double *values, size_t count, struct arena *arena);
double piece_cost(const struct piece_sums *sums, size_t from, size_t end, bool is_sloped);

/* Moves the ends of pieces[count], which lie one behind the other, to where they explain the values
 * best, each between its neighbours, however short a piece gets, and fits the pieces. */
void pieces_settle(const struct piece_sums *sums, struct piece *pieces, size_t count);

/* A level up to values[left], a line up to values[right], and a level from there to end. */
struct ramp {
    size_t from, left, right, end; /* left < right */
    double before, after;          /* ret: the levels */
};

/* Squared distances of values[from..end) from it; and its levels. */
double ramp_cost(const struct piece_sums *sums, const struct ramp *ramp);
void ramp_fit(const struct piece_sums *sums, struct ramp *ramp);

/* Its level, or its line. */
void piece_fit(const struct piece_sums *sums, struct piece *piece);

/* Where the second of two neighbours may begin: what each place costs more than the one where it
 * does, -ln of the likelihoods. */
struct place_costs {
    size_t first, end; /* the places, end not among them */
    double *costs;     /* [end - first]; the caller's, with room for all values */
};

/* By how well the levels and lines on both sides of each place explain the values. */
void piece_begin_costs(const struct piece_sums *sums, const struct piece *left,
                       double long_run_variance, struct place_costs *places);

/* Widens *first to *last by the range of 95 % around the place that its costs are told against. */
void place_range_widen(const struct place_costs *places, size_t place, size_t *first, size_t *last);

#endif
