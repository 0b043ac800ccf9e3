#include "ingest/order/device_clock.h"

#include <stdlib.h>
#include <string.h>

static bool run_follows(const struct clock_run *last, int64_t shown_ps, int64_t lag_ps)
{
    return shown_ps >= last->last_ps && clocks_are_within(lag_ps, last->lag_ps, CLOCKS_AGREE_PS);
}

static void runs_add(struct clock_runs *runs, int64_t shown_ps, int64_t device_ps,
                     struct arena *arena)
{
    int64_t lag_ps;
    struct clock_run *last = runs->count > 0 ? &runs->items[runs->count - 1] : NULL;
    if (__builtin_sub_overflow(shown_ps, device_ps, &lag_ps))
        return;
    if (last != NULL && run_follows(last, shown_ps, lag_ps)) {
        last->last_ps = shown_ps;
        last->count++;
        return;
    }
    runs->items = arena_grow(arena, runs->items, runs->count, &runs->capacity, sizeof *runs->items);
    runs->items[runs->count++] = (struct clock_run){shown_ps, shown_ps, lag_ps, 1};
}

void device_clock_add(struct device_clock *clock, const struct clock_event *event,
                      struct arena *arena)
{
    int64_t end, device_end;
    if (event->duration_ps < 0 || event->device_duration_ps < 0 ||
        __builtin_add_overflow(event->start_ps, event->duration_ps, &end) ||
        __builtin_add_overflow(event->device_start_ps, event->device_duration_ps, &device_end))
        return;
    runs_add(&clock->begins, event->start_ps, event->device_start_ps, arena);
    runs_add(&clock->ends, end, device_end, arena);
}

/* By shown time; of what is shown at the same one the device's earlier first. */
static int compare_runs(const void *a, const void *b)
{
    const struct clock_run *left = a, *right = b;
    if (left->first_ps != right->first_ps)
        return left->first_ps < right->first_ps ? -1 : 1;
    return (left->lag_ps < right->lag_ps) - (left->lag_ps > right->lag_ps);
}

static int compare_lags(const void *a, const void *b)
{
    const struct clock_run *left = a, *right = b;
    return (left->lag_ps > right->lag_ps) - (left->lag_ps < right->lag_ps);
}

static void runs_sort(struct clock_runs *runs)
{
    if (runs->count > 1)
        qsort(runs->items, runs->count, sizeof *runs->items, compare_runs);
}

void device_clock_settle(struct device_clock *clock, struct arena *arena)
{
    const struct clock_runs *begins = &clock->begins;
    struct clock_run *lags = arena_array(arena, struct clock_run, begins->count);
    int64_t all = 0, nearer = 0;
    for (size_t i = 0; i < begins->count; i++)
        all += (lags[i] = begins->items[i]).count;
    if (begins->count > 0) {
        qsort(lags, begins->count, sizeof *lags, compare_lags);
        if (__builtin_sub_overflow(lags[begins->count - 1].lag_ps, lags[0].lag_ps,
                                   &clock->spread_ps))
            clock->spread_ps = INT64_MAX;
    }
    for (size_t i = 0; i < begins->count && 4 * nearer <= all; i++) {
        clock->shift_ps = lags[i].lag_ps;
        nearer += lags[i].count;
    }
    runs_sort(&clock->begins);
    runs_sort(&clock->ends);
}

/* The first run that does not end before the time; count: none. */
static size_t run_from(const struct clock_runs *runs, int64_t shown_ps)
{
    size_t low = 0, high = runs->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (runs->items[middle].last_ps < shown_ps)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How many runs begin no later than the time. */
static size_t runs_until(const struct clock_runs *runs, int64_t shown_ps)
{
    size_t low = 0, high = runs->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (runs->items[middle].first_ps <= shown_ps)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* As shown where the device's time is out of range. */
static int64_t device_time(const struct device_clock *clock, int64_t shown_ps, int64_t lag_ps)
{
    int64_t device_ps;
    return __builtin_sub_overflow(shown_ps, lag_ps, &device_ps) ||
                   __builtin_add_overflow(device_ps, clock->shift_ps, &device_ps)
               ? shown_ps
               : device_ps;
}

void device_clock_span(const struct device_clock *clock, int64_t start_ps, int64_t duration_ps,
                       int64_t *ret_start_ps, int64_t *ret_duration_ps)
{
    const struct clock_runs *begins = &clock->begins, *ends = &clock->ends;
    int64_t shown_end, lags[2] = {clock->shift_ps, clock->shift_ps};
    *ret_start_ps = start_ps;
    *ret_duration_ps = duration_ps;
    if (duration_ps < 0 || __builtin_add_overflow(start_ps, duration_ps, &shown_end))
        return;
    const size_t begin = run_from(begins, start_ps), end = runs_until(ends, shown_end);
    const bool begins_within = begin < begins->count && begins->items[begin].first_ps <= shown_end;
    const bool ends_within = end > 0 && ends->items[end - 1].last_ps >= start_ps;
    if (begins_within)
        lags[0] = lags[1] = begins->items[begin].lag_ps;
    if (end > 0 && (ends_within || !begins_within))
        lags[1] = ends->items[end - 1].lag_ps;
    if (!begins_within)
        lags[0] = lags[1];
    const int64_t start = device_time(clock, start_ps, lags[0]);
    const int64_t last = device_time(clock, shown_end, lags[1]);
    if (!__builtin_sub_overflow(last, start, ret_duration_ps))
        *ret_start_ps = start;
    else
        *ret_duration_ps = duration_ps;
    if (*ret_duration_ps < 0)
        *ret_duration_ps = 0;
}

void device_clock_place(const struct device_clock *clock, const struct clock_event *event,
                        bool is_told, int64_t *ret_start_ps, int64_t *ret_duration_ps)
{
    if (is_told && !__builtin_add_overflow(event->device_start_ps, clock->shift_ps, ret_start_ps))
        *ret_duration_ps = event->device_duration_ps;
    else
        device_clock_span(clock, event->start_ps, event->duration_ps, ret_start_ps,
                          ret_duration_ps);
}
