/* Finding the steps of ours: which marks bound them, and which part of each a device has.
 *
 * Methods in order of trust: a device's `Steps` line; the host's step annotations; runs of the
 * dominant program. The method is part of a profile's provenance, so one method serves all devices.
 */
#ifndef INGEST_STEPS_H
#define INGEST_STEPS_H

#include "ingest/profile.h"

/* A step of the host: its annotation. */
struct host_step {
    int64_t number;
    int64_t start_ps, end_ps;
};

struct host_step_list {
    const struct host_step *items; /* NULL = not looked for */
    size_t count;
};

/* Chooses the method and fills the windows of all device planes, from the marks that the first
 * stage left. */
bool steps_find(struct profile *profile, struct err *err);

/* The annotations of one file, ascending and each number once. They are looked for once and kept,
 * as all devices of a host ask for the same. */
bool steps_of_host(struct profile *profile, const struct xspace *space,
                   struct host_step_list *ret_list, struct err *err);

/* Gives each window its span, from the marks or from the ops that fell into it. */
void steps_span(struct profile *profile);

/* §5 of the user's options: a step with a smaller number than warmup_steps is warm-up. */
static inline bool step_is_warmup(const struct profile *profile, int64_t number)
{
    return number < profile->options->warmup_steps;
}

#endif
