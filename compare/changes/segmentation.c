/* Optimal partitioning with functional pruning. */
#include "compare/changes/segmentation.h"

#include <math.h>
#include <stdint.h>

struct segmentation *segmentation_new(const double *values, size_t count, struct arena *arena)
{
    struct segmentation *ret = arena_new(arena, struct segmentation);
    double *sums = arena_array(arena, double, count + 1);
    double *squares = arena_array(arena, double, count + 1);
    *ret = (struct segmentation){.sums = sums, .squares = squares, .count = count};
    ret->costs = arena_array(arena, double, count + 1);
    ret->cuts = arena_array(arena, size_t, count + 1);
    for (size_t i = 0; i < count; i++) {
        sums[i + 1] = sums[i] + values[i];
        squares[i + 1] = squares[i] + values[i] * values[i];
        ret->low = i == 0 ? values[i] : fmin(ret->low, values[i]);
        ret->high = i == 0 ? values[i] : fmax(ret->high, values[i]);
    }
    return ret;
}

/* Without calls, which fmin and fmax are where a value may be no number: here none is, and half of
 * the time of a report goes by in these loops. */
static inline double between(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

static inline double cost_of(const struct segmentation *segmentation, size_t from, size_t to)
{
    double sum = segmentation->sums[to] - segmentation->sums[from];
    double cost =
        segmentation->squares[to] - segmentation->squares[from] - sum * sum / (double)(to - from);
    return cost > 0 ? cost : 0;
}

double segmentation_cost(const struct segmentation *segmentation, size_t from, size_t to)
{
    return cost_of(segmentation, from, to);
}

/* Where the older of two cuts is the cheaper: costs of both grow by the same from here on, so that
 * their difference is one parabola for good. false: nowhere. */
static bool older_wins(const struct segmentation *segmentation, size_t older, size_t newer,
                       double *ret_low, double *ret_high)
{
    const struct segmentation *s = segmentation;
    double width = (double)(newer - older);
    double middle = (s->sums[newer] - s->sums[older]) / width;
    double lead = s->costs[newer] - s->costs[older] - cost_of(s, older, newer);
    if (lead <= 0)
        return false;
    double half = sqrt(lead / width);
    *ret_low = middle - half;
    *ret_high = middle + half;
    return true;
}

static size_t piece_push(struct level_piece *pieces, size_t count, double low, double high,
                         size_t cut)
{
    if (high <= low)
        return count;
    if (count > 0 && pieces[count - 1].cut == cut)
        pieces[count - 1].high = high;
    else
        pieces[count++] = (struct level_piece){low, high, cut};
    return count;
}

/* A new candidate takes the levels for which it is cheaper. */
static size_t candidate_add(struct segmentation *segmentation, size_t count, size_t cut,
                            struct arena *arena)
{
    size_t most = 3 * count + 1;
    if (most > segmentation->capacity) {
        size_t capacity = 2 * most + 16;
        struct level_piece *pieces = arena_array(arena, struct level_piece, capacity);
        segmentation->next = arena_array(arena, struct level_piece, capacity);
        for (size_t i = 0; i < segmentation->capacity; i++)
            pieces[i] = segmentation->pieces[i];
        segmentation->pieces = pieces;
        segmentation->capacity = capacity;
    }
    struct level_piece *next = segmentation->next;
    size_t ret = 0;
    if (count == 0)
        ret = piece_push(next, 0, segmentation->low, segmentation->high, cut);
    for (size_t i = 0; i < count; i++) {
        const struct level_piece *piece = &segmentation->pieces[i];
        double low, high;
        if (!older_wins(segmentation, piece->cut, cut, &low, &high)) {
            low = piece->high;
            high = piece->high;
        }
        low = between(low, piece->low, piece->high);
        high = between(high, low, piece->high);
        ret = piece_push(next, ret, piece->low, low, cut);
        ret = piece_push(next, ret, low, high, piece->cut);
        ret = piece_push(next, ret, high, piece->high, cut);
    }
    segmentation->next = segmentation->pieces;
    segmentation->pieces = next;
    return ret;
}

/* The cheapest way to have values[0..end) end in a segment that began at some candidate. */
static void end_settle(struct segmentation *segmentation, size_t count, size_t end)
{
    const struct segmentation *s = segmentation;
    double best = INFINITY;
    size_t cut = 0;
    for (size_t i = 0; i < count; i++) {
        const struct level_piece *piece = &s->pieces[i];
        double width = (double)(end - piece->cut);
        double mean = (s->sums[end] - s->sums[piece->cut]) / width;
        double off = between(mean, piece->low, piece->high) - mean;
        double cost = s->costs[piece->cut] + cost_of(s, piece->cut, end) + width * off * off;
        if (cost < best) {
            best = cost;
            cut = piece->cut;
        }
    }
    segmentation->costs[end] = best;
    segmentation->cuts[end] = cut;
}

size_t segmentation_cut(struct segmentation *segmentation, double penalty, size_t min_length,
                        size_t *ret_starts, struct arena *arena)
{
    size_t n = segmentation->count, count = 0, ret = 0;
    if (n < min_length || segmentation->high <= segmentation->low)
        return 0;
    for (size_t end = min_length; end <= n; end++) {
        size_t cut = end - min_length;
        if (cut == 0 || cut >= min_length) {
            /* what it costs to begin a segment there is what later ends build upon */
            segmentation->costs[cut] = cut == 0 ? 0 : segmentation->costs[cut] + penalty;
            count = candidate_add(segmentation, count, cut, arena);
        }
        end_settle(segmentation, count, end);
    }
    for (size_t end = n; segmentation->cuts[end] > 0; end = segmentation->cuts[end])
        ret_starts[ret++] = segmentation->cuts[end];
    for (size_t i = 0; i < ret / 2; i++) {
        size_t kept = ret_starts[i];
        ret_starts[i] = ret_starts[ret - 1 - i];
        ret_starts[ret - 1 - i] = kept;
    }
    return ret;
}
