/* See op_skew.h. Clocks of hosts need not agree: only durations are compared. */
#include "ingest/op_tables/op_skew.h"

#include "ingest/intervals/intervals.h"

#include <stdlib.h>

static const double ps_per_us = 1e6;

static int device_order(const void *left, const void *right)
{
    const struct op_share *a = left, *b = right;
    if (a->item != b->item)
        return a->item < b->item ? -1 : 1;
    return (a->device > b->device) - (a->device < b->device);
}

/* shares[count] in order, from `first` on those of one item on one device: how long a run of it
 * takes there; the place behind them. Kernels of one op run together. */
static size_t device_mean(const struct op_share *shares, size_t count, size_t first,
                          struct opt_f64 *ret_us)
{
    int64_t total_ps = 0, runs = 0;
    size_t i = first;
    for (; i < count && device_order(&shares[i], &shares[first]) == 0; i++) {
        ps_add(&total_ps, shares[i].total_ps);
        runs = shares[i].count > runs ? shares[i].count : runs;
    }
    *ret_us =
        (struct opt_f64){runs > 0, runs > 0 ? (double)total_ps / ps_per_us / (double)runs : 0};
    return i;
}

const struct opt_f64 *op_skews(const struct op_list *ops, struct arena *arena)
{
    struct op_share *shares = arena_array(arena, struct op_share, ops->share_count + 1);
    struct opt_f64 *skews = arena_zalloc(arena, ops->count + 1, sizeof *skews);
    for (size_t i = 0; i < ops->share_count; i++)
        shares[i] = ops->shares[i];
    if (ops->share_count > 1)
        qsort(shares, ops->share_count, sizeof *shares, device_order);
    for (size_t i = 0; i < ops->share_count;) {
        const uint32_t item = shares[i].item;
        double least = 0, most = 0;
        size_t devices = 0;
        while (i < ops->share_count && shares[i].item == item) {
            struct opt_f64 mean;
            i = device_mean(shares, ops->share_count, i, &mean);
            if (!mean.set)
                continue;
            least = devices == 0 || mean.value < least ? mean.value : least;
            most = devices == 0 || mean.value > most ? mean.value : most;
            devices++;
        }
        skews[item] = (struct opt_f64){devices > 1, most - least};
    }
    return skews;
}
