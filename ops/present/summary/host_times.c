/* See host_times.h. */
#include "ops/present/summary/host_times.h"

#include <stdlib.h>
#include <string.h>

static const double PS_PER_US = 1e6;

/* ---- who is on which host -------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct host_time *)a)->name, ((const struct host_time *)b)->name);
}

/* The hosts of all devices, by name and each once; none when a device has no host. */
static void hosts_find(const struct summary *summary, struct host_times *times)
{
    for (size_t d = 0; d < summary->device_count; d++) {
        if (summary->devices[d].host == NULL)
            return;
        times->rows[d] = (struct host_time){.name = summary->devices[d].host};
    }
    qsort(times->rows, summary->device_count, sizeof *times->rows, compare_names);
    for (size_t d = 0; d < summary->device_count; d++) {
        if (times->count == 0 ||
            strcmp(times->rows[times->count - 1].name, times->rows[d].name) != 0)
            times->rows[times->count++] = times->rows[d];
        times->rows[times->count - 1].device_count++;
    }
    if (times->count == 1)
        times->count = 0;
}

static size_t host_of(const struct host_times *times, const char *name)
{
    const struct host_time key = {.name = name};
    const struct host_time *found =
        bsearch(&key, times->rows, times->count, sizeof key, compare_names);
    return (size_t)(found - times->rows);
}

/* ---- times ----------------------------------------------------------------------------------- */

static int compare_times(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

static struct opt_f64 median_us(int64_t *values, size_t count)
{
    if (count == 0)
        return (struct opt_f64){0};
    qsort(values, count, sizeof *values, compare_times);
    double low = (double)values[(count - 1) / 2], high = (double)values[count / 2];
    return some_f64((low + high) / 2 / PS_PER_US);
}

/* Which host each device is on, and what a step takes on each host. */
struct grouping {
    size_t *host_of_device;
    size_t device_count, host_count;
    int64_t *longest; /* -1 on hosts that have no part in the step */
};

static void step_times(const struct grouping *grouping, const struct step_row *row)
{
    for (size_t h = 0; h < grouping->host_count; h++)
        grouping->longest[h] = -1;
    for (size_t i = 0; i < row->span_count; i++) {
        const struct step_span *span = &row->spans[i];
        if (span->device >= grouping->device_count)
            continue;
        int64_t *time = &grouping->longest[grouping->host_of_device[span->device]];
        if (span->duration_ps > *time)
            *time = span->duration_ps;
    }
}

static bool medians_fill(const struct summary *summary, struct arena *arena,
                         struct host_times *times)
{
    const struct step_table *steps = &summary->steps;
    const struct grouping grouping = {
        .host_of_device = arena_array(arena, size_t, summary->device_count),
        .device_count = summary->device_count,
        .host_count = times->count,
        .longest = arena_array(arena, int64_t, times->count),
    };
    size_t *counts = arena_array(arena, size_t, times->count);
    int64_t *values = arena_zalloc(arena, steps->count, times->count * sizeof *values);
    if (grouping.host_of_device == NULL || grouping.longest == NULL || counts == NULL ||
        values == NULL)
        return false;
    for (size_t d = 0; d < summary->device_count; d++)
        grouping.host_of_device[d] = host_of(times, summary->devices[d].host);
    for (size_t i = 0; i < steps->count; i++) {
        if (steps->rows[i].warmup)
            continue;
        step_times(&grouping, &steps->rows[i]);
        for (size_t h = 0; h < times->count; h++) {
            if (grouping.longest[h] >= 0)
                values[h * steps->count + counts[h]++] = grouping.longest[h];
        }
    }
    for (size_t h = 0; h < times->count; h++)
        times->rows[h].step_median_us = median_us(values + h * steps->count, counts[h]);
    return true;
}

static const char *clock_offset(const struct summary *summary, const char *host)
{
    static const char prefix[] = "clock_offset_us/";
    for (size_t i = 0; i < summary->environment.fact_count; i++) {
        const struct fact *fact = &summary->environment.facts[i];
        if (strncmp(fact->name, prefix, strlen(prefix)) == 0 &&
            strcmp(fact->name + strlen(prefix), host) == 0)
            return fact->value;
    }
    return NULL;
}

/* ---- work ------------------------------------------------------------------------------------ */

/* What a device works of a step; absent without steady steps. */
static struct opt_f64 device_work_us(const struct device_row *device)
{
    double step = (double)device->steady_step_median_ps, window = (double)device->window_ps;
    double work = (double)device->busy_ps - (double)device->exposed_comm_ps;
    if (step <= 0 || window <= 0 || work <= 0)
        return (struct opt_f64){0};
    return some_f64(step * work / window / PS_PER_US);
}

/* true: steps do not differ, but work does by more than devices differ that do the same. */
static bool steps_hide_work(struct opt_f64 step_skew_pct, struct opt_f64 work_skew_pct)
{
    static const double same_step_pct = 1, other_work_pct = 2;
    return step_skew_pct.set && work_skew_pct.set && step_skew_pct.value < same_step_pct &&
           work_skew_pct.value >= other_work_pct;
}

const struct device_row *device_of_most_work(const struct summary *summary,
                                             struct opt_f64 step_skew, struct opt_f64 *ret_skew)
{
    const struct device_row *most = NULL, *least = NULL;
    for (size_t i = 0; i < summary->device_count; i++) {
        const struct device_row *device = &summary->devices[i];
        struct opt_f64 work = device_work_us(device);
        if (!work.set)
            return NULL;
        most = most == NULL || work.value > device_work_us(most).value ? device : most;
        least = least == NULL || work.value < device_work_us(least).value ? device : least;
    }
    if (most == NULL)
        return NULL;
    *ret_skew = change_percent(device_work_us(least), device_work_us(most));
    return steps_hide_work(step_skew, *ret_skew) ? most : NULL;
}

static void work_fill(const struct summary *summary, struct host_times *times)
{
    for (size_t h = 0; h < times->count; h++) {
        struct host_time *host = &times->rows[h];
        for (size_t d = 0; d < summary->device_count; d++) {
            struct opt_f64 work = device_work_us(&summary->devices[d]);
            if (work.set && strcmp(summary->devices[d].host, host->name) == 0 &&
                (!host->work_us.set || work.value > host->work_us.value))
                host->work_us = work;
        }
    }
}

static int slower_first(struct opt_f64 left, struct opt_f64 right)
{
    double left_us = left.set ? left.value : -1, right_us = right.set ? right.value : -1;
    return (left_us < right_us) - (left_us > right_us);
}

static int compare_slowest(const void *a, const void *b)
{
    const struct host_time *left = a, *right = b;
    int order = slower_first(left->step_median_us, right->step_median_us);
    return order != 0 ? order : strcmp(left->name, right->name);
}

static int compare_work(const void *a, const void *b)
{
    const struct host_time *left = a, *right = b;
    int order = slower_first(left->work_us, right->work_us);
    return order != 0 ? order : strcmp(left->name, right->name);
}

static struct opt_f64 work_skew(const struct host_times *times)
{
    struct opt_f64 least = {0}, most = {0};
    for (size_t h = 0; h < times->count; h++) {
        struct opt_f64 work = times->rows[h].work_us;
        if (!work.set)
            return (struct opt_f64){0};
        least = !least.set || work.value < least.value ? work : least;
        most = !most.set || work.value > most.value ? work : most;
    }
    return change_percent(least, most);
}

bool host_times_make(const struct summary *summary, struct arena *arena,
                     struct host_times *ret_times)
{
    const struct host_time *fastest = NULL;
    *ret_times =
        (struct host_times){.rows = arena_array(arena, struct host_time, summary->device_count)};
    if (ret_times->rows == NULL)
        return false;
    hosts_find(summary, ret_times);
    if (ret_times->count == 0)
        return true;
    if (!medians_fill(summary, arena, ret_times))
        return false;
    work_fill(summary, ret_times);
    for (size_t h = 0; h < ret_times->count; h++)
        ret_times->rows[h].clock_offset_us = clock_offset(summary, ret_times->rows[h].name);
    qsort(ret_times->rows, ret_times->count, sizeof *ret_times->rows, compare_slowest);
    if (steps_hide_work(host_times_skew(ret_times, &fastest), work_skew(ret_times))) {
        ret_times->by_work = true;
        qsort(ret_times->rows, ret_times->count, sizeof *ret_times->rows, compare_work);
    }
    return true;
}

bool skew_tells(double skew_pct)
{
    static const double least_pct = 0.05;
    return skew_pct >= least_pct;
}

const char hosts_alike[] = "No host is slower than another (they are less than 0.05 % apart).";
const char devices_alike[] = "No device is slower than another (they are less than 0.05 % apart).";

struct opt_f64 host_times_skew(const struct host_times *times, const struct host_time **ret_fastest)
{
    size_t timed = 0;
    while (timed < times->count && times->rows[timed].step_median_us.set)
        timed++;
    if (timed < 2)
        return (struct opt_f64){0};
    *ret_fastest = &times->rows[timed - 1];
    return times->by_work
               ? work_skew(times)
               : change_percent((*ret_fastest)->step_median_us, times->rows[0].step_median_us);
}
