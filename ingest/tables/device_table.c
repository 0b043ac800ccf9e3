/* The rows of devices: one per device plane that has ops. */
#include "ingest/steps/steps.h"
#include "ingest/tables/tables.h"
#include "ingest/timeline/timeline.h"

#include <string.h>

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

/* The names of devices so far. */
struct device_names {
    struct profile *profile;
    struct id_map taken; /* by text: the number to try for the next of that name */
    int64_t collisions;
};

/* The plane's name: that, or the first of `name#2`, `name#3`, … that is free. NULL beyond the
 * budget. */
static const char *name_take(struct device_names *names, const struct plane_state *state)
{
    struct profile *profile = names->profile;
    struct strings *strings = &profile->catalog.strings;
    const struct xplane *plane = state->plane;
    const char *name = plane->name;
    uint32_t text = strings_add(strings, name, strlen(name));
    if (text == STRING_NONE)
        return NULL;
    int32_t number = id_map_find(&names->taken, text);
    if (number == ID_MAP_ABSENT)
        return id_map_set(&names->taken, text, 2) ? name : NULL;
    names->collisions++;
    for (; number < INT32_MAX; number++) {
        const char *free_name = arena_printf(profile->arena, "%s#%d", name, number);
        uint32_t free_text =
            free_name == NULL ? STRING_NONE : strings_add(strings, free_name, strlen(free_name));
        if (free_text == STRING_NONE)
            return NULL;
        if (id_map_find(&names->taken, free_text) == ID_MAP_ABSENT)
            return id_map_set(&names->taken, free_text, 2) &&
                           id_map_set(&names->taken, text, number + 1)
                       ? free_name
                       : NULL;
    }
    return NULL;
}

static bool row_fill(struct device_names *names, struct plane_state *state, struct device_row *row,
                     struct err *err)
{
    struct profile *profile = names->profile;
    if (!device_sums_finish(state, err))
        return false;
    const struct device_sums *sums = state->sums;
    int64_t window = sums->start_ps < sums->end_ps ? ps_between(sums->start_ps, sums->end_ps) : 0;
    *row = (struct device_row){
        .name = name_take(names, state),
        .host = state->plane->space->host,
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
    struct device_names names = {.profile = profile};
    size_t count = 0;
    id_map_init(&names.taken, profile->arena);
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
        if (!row_fill(&names, state, &summary->devices[count++], err))
            return false;
    }
    profile->name_collisions = names.collisions;
    summary->device_count = count;
    if (count == 0)
        summary->devices = NULL;
    return true;
}
