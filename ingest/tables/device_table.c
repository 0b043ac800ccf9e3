/* The rows of devices: one per device plane that has ops. */
#include "ingest/steps/steps.h"
#include "ingest/tables/tables.h"
#include "ingest/timeline/timeline.h"

#include <string.h>

/* The plane's name: that, or the first of `name#2`, `name#3`, … that is free. taken: by text the
 * number to try for the next of that name. */
static const char *name_take(struct profile *profile, const char *name, struct id_map *taken)
{
    struct strings *strings = &profile->catalog.strings;
    const uint32_t text = strings_add(strings, name, strlen(name));
    const int32_t known = id_map_find(taken, text);
    const char *free_name = name;
    uint32_t free_text = text;
    int32_t number = known == ID_MAP_ABSENT ? 1 : known;
    profile->name_collisions += known != ID_MAP_ABSENT;
    for (; id_map_find(taken, free_text) != ID_MAP_ABSENT; number++) {
        free_name = arena_printf(profile->arena, "%s#%d", name, number);
        free_text = strings_add(strings, free_name, strlen(free_name));
    }
    id_map_set(taken, free_text, 2);
    if (free_text != text)
        id_map_set(taken, text, number);
    return free_name;
}

bool device_table_build(struct profile *profile, struct summary *summary, struct err *err)
{
    struct id_map names;
    size_t count = 0;
    id_map_init(&names, profile->arena);
    steps_span(profile);
    profile->name_collisions = 0;
    summary->devices = arena_array(profile->arena, struct device_row, profile->plane_count);
    for (size_t p = 0; p < profile->plane_count; p++) {
        struct plane_state *state = &profile->planes[p];
        const struct plane_ops *ops = &state->plane->ops;
        bool has_ops = false;
        int64_t events = 0;
        for (size_t i = 0; ops->is_device && i < ops->count; i++) {
            has_ops = has_ops || (!ops->details[i].asynchronous && ops->tallies[i].count > 0);
            events += ops->details[i].asynchronous ? 0 : op_placed(state, (int32_t)i);
        }
        if (!has_ops)
            continue;
        state->device = (uint32_t)count;
        if (!device_sums_finish(state, err))
            return false;
        const struct device_sums *sums = state->sums;
        const int64_t window =
            sums->start_ps < sums->end_ps ? ps_between(sums->start_ps, sums->end_ps) : 0;
        summary->devices[count++] = (struct device_row){
            .name = name_take(profile, state->plane->name, &names),
            .host = state->plane->space->host,
            .window_ps = window,
            .busy_ps = sums->busy_ps,
            .idle_ps = window - sums->busy_ps,
            .compute_ps = sums->compute_ps,
            .exposed_comm_ps = sums->exposed_comm_ps,
            .overlapped_comm_ps = sums->overlapped_comm_ps,
            .exposed_copy_ps = sums->exposed_copy_ps,
            .steady_step_median_ps = -1,
            .op_count = events,
        };
    }
    summary->device_count = count;
    if (count == 0)
        summary->devices = NULL;
    return true;
}
