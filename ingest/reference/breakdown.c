/* Time by category: exclusive times per track added up, or one global timeline
 * (profile_summary.v1 §6).
 */
#include "ingest/reference/reference.h"

/* ---- the global timeline --------------------------------------------------------------------- */

enum { COMPUTE_BIT = 1 << GLOBAL_COMPUTE, COMMUNICATION_BIT = 1 << GLOBAL_COMMUNICATION };

/* At any time communication comes before compute; what neither covers is a stall. */
static void segment_add(void *context, int64_t start, int64_t end, unsigned classes)
{
    double *parts = context, length = us_of_tick(end) - us_of_tick(start);
    parts[classes & COMMUNICATION_BIT ? PART_COMMUNICATION
          : classes & COMPUTE_BIT     ? PART_COMPUTE
                                      : PART_STALL] += length;
}

/* The lists of all planes, and the window from the first compute event to the last. */
static size_t inputs_collect(struct profile *profile, struct sweep_input *inputs,
                             struct interval *ret_window)
{
    size_t count = 0;
    *ret_window = (struct interval){INT64_MAX, INT64_MIN};
    for (size_t p = 0; p < profile->plane_count; p++) {
        struct plane_state *state = &profile->planes[p];
        for (size_t i = 0; i < state->work_count; i++) {
            struct line_work *work = &state->work[i];
            if (!work->global || !work->list.any)
                continue;
            inputs[count++] = (struct sweep_input){&work->list, work->class};
            if (work->class != GLOBAL_COMPUTE)
                continue;
            if (work->list.first_start < ret_window->start)
                ret_window->start = work->list.first_start;
            if (work->list.last_end > ret_window->end)
                ret_window->end = work->list.last_end;
        }
    }
    return count;
}

/* ---- the member ------------------------------------------------------------------------------ */

bool breakdown_build(struct profile *profile, const double totals[PART_COUNT],
                     struct summary *summary, struct err *err)
{
    struct time_breakdown *breakdown = &summary->time_breakdown;
    double parts[PART_COUNT] = {0}, total = 0;
    const bool global = profile->options->mode == BREAKDOWN_GLOBAL;
    breakdown->duration_basis =
        global ? "exclusive_duration_global_timeline" : "exclusive_duration_per_track";
    if (global) {
        size_t most = 0;
        for (size_t p = 0; p < profile->plane_count; p++)
            most += profile->planes[p].work_count;
        struct sweep_input *inputs = arena_array(profile->arena, struct sweep_input, most);
        struct interval window;
        const size_t count = inputs_collect(profile, inputs, &window);
        struct sweep sweep = {.segment = segment_add, .context = parts};
        if (window.start < window.end) {
            total = us_of_tick(window.end) - us_of_tick(window.start);
            if (!sweep_begin(&sweep, inputs, count, window, err) || !sweep_end(&sweep, err))
                return false;
        }
    }
    for (int part = 0; part < PART_COUNT && !global; part++) {
        parts[part] = totals[part];
        total += totals[part];
    }
    breakdown->total_duration = total;
    for (int part = 0; part < PART_COUNT; part++) {
        breakdown->part[part].total_duration = parts[part];
        breakdown->part[part].share_of_total = total > 0 ? parts[part] / total : 0;
    }
    return true;
}
