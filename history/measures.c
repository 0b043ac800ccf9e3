/* Takes the measures out of a summary; nothing is computed that a document does not say, but shares
 * and the skew of devices. */
#include "history/measures.h"

#include "ops/runtime/text.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const struct measure_info tracked[] = {
#define MEASURE_ROW(number, name, unit) {number, #name, unit},
    MEASURES(MEASURE_ROW)
#undef MEASURE_ROW
};
enum { TRACKED_COUNT = sizeof tracked / sizeof tracked[0], LIST_BYTES = 800 };

bool measure_find(const char *name, const struct measure_info **ret_measure, struct err *err)
{
    const char *names[TRACKED_COUNT];
    scoped_text list;
    text_init(&list, LIST_BYTES);
    for (size_t i = 0; i < TRACKED_COUNT; i++) {
        names[i] = tracked[i].name;
        text_addf(&list, "%s%s", i == 0 ? "" : " ", names[i]);
        if (strcmp(names[i], name) == 0) {
            *ret_measure = &tracked[i];
            return true;
        }
    }
    const char *near = text_nearest(name, names, TRACKED_COUNT);
    return err_set(err, ERR_USAGE, "the measure '%s' is not tracked%s%s%s; tracked: %s", name,
                   near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                   near != NULL ? "'?" : "", text_string(&list));
}

const struct measure_info *measure_of_number(int number)
{
    for (size_t i = 0; i < TRACKED_COUNT; i++)
        if (tracked[i].number == number)
            return &tracked[i];
    return NULL;
}

static void steps_take(const struct summary *summary, struct opt_f64 *values)
{
    const struct duration_stats *steady = &summary->step_time.steady_state_steps;
    values[MEASURE_step_median] = steady->median;
    values[MEASURE_step_p90] = steady->p90;
    values[MEASURE_step_mean] = steady->mean;
    values[MEASURE_step_min] = steady->min;
    values[MEASURE_step_max] = steady->max;
    values[MEASURE_steady_steps] = some_f64((double)steady->count);
}

static void breakdown_take(const struct time_breakdown *breakdown, struct opt_f64 *values)
{
    static const enum measure shares[PART_COUNT] = {
        [PART_COMPUTE] = MEASURE_compute_share, [PART_COMMUNICATION] = MEASURE_communication_share,
        [PART_HOST] = MEASURE_host_share,       [PART_STALL] = MEASURE_stall_share,
        [PART_OTHER] = MEASURE_other_share,
    };
    for (int part = 0; part < PART_COUNT; part++)
        values[shares[part]] = some_f64(breakdown->part[part].share_of_total);
}

/* Of all devices together: sums over devices by the sum of their windows. */
static void devices_take(const struct summary *summary, struct opt_f64 *values)
{
    double window = 0, sums[MEASURE_LIMIT] = {0}, slowest = 0, fastest = INFINITY;
    for (size_t i = 0; i < summary->device_count; i++) {
        const struct device_row *device = &summary->devices[i];
        double median = (double)device->steady_step_median_ps;
        window += (double)device->window_ps;
        sums[MEASURE_device_busy_share] += (double)device->busy_ps;
        sums[MEASURE_device_idle_share] += (double)device->idle_ps;
        sums[MEASURE_device_compute_share] += (double)device->compute_ps;
        sums[MEASURE_exposed_communication_share] += (double)device->exposed_comm_ps;
        sums[MEASURE_overlapped_communication_share] += (double)device->overlapped_comm_ps;
        sums[MEASURE_exposed_copy_share] += (double)device->exposed_copy_ps;
        slowest = median > slowest ? median : slowest;
        fastest = median >= 0 && median < fastest ? median : fastest;
    }
    for (int i = MEASURE_device_busy_share; window > 0 && i <= MEASURE_exposed_copy_share; i++)
        values[i] = some_f64(sums[i] / window);
    if (slowest > 0 && fastest > 0 && fastest <= slowest)
        values[MEASURE_device_skew] = some_f64(slowest / fastest);
}

void measures_take(const struct summary *summary, struct opt_f64 *values)
{
    for (int i = 0; i < MEASURE_LIMIT; i++)
        values[i] = (struct opt_f64){0};
    steps_take(summary, values);
    breakdown_take(&summary->time_breakdown, values);
    values[MEASURE_event_count] = some_f64((double)summary->trace_overview.num_events_total);
    if (summary->has_ours) {
        values[MEASURE_steady_step_median] = summary->steps.steady_median_us;
        values[MEASURE_steady_step_p90] = summary->steps.steady_p90_us;
        values[MEASURE_step_idle] = some_f64(summary->coverage.steady_idle_us_per_step);
        values[MEASURE_op_count] = some_f64((double)summary->op_count);
        devices_take(summary, values);
    }
    for (int i = 0; i < MEASURE_LIMIT; i++)
        values[i].set = values[i].set && isfinite(values[i].value);
}
