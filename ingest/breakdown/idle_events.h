/* Which event of the host goes on while devices wait for what nothing tells.
 */
#ifndef INGEST_BREAKDOWN_IDLE_EVENTS_H
#define INGEST_BREAKDOWN_IDLE_EVENTS_H

#include "ingest/breakdown/step_times.h"

/* An event, by its name, of a thread that drives the devices. */
struct idle_event {
    const char *name; /* NULL: none goes on in half of that time */
    double share;     /* of it */
};

/* Finds the event that covers most of it, and hardly goes on while the devices work; no annotation
 * of a step, and nothing that holds several steps. Reads the threads' lines once more, where
 * devices wait a tenth of their steps so. Sorts the spans; the name lies in the arena. ERR_INPUT,
 * ERR_LIMIT. */
bool idle_event_find(struct profile *profile, const struct untold_idle *idle, struct arena *arena,
                     struct idle_event *ret_event, struct err *err);

#endif
