#include "tests/support/summary_parts.h"

#include <math.h>

static bool devices_fit(const struct summary *summary)
{
    bool fit = true;
    for (size_t i = 0; i < summary->device_count; i++) {
        const struct device_row *row = &summary->devices[i];
        fit = fit && row->busy_ps >= 0 && row->busy_ps <= row->window_ps;
        fit = fit && row->idle_ps == row->window_ps - row->busy_ps;
        fit = fit && row->compute_ps >= 0 && row->compute_ps <= row->busy_ps;
        fit = fit && row->overlapped_comm_ps >= 0 && row->overlapped_comm_ps <= row->compute_ps;
        fit = fit && row->exposed_comm_ps >= 0 && row->exposed_copy_ps >= 0;
    }
    return fit;
}

static bool ops_fit(const struct summary *summary)
{
    bool fit = true;
    for (size_t i = 0; i < summary->op_count; i++) {
        const struct op_row *op = &summary->ops[i];
        fit = fit && op->count > 0 && op->self_ps >= 0 && op->total_ps > 0;
        fit = fit && op->self_ps <= op->total_ps && op->steady_self_ps <= op->self_ps;
        fit = fit && op->device_count >= 1 && op->max_device < summary->device_count;
    }
    return fit;
}

static bool steps_fit(const struct summary *summary)
{
    const struct step_table *steps = &summary->steps;
    bool fit = true;
    for (size_t i = 0; i < steps->count; i++) {
        const struct step_row *row = &steps->rows[i];
        fit = fit && row->span_count > 0 && row->mean_ps <= row->max_ps;
        fit = fit && (i == 0 || steps->rows[i - 1].number < row->number);
    }
    return fit;
}

static bool breakdown_fits(const struct time_breakdown *breakdown)
{
    double share = 0;
    bool fit = true;
    for (int part = 0; part < PART_COUNT; part++) {
        fit = fit && breakdown->part[part].total_duration >= 0;
        share += breakdown->part[part].share_of_total;
    }
    return fit && share >= 0 && (!isfinite(share) || share < 1.001);
}

bool summary_parts_fit(const struct summary *summary)
{
    return devices_fit(summary) && ops_fit(summary) && steps_fit(summary) &&
           breakdown_fits(&summary->time_breakdown);
}
