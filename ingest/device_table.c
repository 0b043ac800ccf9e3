/* The rows of devices: one per device plane that has ops. */
#include "ingest/device_sums.h"
#include "ingest/ours.h"
#include "ingest/steps.h"

static bool has_ops(const struct plane_state *state)
{
    const struct plane_ops *ops = &state->plane->ops;
    for (size_t i = 0; ops->is_device && i < ops->count; i++) {
        if (!ops->details[i].asynchronous && ops->tallies[i].count > 0)
            return true;
    }
    return false;
}

static int64_t op_events(const struct plane_state *state)
{
    const struct plane_ops *ops = &state->plane->ops;
    int64_t count = 0;
    for (size_t i = 0; i < ops->count; i++)
        count += ops->details[i].asynchronous ? 0 : op_placed(state, (int32_t)i);
    return count;
}

static bool row_fill(struct profile *profile, struct plane_state *state, struct device_row *row,
                     struct err *err)
{
    const char *host = state->plane->space->host, *name = state->plane->name;
    if (!device_sums_finish(state, err))
        return false;
    const struct device_sums *sums = state->sums;
    int64_t window = sums->start_ps < sums->end_ps ? ps_between(sums->start_ps, sums->end_ps) : 0;
    *row = (struct device_row){
        .name = profile->space_count > 1 ? arena_printf(profile->arena, "%s%s", host, name) : name,
        .host = host,
        .window_ps = window,
        .busy_ps = sums->busy_ps,
        .idle_ps = window - sums->busy_ps,
        .compute_ps = sums->compute_ps,
        .exposed_comm_ps = sums->exposed_comm_ps,
        .overlapped_comm_ps = sums->overlapped_comm_ps,
        .exposed_copy_ps = sums->exposed_copy_ps,
        .steady_step_median_ps = -1,
        .op_count = op_events(state),
    };
    return row->name != NULL || arena_failed(profile->arena, "the devices of a profile", err);
}

bool device_table_build(struct profile *profile, struct summary *summary, struct err *err)
{
    size_t count = 0;
    if (!steps_span(profile, err))
        return false;
    summary->devices = arena_array(profile->arena, struct device_row, profile->plane_count);
    if (summary->devices == NULL)
        return arena_failed(profile->arena, "the devices of a profile", err);
    for (size_t p = 0; p < profile->plane_count; p++) {
        struct plane_state *state = &profile->planes[p];
        if (!has_ops(state))
            continue;
        state->device = (uint32_t)count;
        if (!row_fill(profile, state, &summary->devices[count++], err))
            return false;
    }
    summary->device_count = count;
    if (count == 0)
        summary->devices = NULL;
    return true;
}
