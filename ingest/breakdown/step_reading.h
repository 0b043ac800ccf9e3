/* One host's lines read for what its devices and it did, into lists.
 */
#ifndef INGEST_BREAKDOWN_STEP_READING_H
#define INGEST_BREAKDOWN_STEP_READING_H

#include "ingest/breakdown/step_times.h"
#include "ingest/breakdown/work_lists.h"

/* Classes of an event of a host, by its name and as a call into a driver. */
struct op_states {
    unsigned plain, called;
};

struct step_reading {
    struct profile *profile;
    const struct summary *summary;
    struct arena *arena;
    struct step_breakdown *breakdown;
    struct work_lists host;
    struct op_states *states; /* by op of the present host plane */
    size_t state_count, state_capacity;
    struct id_map hull_by_number; /* of grouped steps: where they lie, over all devices */
    struct interval *hulls;
    bool grouped;
    bool any_host, any_device; /* events */
    unsigned seen;             /* classes of which there is an event */
};

#define NO_HOST "the host was not traced: record with host_tracer_level 1 or more"
#define NO_INPUT_EVENT \
    "no event tells that the host waits for input: name what loads a batch with " \
    "jax.profiler.TraceAnnotation(\"data_load\")"

/* Adds what a device did. */
bool device_lines_read(struct step_reading *reading, struct xplane *plane, struct work_lists *lists,
                       struct err *err);

/* Adds what the host did to its own lists. */
bool host_lines_read(struct step_reading *reading, struct err *err);

#endif
