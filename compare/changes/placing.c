/* Settles sure changes, then the others between them, each twice: what lies near a short level is
 * then known. */
#include "compare/changes/placing.h"

#include "compare/changes/apart.h"
#include "compare/changes/level_noise.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 2 };

/* A level of no more values may be taken for outliers by a median of both sides. */
enum { SHORT_VALUES = APART_REACH + 1 };

/* That a value is none like its level, -ln of how likely that is: as three deviations off. */
static const double STRAY_COST = 4.5;

enum kind { KIND_SURE, KIND_APART, KIND_ALL };

/* The pieces between starts of a kind; returns how many. */
static size_t pieces_cut(struct placing *placing, enum kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < placing->start_count; i++) {
        const struct level_start *start = &placing->starts[i];
        bool is_one = kind == KIND_ALL || start->is_sure || (kind == KIND_APART && start->is_apart);
        if (i > 0 && !is_one)
            continue;
        if (count > 0)
            placing->pieces[count - 1].end = start->place;
        placing->pieces[count++] = (struct piece){
            .from = start->place, .end = placing->count, .is_sloped = start->is_sloped};
    }
    return count;
}

/* Moves the sure ones. */
static size_t sure_settle(struct placing *placing)
{
    size_t count = pieces_cut(placing, KIND_SURE), at = 0;
    pieces_settle(placing->sums, placing->pieces, count);
    for (size_t i = 0; i < placing->start_count; i++)
        if (i == 0 || placing->starts[i].is_sure)
            placing->starts[i].place = placing->pieces[at++].from;
    return count;
}

/* Drops the others that do not lie between sure ones any more. */
static void others_drop(struct placing *placing)
{
    size_t kept = 1;
    for (size_t i = 1; i < placing->start_count; i++) {
        struct level_start start = placing->starts[i];
        size_t next = i;
        while (next < placing->start_count && !placing->starts[next].is_sure)
            next++;
        size_t end = next == placing->start_count ? placing->count : placing->starts[next].place;
        if (start.is_sure || (start.place > placing->starts[kept - 1].place && start.place < end))
            placing->starts[kept++] = start;
    }
    placing->start_count = kept;
}

/* Moves the others, each between sure ones. */
static size_t others_settle(struct placing *placing)
{
    size_t count = pieces_cut(placing, KIND_ALL);
    for (size_t from = 0, end; from < count; from = end) {
        for (end = from + 1; end < count && !placing->starts[end].is_sure;)
            end++;
        pieces_settle(placing->sums, placing->pieces + from, end - from);
    }
    for (size_t i = 0; i < count; i++)
        placing->starts[i].place = placing->pieces[i].from;
    return count;
}

/* Near a short level single values are told by their neighbours on one side. */
static void sides_take(const struct placing *placing, size_t count, double *values)
{
    for (size_t i = 1; i < count; i++) {
        const struct piece *left = &placing->pieces[i - 1], *right = left + 1;
        size_t first = right->from > APART_REACH ? right->from - APART_REACH : 0;
        if (left->end - left->from > SHORT_VALUES && right->end - right->from > SHORT_VALUES)
            continue;
        for (size_t k = first; k < right->from + APART_REACH && k < placing->count; k++)
            values[k] = placing->sides[k];
    }
}

/* Levels and lines of a kind, what they leave of values, and the starts of that kind between them.
 */
static void kind_fill(struct placing *placing, enum kind kind, const double *values,
                      struct piece_noise *ret_noise)
{
    size_t count = pieces_cut(placing, kind), at = 1;
    for (size_t i = 0; i < count; i++)
        piece_fit(placing->sums, &placing->pieces[i]);
    *ret_noise = piece_noise_left(values, placing->pieces, count, placing->shared);
    for (size_t i = 1; i < placing->start_count; i++) {
        struct level_start *start = &placing->starts[i];
        if (at == count || start->place != placing->pieces[at].from)
            continue;
        start->around[0] = placing->pieces[at - 1];
        start->around[1] = placing->pieces[at++];
    }
}

/* Of all starts, and then of those apart, whose levels stay. */
static void levels_fill(struct placing *placing, const double *values)
{
    kind_fill(placing, KIND_ALL, values, &placing->least);
    kind_fill(placing, KIND_APART, values, &placing->noise);
}

/* Of those that are only suspected, the one that explains most beside those apart. */
static struct level_start *strongest_find(const struct placing *placing, double *ret_gain)
{
    struct level_start *starts = placing->starts, *best = NULL;
    *ret_gain = 0;
    for (size_t i = 1, from = 0; i < placing->start_count; i++) {
        size_t next = i + 1;
        if (starts[i].is_apart)
            from = i;
        if (starts[i].is_apart || starts[from].is_sloped)
            continue;
        while (next < placing->start_count && !starts[next].is_apart)
            next++;
        size_t end = next == placing->start_count ? placing->count : starts[next].place;
        double gain = piece_cost(placing->sums, starts[from].place, end, false) -
                      piece_cost(placing->sums, starts[from].place, starts[i].place, false) -
                      piece_cost(placing->sums, starts[i].place, end, false);
        best = gain > *ret_gain ? &starts[i] : best;
        *ret_gain = fmax(*ret_gain, gain);
    }
    return best;
}

/* Sure ones are apart, and suspected ones as long as the strongest stands out of what it leaves. */
static void apart_choose(struct placing *placing, const double *values)
{
    double unit = PLACING_PENALTY * log((double)placing->count), gain;
    for (size_t i = 0; i < placing->start_count; i++)
        placing->starts[i].is_apart = i == 0 || placing->starts[i].is_sure;
    for (struct level_start *next; (next = strongest_find(placing, &gain)) != NULL;) {
        struct piece_noise left;
        next->is_apart = true;
        kind_fill(placing, KIND_APART, values, &left);
        if (gain < unit * left.long_run_variance) {
            next->is_apart = false;
            return;
        }
    }
}

/* ---- by the values as they are --------------------------------------------------------------- */

static double value_cost(double off, double variance)
{
    return fmin(off * off / (2 * variance), STRAY_COST);
}

/* What the values as they are cost for each place of a start between its two levels, less where
 * they follow each other. No place where a line begins or ends. */
static struct place_costs places_weigh(const struct placing *placing,
                                       const struct level_start *start)
{
    const struct piece *left = &start->around[0], *right = &start->around[1];
    const struct piece_noise *noise = placing_noise(placing, start);
    const double variance = fmax(noise->variance, LEVEL_ROUNDING_VARIANCE);
    const double alike = fmin(variance / fmax(noise->long_run_variance, variance), 1);
    size_t at = (size_t)(start - placing->starts);
    struct place_costs places = {
        .first = placing->starts[at - 1].place + 1,
        .end = at + 1 == placing->start_count ? placing->count : placing->starts[at + 1].place,
        .costs = placing->costs};
    if (left->is_sloped || right->is_sloped)
        places.end = places.first;
    double sum = 0;
    for (size_t i = places.first; i < places.end; i++) {
        places.costs[i - places.first] = sum * alike;
        sum += value_cost(placing->raw[i] - left->left, variance) -
               value_cost(placing->raw[i] - right->left, variance);
    }
    double own = places.end > places.first ? places.costs[start->place - places.first] : 0;
    for (size_t i = places.first; i < places.end; i++)
        places.costs[i - places.first] -= own;
    return places;
}

/* Of values near a start that moved: what makes them stray is cut off by the level that they are
 * of now. */
static void values_renew(const struct placing *placing, const struct level_start *start, size_t was,
                         double *values)
{
    size_t from = was < start->place ? was : start->place;
    size_t end = (was < start->place ? start->place : was) + APART_REACH;
    double reach = sqrt(2 * STRAY_COST * placing_noise(placing, start)->variance);
    from = from > start->around[0].from + APART_REACH ? from - APART_REACH : start->around[0].from;
    end = end < start->around[1].end ? end : start->around[1].end;
    for (size_t i = from; i < end; i++) {
        double level = start->around[i >= start->place].left;
        values[i] = fmin(fmax(placing->raw[i], level - reach), level + reach);
    }
}

/* Moves each start to its likeliest place. */
static void starts_move(struct placing *placing, double *values)
{
    static const double told_apart = 1e-9;
    for (size_t i = 1; i < placing->start_count; i++) {
        struct level_start *start = &placing->starts[i];
        const struct place_costs places = places_weigh(placing, start);
        size_t was = start->place;
        double least = -told_apart;
        for (size_t place = places.first; place < places.end; place++) {
            if (places.costs[place - places.first] < least) {
                least = places.costs[place - places.first];
                start->place = place;
            }
        }
        if (start->place != was)
            values_renew(placing, start, was, values);
    }
    placing->sums = piece_sums_new(values, placing->count, placing->arena);
}

void placing_settle(struct placing *placing)
{
    double *values = arena_array(placing->arena, double, placing->count);
    placing->pieces = arena_array(placing->arena, struct piece, placing->start_count);
    placing->costs = arena_array(placing->arena, double, placing->count);
    memcpy(values, placing->values, placing->count * sizeof *values);
    for (int round = 0; round < 2 * ROUNDS; round++) {
        bool sure = round < ROUNDS;
        if (round == ROUNDS)
            others_drop(placing);
        placing->sums = piece_sums_new(values, placing->count, placing->arena);
        sides_take(placing, sure ? sure_settle(placing) : others_settle(placing), values);
    }
    apart_choose(placing, values);
    levels_fill(placing, values);
    starts_move(placing, values);
    levels_fill(placing, values);
}

const struct piece_noise *placing_noise(const struct placing *placing,
                                        const struct level_start *start)
{
    return start->is_apart ? &placing->noise : &placing->least;
}

/* As values without outliers say, and the values as they are. */
void placing_range(const struct placing *placing, const struct level_start *start,
                   size_t *ret_first, size_t *ret_last)
{
    const double variance = placing_noise(placing, start)->long_run_variance;
    struct place_costs places = {.costs = placing->costs};
    *ret_first = *ret_last = start->place;
    piece_begin_costs(placing->sums, start->around, fmax(variance, LEVEL_ROUNDING_VARIANCE),
                      &places);
    place_range_widen(&places, start->place, ret_first, ret_last);
    places = places_weigh(placing, start);
    place_range_widen(&places, start->place, ret_first, ret_last);
}
