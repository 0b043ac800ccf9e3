/* What an event of a host says about its device: that it waits for the host, and for what.
 */
#ifndef INGEST_BREAKDOWN_HOST_STATES_H
#define INGEST_BREAKDOWN_HOST_STATES_H

#include <stdbool.h>

enum host_state {
    HOST_SAYS_NOTHING, /* annotations, frames of Python, waiting for the device */
    HOST_COMPUTES,
    HOST_COMPILES,
    HOST_WAITS_FOR_INPUT,
    HOST_LOADS, /* input: waits for it if it launches, may be ahead if it does not */
    HOST_SENDS, /* input to the device */
    HOST_LAUNCHES,
    HOST_SAVES, /* a checkpoint, before it goes on */
};

/* By the event's name; of calls into a driver, which have a correlation id, by that. */
enum host_state host_state_of(const char *name, bool has_correlation);

/* Whether the name is that of an annotation of steps, as xprof knows them. */
bool host_event_is_mark(const char *name);

#endif
