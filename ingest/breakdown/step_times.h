/* Where the time of each step went, on each device: what the device did and, while it did nothing,
 * what its host did.
 */
#ifndef INGEST_BREAKDOWN_STEP_TIMES_H
#define INGEST_BREAKDOWN_STEP_TIMES_H

#include "ingest/timeline/timeline.h"

/* What a stretch of a step counts as. Together they are the step. */
enum step_part {
    STEP_COMPUTE,
    STEP_COLLECTIVES, /* while nothing computes */
    STEP_DEVICE_TO_DEVICE,
    STEP_HOST_TO_DEVICE,
    STEP_DEVICE_TO_HOST,
    STEP_INPUT_WAIT,
    STEP_KERNEL_LAUNCH,
    STEP_HOST_COMPUTE,
    STEP_COMPILE,
    STEP_IDLE, /* the rest: nobody says what it was */
    STEP_PART_COUNT
};
extern const char *const step_part_names[STEP_PART_COUNT]; /* "compute", "host_to_device" … */

/* A step on one device, in two readings (ingest/README.md). */
struct device_step {
    bool numbered; /* false: the profile has no steps, and this is all that the device did */
    int64_t number;
    uint32_t device; /* of summary.devices; UINT32_MAX: the host alone */
    bool leads;      /* it is steady, and the device its host's slowest */
    int64_t start_ps, duration_ps;
    int64_t ps[STEP_PART_COUNT];        /* ours */
    int64_t xprof_ps[STEP_PART_COUNT];  /* as xprof's overview page has them */
    int64_t behind_ps[STEP_PART_COUNT]; /* ours, of what lies between its end and the start of the
                                           next one on its device */
    int64_t save_ps, save_behind_ps;    /* of host_compute, while the host saved */
    int64_t collective_count, collective_ps; /* that begin in it; whole, whatever goes on beside */
};

/* A line and the plane that it is of. */
struct plane_line {
    struct xplane *plane;
    const struct xline *line; /* NULL: none */
};

/* When the slowest devices of steady steps wait, in steps and until the next one, while no event
 * tells that it is for input, launches, compiling or saving: stretches of a hundredth of their step
 * and more. */
struct untold_idle {
    struct time_span *spans;
    size_t span_count, span_capacity;
    int64_t steps_ps, longest_step_ps; /* from the begins of those steps to those of the next */
    struct plane_line *drivers;        /* of threads of the host that drive devices, by plane */
    size_t driver_count, driver_capacity;
};

/* Of one host. */
struct step_breakdown {
    struct device_step *steps; /* by device, then start */
    size_t count;
    struct untold_idle idle;
    const char *absent[STEP_PART_COUNT]; /* why a part is not measured; NULL: it is */
};

/* Why nothing tells how long devices wait for input; NULL: something may. No event is read for it:
 * the names of what ran decide. */
const char *input_wait_absent(const struct profile *profile, const struct summary *summary);

/* The same of whether the host compiles. */
const char *compile_absent(const struct profile *profile, const struct summary *summary);

/* Reads the lines of one host's profile, whose summary is made, once more. All lies in the arena.
 * ERR_INPUT, ERR_LIMIT, ERR_FULL. */
bool step_breakdown_read(struct profile *profile, const struct summary *summary,
                         struct arena *arena, struct step_breakdown *ret_breakdown,
                         struct err *err);

#endif
