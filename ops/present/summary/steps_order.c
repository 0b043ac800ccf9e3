/* Sorts steps and devices, slowest first. */
#include "ops/present/summary/steps_order.h"

#include <stdlib.h>

static int order_of(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int step_compare(const void *left, const void *right)
{
    const struct step_row *a = *(const struct step_row *const *)left;
    const struct step_row *b = *(const struct step_row *const *)right;
    if (a->warmup != b->warmup)
        return a->warmup ? 1 : -1;
    int by_time = order_of(b->max_ps, a->max_ps);
    return by_time != 0 ? by_time : order_of(a->number, b->number);
}

const struct step_row **steps_slowest_first(const struct step_table *steps, struct arena *arena)
{
    const struct step_row **order = arena_array(arena, const struct step_row *, steps->count);
    for (size_t i = 0; i < steps->count; i++)
        order[i] = &steps->rows[i];
    qsort(order, steps->count, sizeof *order, step_compare);
    return order;
}

static int device_compare(const void *left, const void *right)
{
    const struct device_row *a = *(const struct device_row *const *)left;
    const struct device_row *b = *(const struct device_row *const *)right;
    int by_step = order_of(b->steady_step_median_ps, a->steady_step_median_ps);
    int by_busy = order_of(b->busy_ps, a->busy_ps);
    if (by_step != 0)
        return by_step;
    return by_busy != 0 ? by_busy : (a > b) - (a < b);
}

const struct device_row **devices_slowest_first(const struct summary *summary, struct arena *arena)
{
    const struct device_row **order =
        arena_array(arena, const struct device_row *, summary->device_count);
    for (size_t i = 0; i < summary->device_count; i++)
        order[i] = &summary->devices[i];
    qsort(order, summary->device_count, sizeof *order, device_compare);
    return order;
}
