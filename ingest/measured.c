/* See measured.h. What is left out because the profile is large says which table tells it. */
#include "ingest/measured.h"

#include "ingest/allocators/allocators.h"
#include "ingest/breakdown/breakdown.h"
#include "ingest/op_tables/op_tables.h"

#include <stdlib.h>
#include <string.h>

/* Of a larger profile reading all events again would take half of the time of its summary. */
static const int64_t AGAIN_EVENTS_MOST = 2000000;
/* Of programs, which are read where the profile does not tell the operations of its ops. */
static const int64_t PROGRAM_BYTES_MOST = (int64_t)16 << 20;

bool measured_needs_launches(const struct profile *profile)
{
    for (size_t p = 0; p < profile->plane_count && profile->options->question == NULL; p++) {
        const struct xplane *plane = profile->planes[p].plane;
        if (strcmp(plane->name, "/host:metadata") == 0 && plane->run_count > 0)
            return true;
    }
    return false;
}

static bool work_measure(struct profile *profile, struct measured *measured, struct err *err)
{
    struct op_list ops;
    if (!op_list_init(&ops, profile->arena, err))
        return false;
    ops.program_bytes_most = PROGRAM_BYTES_MOST;
    if (!op_list_collect(&ops, profile, err) || !op_list_finish(&ops, err))
        return false;
    model_work_measure(&ops, measured);
    return true;
}

static int row_order(const void *key, const void *row)
{
    const int64_t number = *(const int64_t *)key, other = ((const struct step_row *)row)->number;
    return (number > other) - (number < other);
}

/* A step waits as its slowest device does. */
static bool waits_measure(struct profile *profile, struct summary *summary, struct err *err)
{
    struct step_table *table = &summary->steps;
    struct step_breakdown breakdown;
    if (!step_breakdown_read(profile, summary, profile->arena, &breakdown, err))
        return false;
    summary->measured.input_wait_absent = breakdown.absent[STEP_INPUT_WAIT];
    for (size_t i = 0; i < breakdown.count && breakdown.absent[STEP_INPUT_WAIT] == NULL; i++) {
        const struct device_step *step = &breakdown.steps[i];
        struct step_row *row = step->numbered ? bsearch(&step->number, table->rows, table->count,
                                                        sizeof *row, row_order)
                                              : NULL;
        if (row == NULL || row->slowest != step->device)
            continue;
        row->has_input_wait = true;
        row->input_wait_ps = step->ps[STEP_INPUT_WAIT];
        ps_add(&row->input_wait_ps, step->input_behind_ps);
    }
    return true;
}

static bool memory_measure(struct profile *profile, struct measured *measured, struct err *err)
{
    struct allocator_log log = {.arena = profile->arena};
    if (!allocators_read(profile, &log, err))
        return false;
    measured->hbm_peak_bytes = allocators_peak(&log, &measured->hbm_allocator);
    measured->hbm_peak_absent =
        measured->hbm_peak_bytes.set
            ? NULL
            : "no event of an allocator of a device says how much is in use";
    return true;
}

bool measured_build(struct profile *profile, struct summary *summary, struct err *err)
{
    struct measured *measured = &summary->measured;
    const bool large = summary->trace_overview.num_complete_events > AGAIN_EVENTS_MOST;
    const bool allocators = allocators_tell(profile);
    summary->has_measured = true;
    measured->input_wait_absent = input_wait_absent(profile);
    measured->hbm_peak_absent =
        "no event of an allocator is in the profile (most clients of JAX tell none): memory.prof "
        "beside it tells what is in use (device_memory)";
    if (allocators && large)
        measured->hbm_peak_absent = "the profile has so many events that they are not read again "
                                    "for it: `table memory` tells";
    const bool waits = measured->input_wait_absent == NULL;
    if (waits && large)
        measured->input_wait_absent = "the profile has so many events that they are not read again "
                                      "for it: `table overview` tells";
    return work_measure(profile, measured, err) &&
           (!waits || large || waits_measure(profile, summary, err)) &&
           (!allocators || large || memory_measure(profile, measured, err));
}
