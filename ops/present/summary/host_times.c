#include "ops/present/summary/host_times.h"

#include "ops/present/words/words.h"

#include <math.h>
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

/* What a step is on a host. */
struct host_step {
    int64_t longest_ps; /* -1: the host has no part in it */
    int64_t start_ps;   /* of its first device */
    int64_t number;
    bool warmup;
};

/* Which host each device is on, and what a step is on each host. */
struct grouping {
    size_t *host_of_device;
    size_t device_count, host_count;
    struct host_step *now, *before; /* of each host; before: the latest that it had a part in */
};

static void step_times(const struct grouping *grouping, const struct step_row *row)
{
    for (size_t h = 0; h < grouping->host_count; h++)
        grouping->now[h] = (struct host_step){-1, INT64_MAX, row->number, row->warmup};
    for (size_t i = 0; i < row->span_count; i++) {
        const struct step_span *span = &row->spans[i];
        if (span->device >= grouping->device_count)
            continue;
        struct host_step *step = &grouping->now[grouping->host_of_device[span->device]];
        if (span->duration_ps > step->longest_ps)
            step->longest_ps = span->duration_ps;
        if (span->start_ps < step->start_ps)
            step->start_ps = span->start_ps;
    }
}

/* Times of a host, one of each steady step. */
struct host_values {
    int64_t *steps, *periods;
    size_t step_count, period_count;
};

static void host_step_take(const struct host_step *now, struct host_step *before,
                           struct host_values *values)
{
    if (now->longest_ps < 0)
        return;
    if (!now->warmup)
        values->steps[values->step_count++] = now->longest_ps;
    if (before->longest_ps >= 0 && !before->warmup && now->start_ps > before->start_ps &&
        now->number > before->number)
        values->periods[values->period_count++] =
            (now->start_ps - before->start_ps) / (now->number - before->number);
    *before = *now;
}

static void medians_fill(const struct summary *summary, struct arena *arena,
                         struct host_times *times)
{
    const struct step_table *steps = &summary->steps;
    const struct grouping grouping = {
        .host_of_device = arena_array(arena, size_t, summary->device_count),
        .device_count = summary->device_count,
        .host_count = times->count,
        .now = arena_array(arena, struct host_step, times->count),
        .before = arena_array(arena, struct host_step, times->count),
    };
    struct host_values *values = arena_array(arena, struct host_values, times->count);
    for (size_t h = 0; h < times->count; h++) {
        grouping.before[h].longest_ps = -1;
        values[h] = (struct host_values){arena_array(arena, int64_t, steps->count + 1),
                                         arena_array(arena, int64_t, steps->count + 1), 0, 0};
    }
    for (size_t d = 0; d < summary->device_count; d++)
        grouping.host_of_device[d] = host_of(times, summary->devices[d].host);
    for (size_t i = 0; i < steps->count; i++) {
        step_times(&grouping, &steps->rows[i]);
        for (size_t h = 0; h < times->count; h++)
            host_step_take(&grouping.now[h], &grouping.before[h], &values[h]);
    }
    for (size_t h = 0; h < times->count; h++) {
        times->rows[h].step_median_us = median_us(values[h].steps, values[h].step_count);
        times->rows[h].period_us = median_us(values[h].periods, values[h].period_count);
    }
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

/* What a device does of a steady step; absent without one. */
struct device_times {
    struct opt_f64 work_us, collectives_us;
};

/* What the steps of each device take together, ps. */
static const double *steps_together(const struct summary *summary, struct arena *arena)
{
    double *sums = arena_array(arena, double, summary->device_count);
    for (size_t i = 0; i < summary->steps.count; i++) {
        const struct step_row *row = &summary->steps.rows[i];
        for (size_t k = 0; k < row->span_count; k++)
            if (row->spans[k].device < summary->device_count)
                sums[row->spans[k].device] += (double)row->spans[k].duration_ps;
    }
    return sums;
}

/* whole: of all its steps. The time of steps is what ops are a part of: time between steps is no
 * step's, and what lies outside of all of them makes it longer. */
static struct device_times device_times(const struct device_row *device, double whole)
{
    const double step = (double)device->steady_step_median_ps, window = (double)device->window_ps;
    const double busy = (double)device->busy_ps, exposed = (double)device->exposed_comm_ps;
    whole = whole > 0 ? fmin(fmax(whole, busy), window) : window;
    if (step <= 0 || whole <= 0 || busy <= exposed)
        return (struct device_times){0};
    return (struct device_times){some_f64(step * (busy - exposed) / whole / PS_PER_US),
                                 some_f64(step * exposed / whole / PS_PER_US)};
}

static const double SAME_PCT = 1, OTHER_PCT = 2;

/* Whether what devices or hosts do alike differs by no more than it does anyway. */
static bool is_same(struct opt_f64 skew_pct)
{
    return skew_pct.set && skew_pct.value < SAME_PCT;
}

static bool is_other(struct opt_f64 skew_pct)
{
    return skew_pct.set && skew_pct.value >= OTHER_PCT;
}

const struct device_row *device_of_most_work(const struct summary *summary,
                                             struct opt_f64 step_skew, struct arena *arena,
                                             struct opt_f64 *ret_skew)
{
    const double *whole = steps_together(summary, arena);
    const struct device_row *most = NULL;
    struct opt_f64 most_us = {0}, least_us = {0};
    for (size_t i = 0; i < summary->device_count; i++) {
        const struct opt_f64 work = device_times(&summary->devices[i], whole[i]).work_us;
        if (!work.set)
            return NULL;
        if (most == NULL || work.value > most_us.value) {
            most = &summary->devices[i];
            most_us = work;
        }
        least_us = !least_us.set || work.value < least_us.value ? work : least_us;
    }
    if (most == NULL)
        return NULL;
    *ret_skew = change_percent(least_us, most_us);
    return is_same(step_skew) && is_other(*ret_skew) ? most : NULL;
}

static void work_fill(const struct summary *summary, struct arena *arena, struct host_times *times)
{
    const double *whole = steps_together(summary, arena);
    for (size_t d = 0; d < summary->device_count; d++) {
        struct host_time *host = &times->rows[host_of(times, summary->devices[d].host)];
        const struct device_times device = device_times(&summary->devices[d], whole[d]);
        if (!device.work_us.set)
            continue;
        if (!host->work_us.set || device.work_us.value > host->work_us.value)
            host->work_us = device.work_us;
        if (!host->collectives_us.set || device.collectives_us.value < host->collectives_us.value)
            host->collectives_us = device.collectives_us;
    }
    for (size_t h = 0; h < times->count; h++) {
        struct host_time *host = &times->rows[h];
        if (host->period_us.set && host->collectives_us.set &&
            host->period_us.value > host->collectives_us.value)
            host->own_us = some_f64(host->period_us.value - host->collectives_us.value);
    }
}

/* ---- order ----------------------------------------------------------------------------------- */

/* What hosts are told apart by. */
static struct opt_f64 host_time_by(const struct host_time *host, enum hosts_by by)
{
    switch (by) {
    case HOSTS_BY_PERIOD:
        return host->period_us;
    case HOSTS_BY_WORK:
        return host->work_us;
    case HOSTS_BY_STALL:
        return host->own_us;
    case HOSTS_BY_STEP:
        break;
    }
    return host->step_median_us;
}

static int compare_told(const void *a, const void *b)
{
    const struct host_time *left = a, *right = b;
    double left_us = left->told_us.set ? left->told_us.value : -1;
    double right_us = right->told_us.set ? right->told_us.value : -1;
    return left_us != right_us ? (left_us < right_us) - (left_us > right_us)
                               : strcmp(left->name, right->name);
}

static void hosts_order(struct host_times *times, enum hosts_by by)
{
    times->by = by;
    for (size_t h = 0; h < times->count; h++)
        times->rows[h].told_us = host_time_by(&times->rows[h], by);
    qsort(times->rows, times->count, sizeof *times->rows, compare_told);
}

/* Per cent between the hosts with most and least of it; absent where one does not have it. */
static struct opt_f64 skew_by(const struct host_times *times, enum hosts_by by)
{
    struct opt_f64 least = {0}, most = {0};
    for (size_t h = 0; h < times->count; h++) {
        const struct opt_f64 time = host_time_by(&times->rows[h], by);
        if (!time.set)
            return (struct opt_f64){0};
        least = !least.set || time.value < least.value ? time : least;
        most = !most.set || time.value > most.value ? time : most;
    }
    return change_percent(least, most);
}

/* Hosts that keep the same pace: by their own time, of which either work or its lack is longer. */
static void order_same_pace(struct host_times *times)
{
    if (!is_other(skew_by(times, HOSTS_BY_STALL))) {
        hosts_order(times, HOSTS_BY_STEP);
        return;
    }
    hosts_order(times, HOSTS_BY_STALL);
    const struct host_time *most = &times->rows[0], *least = &times->rows[times->count - 1];
    const double own_us = most->own_us.value - least->own_us.value;
    if (most->work_us.value - least->work_us.value >= own_us / 2)
        hosts_order(times, HOSTS_BY_WORK);
}

/* Without periods nothing tells of time between steps: equal steps may hide work all the same. */
static void hosts_settle(struct host_times *times)
{
    const struct opt_f64 period_skew = skew_by(times, HOSTS_BY_PERIOD);
    const struct opt_f64 step_skew = skew_by(times, HOSTS_BY_STEP);
    if (is_same(period_skew))
        order_same_pace(times);
    else if (is_same(step_skew) && period_skew.set)
        hosts_order(times, HOSTS_BY_PERIOD);
    else if (is_same(step_skew) && is_other(skew_by(times, HOSTS_BY_WORK)))
        hosts_order(times, HOSTS_BY_WORK);
    else
        hosts_order(times, HOSTS_BY_STEP);
}

void host_times_make(const struct summary *summary, struct arena *arena,
                     struct host_times *ret_times)
{
    *ret_times =
        (struct host_times){.rows = arena_array(arena, struct host_time, summary->device_count)};
    hosts_find(summary, ret_times);
    if (ret_times->count == 0)
        return;
    medians_fill(summary, arena, ret_times);
    work_fill(summary, arena, ret_times);
    for (size_t h = 0; h < ret_times->count; h++)
        ret_times->rows[h].clock_offset_us = clock_offset(summary, ret_times->rows[h].name);
    hosts_settle(ret_times);
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
    while (timed < times->count && times->rows[timed].told_us.set)
        timed++;
    if (timed < 2)
        return (struct opt_f64){0};
    *ret_fastest = &times->rows[timed - 1];
    return change_percent(host_time_by(*ret_fastest, times->by),
                          host_time_by(&times->rows[0], times->by));
}

const char *host_times_sentence(const struct host_times *times, double skew_pct,
                                struct arena *arena)
{
    static const char *const words[][2] = {
        [HOSTS_BY_STEP] = {"is the slowest", "by the median over steady steps"},
        [HOSTS_BY_PERIOD] = {"takes longest from a step to the next",
                             "though its steps are no longer: its devices wait between them, and "
                             "no other host waits for it"},
        [HOSTS_BY_WORK] = {"works longest", "by the time without communication; the others keep "
                                            "its pace because they wait for it in collectives"},
        [HOSTS_BY_STALL] = {"holds up the others",
                            "by the time from a step to the next without communication: its "
                            "devices run no op for longer (its host, or what it waits for, is "
                            "late), and the others wait for it in collectives"},
    };
    const struct host_time *fastest = NULL;
    char percent[FORMAT_BYTES];
    (void)host_times_skew(times, &fastest);
    if (!skew_tells(skew_pct))
        return hosts_alike;
    return arena_printf(arena, "%s %s of %zu hosts, %s against %s, %s.", times->rows[0].name,
                        words[times->by][0], times->count, format_percent_delta(skew_pct, percent),
                        fastest->name, words[times->by][1]);
}

const char *host_stall_sentence(const struct summary *summary, struct arena *arena)
{
    struct host_times times;
    const struct host_time *fastest = NULL;
    host_times_make(summary, arena, &times);
    if (times.by != HOSTS_BY_STALL)
        return NULL;
    const struct opt_f64 skew = host_times_skew(&times, &fastest);
    return skew.set ? host_times_sentence(&times, skew.value, arena) : NULL;
}
