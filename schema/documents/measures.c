/* Takes the measures out of a summary. Nothing is computed that a document does not say, but
 * shares, sums, the median period and the skew of devices. */
#include "schema/documents/measures.h"

#include "ops/runtime/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const struct measure_row measure_rows[MEASURE_END] = {
#define MEASURE_ROW(number, name, unit, worse, help) [number] = {#name, unit, help, WORSE_##worse},
    MEASURES(MEASURE_ROW)
#undef MEASURE_ROW
};

static const double ps_per_us = 1e6;

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
    for (int part = 0; breakdown->total_duration > 0 && part < PART_COUNT; part++)
        values[shares[part]] = some_f64(breakdown->part[part].share_of_total);
}

static void ops_take(const struct summary *summary, struct opt_f64 *values)
{
    double spans = (double)summary->steps.steady_spans, sum = 0;
    if (summary->op_count > 0) /* without ops of devices nobody knows how many there were */
        values[MEASURE_op_count] = some_f64((double)summary->op_count);
    if (spans <= 0)
        return;
    values[MEASURE_step_idle] = some_f64(summary->coverage.steady_idle_us_per_step);
    for (size_t i = 0; i < summary->op_count; i++)
        sum += summary->ops[i].asynchronous ? 0 : (double)summary->ops[i].steady_self_ps;
    if (summary->op_count > 0)
        values[MEASURE_op_time] = some_f64(sum / spans / ps_per_us);
}

static bool has_steady_period(const struct step_row *row)
{
    return !row->warmup && row->has_period && row->period_ps > 0;
}

/* How many steady periods there are up to a length. */
static size_t periods_within(const struct step_table *steps, int64_t most_ps)
{
    size_t count = 0;
    for (size_t i = 0; i < steps->count; i++)
        count += has_steady_period(&steps->rows[i]) && steps->rows[i].period_ps <= most_ps;
    return count;
}

/* The period with `rank` shorter ones, by halving: the table stays in step order, and no memory is
 * needed. */
static int64_t period_ranked(const struct step_table *steps, size_t rank)
{
    int64_t low = 0, high = INT64_MAX;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (periods_within(steps, middle) > rank)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The median of fewer moves with one odd period, such as that in which the capture began. */
static const size_t periods_min = 3;

/* Not where most steady steps have no follower in the file: the few periods that are left would
 * speak for all. A capture of so few steps that there are no more tells all that it has. */
static bool periods_speak(const struct step_table *steps)
{
    size_t count = periods_within(steps, INT64_MAX);
    bool all = count > 0 && count < periods_min && (int64_t)count + 1 >= steps->steady_count;
    return all || (count >= periods_min && 2 * (int64_t)count >= steps->steady_count);
}

struct opt_f64 steps_period_us(const struct step_table *steps)
{
    size_t count = periods_within(steps, INT64_MAX);
    if (!periods_speak(steps))
        return (struct opt_f64){0};
    double low = (double)period_ranked(steps, (count - 1) / 2);
    double high = (double)period_ranked(steps, count / 2);
    return some_f64((low + high) / 2 / ps_per_us);
}

/* false: the step's time is not known. */
static bool waited_us(const struct step_row *row, bool by_period, double *ret_us)
{
    int64_t ps = by_period ? row->period_ps : row->max_ps;
    *ret_us = (double)ps / ps_per_us;
    return ps > 0 && (!by_period || row->has_period);
}

/* The shortest time between the end of a step and the start of the next. */
static double wait_least_us(const struct step_table *steps)
{
    double least = INFINITY;
    for (size_t i = 0; i < steps->count; i++) {
        const struct step_row *row = &steps->rows[i];
        if (has_steady_period(row) && row->max_ps > 0)
            least = fmin(least, (double)(row->period_ps - row->max_ps) / ps_per_us);
    }
    return isfinite(least) ? fmax(least, 0) : 0;
}

size_t steps_waited(const struct step_table *steps, size_t first, double *us)
{
    bool by_period = periods_speak(steps);
    double wait_us = by_period ? wait_least_us(steps) : 0;
    size_t count = 0;
    for (size_t i = first; i < steps_whole(steps); i++) {
        bool followed = waited_us(&steps->rows[i], by_period, &us[count]);
        bool known = followed || waited_us(&steps->rows[i], false, &us[count]);
        us[count] += known && !followed ? wait_us : 0;
        count += known;
    }
    return count;
}

static void mean_take(const struct step_table *steps, struct opt_f64 *values)
{
    bool by_period = periods_speak(steps);
    double sum = 0, us;
    size_t count = 0;
    for (size_t i = steps_first_warmup(steps); i < steps_whole(steps); i++) {
        bool known = waited_us(&steps->rows[i], by_period, &us);
        sum += known ? us : 0;
        count += known;
    }
    if (count > 0)
        values[MEASURE_steady_step_mean] = some_f64(sum / (double)count);
}

/* One device alone has no skew. */
static void skew_take(const struct summary *summary, struct opt_f64 *values)
{
    double slowest = 0, fastest = INFINITY;
    size_t known = 0;
    for (size_t i = 0; i < summary->device_count; i++) {
        double median = (double)summary->devices[i].steady_step_median_ps;
        if (median <= 0)
            continue;
        slowest = fmax(slowest, median);
        fastest = fmin(fastest, median);
        known++;
    }
    if (known > 1)
        values[MEASURE_device_skew] = some_f64(slowest / fastest);
}

static void devices_take(const struct summary *summary, struct opt_f64 *values)
{
    double window = 0, sums[MEASURE_END] = {0};
    for (size_t i = 0; i < summary->device_count; i++) {
        const struct device_row *device = &summary->devices[i];
        window += (double)device->window_ps;
        sums[MEASURE_device_busy_share] += (double)device->busy_ps;
        sums[MEASURE_device_idle_share] += (double)device->idle_ps;
        sums[MEASURE_device_compute_share] += (double)device->compute_ps;
        sums[MEASURE_exposed_communication_share] += (double)device->exposed_comm_ps;
        sums[MEASURE_overlapped_communication_share] += (double)device->overlapped_comm_ps;
        sums[MEASURE_exposed_copy_share] += (double)device->exposed_copy_ps;
    }
    for (int i = MEASURE_device_busy_share; window > 0 && i <= MEASURE_exposed_copy_share; i++)
        values[i] = some_f64(sums[i] / window);
}

/* Profiles say what they like; courses multiply and divide. */
static bool can_be_reckoned_with(double value)
{
    static const double most = 1e150;
    return value == 0 || (fabs(value) <= most && fabs(value) >= 1 / most);
}

bool summary_tells_copies_alone(const struct summary *summary)
{
    const enum step_method method = summary->steps.method;
    if (summary->device_count == 0 || (method != STEPS_HOST && method != STEPS_CALL))
        return false;
    for (size_t i = 0; i < summary->device_count; i++) {
        if (summary->devices[i].compute_ps > 0)
            return false;
    }
    return true;
}

const struct memory_share *memory_fullest(const struct memory_summary *memory)
{
    const struct memory_share *fullest = NULL;
    for (size_t i = 0; i < memory->device_count; i++) {
        const struct memory_share *device = &memory->devices[i];
        if (device->name[0] != '\0' && (fullest == NULL || device->bytes > fullest->bytes))
            fullest = device;
    }
    return fullest;
}

/* As they stand in the document: what a later version would make of it is not what was recorded. */
static void figures_take(const struct summary *summary, struct opt_f64 *values)
{
    for (size_t i = 0; summary->has_figures && i < summary->figure_count; i++)
        for (enum measure m = MEASURE_mfu; m <= MEASURE_program_memory; m++)
            if (strcmp(measure_rows[m].name, summary->figures[i].measure) == 0)
                values[m] = summary->figures[i].value;
}

void measures_take(const struct summary *summary, struct opt_f64 *values)
{
    const bool tells_work = !summary_tells_copies_alone(summary);
    memset(values, 0, MEASURE_END * sizeof *values);
    steps_take(summary, values);
    if (tells_work)
        breakdown_take(&summary->time_breakdown, values);
    values[MEASURE_event_count] = some_f64((double)summary->trace_overview.num_events_total);
    if (summary->has_ours) {
        values[MEASURE_steady_step_median] = summary->steps.steady_median_us;
        values[MEASURE_steady_step_p90] = summary->steps.steady_p90_us;
        values[MEASURE_steady_step_period] = steps_period_us(&summary->steps);
        mean_take(&summary->steps, values);
        ops_take(summary, values);
        if (tells_work)
            devices_take(summary, values);
        skew_take(summary, values);
        figures_take(summary, values);
    }
    const struct memory_share *fullest =
        summary->has_memory ? memory_fullest(&summary->memory) : NULL;
    if (summary->has_memory)
        values[MEASURE_device_memory] =
            some_f64((double)(fullest != NULL ? fullest->bytes : summary->memory.bytes));
    for (int i = 0; i < MEASURE_END; i++)
        values[i].set = values[i].set && can_be_reckoned_with(values[i].value);
}

const char *measure_text(const char *unit, double value, bool with_sign, char *buffer)
{
    enum { DIGITS = 4 };
    if (strcmp(unit, "us") == 0)
        return with_sign ? format_duration_delta(value, DIGITS, buffer)
                         : format_duration(value, DIGITS, buffer);
    if (strcmp(unit, "share") == 0)
        return with_sign ? format_share_delta(value, buffer) : format_share_digits(value, buffer);
    if (strcmp(unit, "bytes") == 0)
        return with_sign ? format_size_delta((int64_t)value, buffer)
                         : format_size((int64_t)value, buffer);
    if (strcmp(unit, "per_s") == 0) {
        /* Four digits that count, and no fewer before the point than there are. */
        const double size = fabs(value);
        const int decimals = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
        (void)snprintf(buffer, FORMAT_BYTES, with_sign ? "%+.*f/s" : "%.*f/s", decimals, value);
        return buffer;
    }
    if (strcmp(unit, "count") == 0) /* the median of an even number of runs may be a half */
        (void)snprintf(buffer, FORMAT_BYTES, with_sign ? "%+.*f" : "%.*f",
                       value == round(value) ? 0 : 1, value);
    else
        (void)snprintf(buffer, FORMAT_BYTES, with_sign ? "%+.3f" : "%.3f", value);
    return buffer;
}

const char *measure_percent_text(const char *unit, double change_pct, char *buffer)
{
    (void)format_percent_delta(change_pct, buffer);
    size_t length = strlen(buffer);
    if (strcmp(unit, "share") == 0)
        (void)snprintf(buffer + length, FORMAT_BYTES - length, " relative");
    return buffer;
}

const char *measure_change_text(const char *unit, double delta, struct opt_f64 change_pct,
                                char *buffer)
{
    static const double many_pct = 1000; /* beyond it nobody reads percents */
    char percent[FORMAT_BYTES];
    bool is_share = strcmp(unit, "share") == 0;
    if (!change_pct.set || (is_share && fabs(change_pct.value) >= many_pct))
        return measure_text(unit, delta, true, buffer);
    if (change_pct.value >= many_pct) {
        (void)snprintf(buffer, FORMAT_BYTES, "%.0f times as %s", 1 + change_pct.value / 100,
                       strcmp(unit, "us") == 0 ? "long" : "much");
        return buffer;
    }
    (void)measure_percent_text(unit, change_pct.value, percent);
    if (!is_share)
        return memcpy(buffer, percent, sizeof percent);
    (void)measure_text(unit, delta, true, buffer);
    size_t length = strlen(buffer);
    (void)snprintf(buffer + length, FORMAT_BYTES - length, " (%s)", percent);
    return buffer;
}

const char *measure_words(const char *name)
{
    return strcmp(name, measure_rows[MEASURE_steady_step_median].name) == 0 ? "step time" : name;
}

bool measure_find(const char *name, enum measure *ret_measure, struct err *err)
{
    const char *names[MEASURE_END];
    for (enum measure i = MEASURE_FIRST; i < MEASURE_END; i++) {
        names[i - MEASURE_FIRST] = measure_rows[i].name;
        if (strcmp(measure_rows[i].name, name) == 0) {
            *ret_measure = i;
            return true;
        }
    }
    return err_set(err, ERR_USAGE, "there is no measure '%s'%s", name,
                   text_choices(name, names, MEASURE_END - MEASURE_FIRST).words);
}

struct opt_f64 step_flops(const struct summary *summary)
{
    const double known_share = 0.5;
    double spans = (double)summary->steps.steady_spans, all_ps = 0, known_ps = 0, flops = 0;
    for (size_t i = 0; i < summary->op_count && spans > 0; i++) {
        const struct op_row *row = &summary->ops[i];
        if (row->asynchronous || row->steady_self_ps <= 0 || row->count <= 0)
            continue;
        all_ps += (double)row->steady_self_ps;
        known_ps += row->flops.set ? (double)row->steady_self_ps : 0;
        flops += row->flops.value * (double)row->steady_count / (double)row->count / spans;
    }
    bool known = flops > 0 && known_ps >= known_share * all_ps;
    return known ? some_f64(flops) : (struct opt_f64){0};
}
