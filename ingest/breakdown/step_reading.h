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
    struct device_step *own; /* of the device whose lines are read, by start */
    size_t own_count;
    bool grouped;
    bool has_device;           /* none: a host launches nothing, all that it does is the work */
    bool any_host, any_device; /* events */
    unsigned seen;             /* classes of which there is an event */
};

/* Says of each part that no event tells why it is not known, in the words of what recorded the
 * profile (summary.source_format), once all lines are read. */
void step_absent_note(struct step_reading *reading);

/* Makes *longest the plane's longest line of ops, unless that is longer. */
void device_line_longest(struct xplane *plane, struct plane_line *longest);

/* Adds what a device did on one line, and on all lines of a plane but one (NULL: none). */
bool device_line_read(struct step_reading *reading, const struct plane_line *of,
                      struct work_lists *lists, struct err *err);
bool device_lines_read(struct step_reading *reading, struct xplane *plane, const struct xline *but,
                       struct work_lists *lists, struct err *err);

/* The name of an event of a host that tells what it is: that of its metadata; "" without one. */
const char *host_event_name(const struct catalog *catalog, const struct op *op);

/* Adds what the host did to its own lists. */
bool host_lines_read(struct step_reading *reading, struct err *err);

#endif
