/* Tries every pair of knees between two cuts, in long stretches those of a grid first, and takes
 * cuts out one after the other. */
#include "compare/changes/bends.h"

#include <math.h>

enum { KNEE_PLACES = 60 /* of a stretch that are tried at first */, RAMP_LEAST = 14 };
enum { LEVEL_LEAST = 5 /* beside a ramp */, BENT_PIECES = 3, MERGED_MOST = 3 };

/* What is between two cuts: a level up to left, a line up to right, and a level from there on. A
 * level: left = right. */
struct bend {
    size_t from, end;   /* values[from..end) */
    size_t left, right; /* the first and last of the line */
    double cost;        /* squared distances, and what slope and knees cost */
};

struct bending {
    const struct piece_sums *sums;
    double unit; /* ln n times the long-run variance */
    struct arena *arena;
};

static void knees_weigh(const struct bending *bending, struct bend *best, size_t left, size_t right)
{
    struct bend bend = {best->from, best->end, left, right, 0};
    bool is_short = right < left + RAMP_LEAST - 1;
    bool stands_left = left == bend.from || left >= bend.from + LEVEL_LEAST;
    bool stands_right = right + 1 == bend.end || right + LEVEL_LEAST < bend.end;
    if (is_short || !stands_left || !stands_right)
        return;
    const struct ramp ramp = {bend.from, left, right, bend.end, 0, 0};
    size_t knees = bend.left > bend.from ? 1 : 0;
    knees += bend.right + 1 < bend.end ? 1 : 0;
    bend.cost = ramp_cost(bending->sums, &ramp) +
                (bend.left == bend.right ? 0 : pieces_penalty(0, 1, knees) * bending->unit);
    if (bend.cost < best->cost)
        *best = bend;
}

/* Of left in lefts and right in rights, [0]..[1], by steps. Those at the ends are always tried. */
static void knees_try(const struct bending *bending, struct bend *best, const size_t lefts[2],
                      const size_t rights[2], size_t step)
{
    size_t end = best->end - 1;
    for (size_t left = lefts[0]; left <= lefts[1]; left += step) {
        for (size_t right = rights[0]; right <= rights[1]; right += step)
            knees_weigh(bending, best, left, right);
        knees_weigh(bending, best, left, end);
    }
}

/* The cheapest of values[from..end). */
static struct bend bend_fit(const struct bending *bending, size_t from, size_t end)
{
    struct bend best = {from, end, from, from, piece_cost(bending->sums, from, end, false)};
    size_t step = 1 + (end - from) / KNEE_PLACES;
    const size_t all[2] = {from, end - 1};
    knees_try(bending, &best, all, all, step);
    if (step == 1 || best.left == best.right)
        return best;
    const size_t lefts[2] = {best.left > from + step ? best.left - step : from, best.left + step};
    const size_t rights[2] = {best.right - step,
                              best.right + step < end - 1 ? best.right + step : end - 1};
    knees_try(bending, &best, lefts, rights, 1);
    return best;
}

/* Neighbours that may be one: a drift that looks like two changes is three levels. */
struct merging {
    struct bend *bends;
    size_t count;
    struct bend *merged[MERGED_MOST - 1]; /* [count] each: [0] of two from there on, [1] of three */
};

/* Fits again what has bends[first..last] in it. */
static void merged_fit(const struct bending *bending, struct merging *merging, size_t first,
                       size_t last)
{
    for (size_t more = 1; more < MERGED_MOST; more++)
        for (size_t i = first > more ? first - more : 0; i <= last && i + more < merging->count;
             i++)
            merging->merged[more - 1][i] =
                bend_fit(bending, merging->bends[i].from, merging->bends[i + more].end);
}

/* Puts merged[more - 1][at] in the place of what it is made of. */
static void merged_take(struct merging *merging, size_t at, size_t more)
{
    merging->bends[at] = merging->merged[more - 1][at];
    merging->count -= more;
    for (size_t i = at + 1; i < merging->count; i++) {
        merging->bends[i] = merging->bends[i + more];
        for (size_t k = 0; k + 1 < MERGED_MOST; k++)
            merging->merged[k][i] = merging->merged[k][i + more];
    }
}

/* Takes cuts out, the ones that cost most first, until none costs more than it explains. */
static void cuts_drop(const struct bending *bending, struct merging *merging)
{
    double cut = pieces_penalty(1, 0, 0) * bending->unit, most;
    merged_fit(bending, merging, 0, merging->count);
    do {
        size_t at = 0, much = 0;
        most = 0;
        for (size_t i = 0; i < merging->count; i++) {
            double apart = merging->bends[i].cost;
            for (size_t more = 1; more < MERGED_MOST && i + more < merging->count; more++) {
                apart += merging->bends[i + more].cost + cut;
                double saved = apart - merging->merged[more - 1][i].cost;
                at = saved > most ? i : at;
                much = saved > most ? more : much;
                most = fmax(most, saved);
            }
        }
        if (most > 0) {
            merged_take(merging, at, much);
            merged_fit(bending, merging, at, at);
        }
    } while (most > 0);
}

/* A bend as the pieces that it is made of; returns how many. */
static size_t bend_cut(const struct bending *bending, const struct bend *bend, struct piece *items)
{
    struct ramp ramp = {bend->from, bend->left, bend->right, bend->end, 0, 0};
    size_t count = 0;
    if (bend->left == bend->right) {
        items[0] = (struct piece){.from = bend->from, .end = bend->end};
        piece_fit(bending->sums, &items[0]);
        return 1;
    }
    ramp_fit(bending->sums, &ramp);
    if (bend->left > bend->from)
        items[count++] = (struct piece){
            .from = bend->from, .end = bend->left, .left = ramp.before, .right = ramp.before};
    items[count] = (struct piece){.from = bend->left,
                                  .end = bend->right + 1,
                                  .is_sloped = true,
                                  .meets = count > 0,
                                  .left = ramp.before,
                                  .right = ramp.after};
    count++;
    if (bend->right + 1 < bend->end)
        items[count++] = (struct piece){.from = bend->right + 1,
                                        .end = bend->end,
                                        .meets = true,
                                        .left = ramp.after,
                                        .right = ramp.after};
    return count;
}

/* Where pieces and cuts part the values, as bends; returns how many. */
static size_t bends_begin(const struct bending *bending, const struct piece_list *pieces,
                          const struct bend_cuts *cuts, struct bend *bends)
{
    size_t count = 0, from = 0, piece = 1, cut = 0, n = pieces->items[pieces->count - 1].end;
    while (from < n) {
        size_t end = piece < pieces->count ? pieces->items[piece].from : n;
        end = cut < cuts->count && cuts->places[cut] < end ? cuts->places[cut] : end;
        bends[count++] = bend_fit(bending, from, end);
        from = end;
        piece += piece < pieces->count && pieces->items[piece].from == from ? 1 : 0;
        cut += cut < cuts->count && cuts->places[cut] == from ? 1 : 0;
    }
    return count;
}

/* *ret_bent gets items[] of its own. */
static void bends_find(const struct bending *bending, const double *values,
                       const struct piece_list *pieces, const struct bend_cuts *cuts,
                       struct piece_list *ret_bent)
{
    size_t most = pieces->count + cuts->count;
    struct arena *arena = bending->arena;
    struct merging merging = {.bends = arena_array(arena, struct bend, most)};
    struct piece_list bent = {.items = arena_array(arena, struct piece, BENT_PIECES * most)};
    for (size_t k = 0; k + 1 < MERGED_MOST; k++)
        merging.merged[k] = arena_array(arena, struct bend, most);
    merging.count = bends_begin(bending, pieces, cuts, merging.bends);
    cuts_drop(bending, &merging);
    for (size_t i = 0; i < merging.count; i++)
        bent.count += bend_cut(bending, &merging.bends[i], bent.items + bent.count);
    bent.noise = piece_noise_left(values, bent.items, bent.count, 0);
    *ret_bent = bent;
}

/* By the noise that the pieces leave, and by what neighbours differ by, as a drift that is not told
 * leaves what looks like correlated noise. */
void bends_weigh(const double *values, const struct bend_cuts *cuts, struct arena *arena,
                 struct piece_list *pieces)
{
    size_t n = pieces->items[pieces->count - 1].end;
    const struct piece_list plain = *pieces;
    const double units[] = {plain.noise.long_run_variance,
                            pieces_neighbour_variance(values, n, arena)};
    struct bending bending = {.sums = piece_sums_new(values, n, arena), .arena = arena};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        struct piece_list bent;
        bending.unit = log((double)n) * units[i];
        bends_find(&bending, values, &plain, cuts, &bent);
        if (pieces_unlikely(values, &bent) < pieces_unlikely(values, pieces))
            *pieces = bent;
    }
}
