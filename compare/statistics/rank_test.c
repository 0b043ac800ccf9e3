/* Implements the rank sum test by counting the choices of runs with each sum. */
#include "compare/statistics/rank_test.h"

/* ways[k * (most + 1) + sum]: how many choices of k runs have that sum of doubled ranks. */
static void ways_count(const size_t *ranks, size_t count, size_t chosen, size_t most, double *ways)
{
    ways[0] = 1;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = i + 1 < chosen ? i + 1 : chosen; k > 0; k--) {
            const double *fewer = ways + (k - 1) * (most + 1);
            double *these = ways + k * (most + 1);
            for (size_t sum = ranks[i]; sum <= most; sum++)
                these[sum] += fewer[sum - ranks[i]];
        }
    }
}

void rank_test_make(const double *values, size_t past, size_t candidates, struct arena *arena,
                    struct rank_test *ret_test)
{
    struct arena_mark mark = arena_mark(arena);
    size_t count = past + candidates, most = 2 * count * candidates, seen = 0, highest = 0;
    size_t *ranks = arena_array(arena, size_t, count);
    double *ways = arena_array(arena, double, (candidates + 1) * (most + 1));
    for (size_t i = 0; i < count; i++) {
        /* Twice the rank among all, the mean of those of equal values: a whole number. */
        size_t below = 0, equal = 0;
        for (size_t j = 0; j < count; j++) {
            below += values[j] < values[i];
            equal += values[j] <= values[i];
        }
        ranks[i] = below + equal + 1;
        seen += i >= past ? ranks[i] : 0;
    }
    ways_count(ranks, count, candidates, most, ways);
    const double *all = ways + candidates * (most + 1);
    double choices = 0, as_high = 0;
    for (size_t sum = 0; sum <= most; sum++) {
        choices += all[sum];
        as_high += sum >= seen ? all[sum] : 0;
        highest = all[sum] > 0 ? sum : highest;
    }
    *ret_test = (struct rank_test){as_high / choices, all[highest] / choices};
    arena_rewind(arena, mark);
}

double rank_events_p(size_t runs, size_t candidates, size_t marked)
{
    double p = 1;
    for (size_t i = 0; i < marked; i++)
        p *= (double)(candidates - i) / (double)(runs - i);
    return p;
}
