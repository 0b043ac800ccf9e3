/* Implements the measures: one row of a table each, so that a new one is one line here and one in
 * policy.h.
 *
 * Shares of device rows are sums over devices divided by the sum of their windows, so that a device
 * counts as much as it was profiled.
 */
#include "compare/measures.h"
#include "compare/stats.h"

#include <string.h>

static const double ps_per_us = 1e6;

static struct opt_f64 absent(void)
{
    return (struct opt_f64){0};
}

static struct opt_f64 read_step_median(const struct summary *summary, bool ours)
{
    return ours ? summary->steps.steady_median_us : summary->step_time.steady_state_steps.median;
}

static struct opt_f64 read_step_p90(const struct summary *summary, bool ours)
{
    return ours ? summary->steps.steady_p90_us : summary->step_time.steady_state_steps.p90;
}

static struct opt_f64 read_device_time(const struct summary *summary, bool ours)
{
    if (!ours || summary->steps.steady_spans <= 0 || summary->op_count == 0)
        return absent();
    int64_t sum = 0;
    for (size_t i = 0; i < summary->op_count; i++) {
        if (!summary->ops[i].asynchronous)
            sum += summary->ops[i].steady_self_ps;
    }
    return some_f64((double)sum / (double)summary->steps.steady_spans / ps_per_us);
}

static struct opt_f64 read_idle_time(const struct summary *summary, bool ours)
{
    if (!ours || summary->steps.steady_spans <= 0)
        return absent();
    return some_f64(summary->coverage.steady_idle_us_per_step);
}

/* Sum of one member over devices divided by the sum of their windows. */
static struct opt_f64 share_of_windows(const struct summary *summary, size_t offset)
{
    double sum = 0, windows = 0;
    for (size_t i = 0; i < summary->device_count; i++) {
        int64_t value;
        memcpy(&value, (const char *)&summary->devices[i] + offset, sizeof value);
        sum += (double)value;
        windows += (double)summary->devices[i].window_ps;
    }
    return windows > 0 ? some_f64(sum / windows) : absent();
}

#define READ_DEVICE_SHARE(name, member) \
    static struct opt_f64 read_##name(const struct summary *summary, bool ours) \
    { \
        (void)ours; \
        return share_of_windows(summary, offsetof(struct device_row, member)); \
    }
READ_DEVICE_SHARE(idle_share, idle_ps)
READ_DEVICE_SHARE(exposed_communication_share, exposed_comm_ps)
READ_DEVICE_SHARE(overlapped_communication_share, overlapped_comm_ps)
READ_DEVICE_SHARE(exposed_copy_share, exposed_copy_ps)
#undef READ_DEVICE_SHARE

enum { SKEW_MAX_DEVICES = 4096 };

static struct opt_f64 read_device_skew(const struct summary *summary, bool ours)
{
    double steps[SKEW_MAX_DEVICES];
    size_t count = 0;
    for (size_t i = 0; i < summary->device_count && count < SKEW_MAX_DEVICES; i++) {
        if (summary->devices[i].steady_step_median_ps > 0)
            steps[count++] = (double)summary->devices[i].steady_step_median_ps;
    }
    if (!ours || count < 2)
        return absent();
    stats_sort(steps, count);
    return some_f64(steps[count - 1] / stats_quantile(steps, count, 0.5) - 1);
}

static struct opt_f64 breakdown_share(const struct summary *summary, enum breakdown_part part)
{
    const struct time_breakdown *breakdown = &summary->time_breakdown;
    return breakdown->total_duration > 0 ? some_f64(breakdown->part[part].share_of_total)
                                         : absent();
}

static struct opt_f64 read_communication_share(const struct summary *summary, bool ours)
{
    (void)ours;
    return breakdown_share(summary, PART_COMMUNICATION);
}

static struct opt_f64 read_stall_share(const struct summary *summary, bool ours)
{
    (void)ours;
    return breakdown_share(summary, PART_STALL);
}

static const struct measure_row {
    const char *unit;
    struct opt_f64 (*read)(const struct summary *summary, bool ours);
    const char *reason, *subject; /* of an increase above the limit */
} rows[MEASURE_COUNT] = {
#define MEASURE_ROW(name, unit, limit_pct, limit_abs, action, help) \
    [MEASURE_##name] = {(unit), read_##name, #name "_increased", (help)},
    GATE_MEASURES(MEASURE_ROW)
#undef MEASURE_ROW
};

struct opt_f64 measure_of(const struct summary *summary, enum gate_measure measure,
                          bool steps_are_ours)
{
    return rows[measure].read(summary, steps_are_ours);
}

struct opt_f64 runs_median(const struct judgement *judgement, const struct gate_runs *runs,
                           enum gate_measure measure)
{
    double *values = arena_array(judgement->arena, double, runs->count);
    size_t count = 0;
    for (size_t i = 0; values != NULL && i < runs->count; i++) {
        if (runs->items[i].measures[measure].set)
            values[count++] = runs->items[i].measures[measure].value;
    }
    if (count == 0)
        return absent();
    stats_sort(values, count);
    return some_f64(stats_quantile(values, count, 0.5));
}

struct opt_f64 measure_limit(const struct gate_policy *policy, enum gate_measure measure,
                             double before)
{
    const struct measure_rule *rule = &policy->measures[measure];
    if (rule->limit_pct >= 0)
        return some_f64(before * rule->limit_pct / 100);
    return rule->limit_abs >= 0 ? some_f64(rule->limit_abs) : absent();
}

/* "412.30 ms", or "0.4312" for a share. */
static const char *value_text(enum gate_measure measure, double value, char *buffer)
{
    if (strcmp(rows[measure].unit, "us") == 0)
        return duration_text(value, buffer);
    (void)snprintf(buffer, DURATION_TEXT_BYTES, "%.4f", value);
    return buffer;
}

/* step_median says what the step rule decided. */
static const char *step_status_name(const struct judgement *judgement)
{
    switch (judgement->step_status) {
    case VERDICT_PASS:
        return "ok";
    case VERDICT_INCONCLUSIVE:
        return "unknown";
    default:
        return verdict_status_names[judgement->step_status];
    }
}

/* Ops of one compiled program differ by the environment alone: their time fails nothing. */
static enum measure_action action_of(const struct judgement *judgement, enum gate_measure measure)
{
    enum measure_action action = judgement->policy->measures[measure].action;
    bool environment = judgement->same_program && measure == MEASURE_device_time;
    return environment && action == MEASURE_FAIL ? MEASURE_WARN : action;
}

static const char *measure_status(struct judgement *judgement, enum gate_measure measure,
                                  const struct verdict_measure *row)
{
    enum measure_action action = action_of(judgement, measure);
    if (!row->delta.set)
        return "unknown";
    if (measure == MEASURE_step_median)
        return step_status_name(judgement);
    if (action == MEASURE_INFO || !row->limit.set || row->delta.value <= row->limit.value)
        return "ok";
    char before[DURATION_TEXT_BYTES], after[DURATION_TEXT_BYTES], limit[DURATION_TEXT_BYTES];
    reason_add(judgement, rows[measure].reason, "%s (%s) rose from %s to %s, by more than %s.",
               row->name, rows[measure].subject, value_text(measure, row->before.value, before),
               value_text(measure, row->after.value, after),
               value_text(measure, row->limit.value, limit));
    status_raise(judgement, action == MEASURE_FAIL ? VERDICT_FAIL : VERDICT_WARN, "measure_limits");
    return action == MEASURE_FAIL ? "fail" : "warn";
}

void measures_judge(struct judgement *judgement)
{
    struct verdict *verdict = judgement->verdict;
    verdict->measures = arena_array(judgement->arena, struct verdict_measure, MEASURE_COUNT);
    if (verdict->measures == NULL) {
        judgement->out_of_memory = true;
        return;
    }
    for (enum gate_measure i = 0; i < MEASURE_COUNT; i++) {
        struct verdict_measure *row = &verdict->measures[verdict->measure_count++];
        row->name = measure_name(i);
        row->unit = rows[i].unit;
        row->before = runs_median(judgement, &judgement->baseline, i);
        row->after = runs_median(judgement, &judgement->candidate, i);
        if (row->before.set && row->after.set) {
            row->delta = some_f64(row->after.value - row->before.value);
            row->limit = measure_limit(judgement->policy, i, row->before.value);
        }
        row->status = measure_status(judgement, i, row);
    }
}
