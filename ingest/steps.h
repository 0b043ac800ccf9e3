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

/* Those of one file. */
struct host_step_list {
    struct host_step *items; /* ascending, each number once; NULL = not looked for */
    size_t count;
    struct step_window *windows; /* which ops belong to them; NULL = not made */
    size_t window_count;
};

/* Chooses the method and fills the windows of all device planes, from the marks that the first
 * stage left. */
bool steps_find(struct profile *profile, struct err *err);

/* The annotations of one file. They are looked for once and kept, as all devices of a host ask for
 * the same. NULL with ERR_LIMIT. */
struct host_step_list *steps_of_host(struct profile *profile, const struct xspace *space,
                                     struct err *err);

/* Gives each device the spans of its steps where its ops tell them. ERR_LIMIT. */
bool steps_span(struct profile *profile, struct err *err);

/* §5 of the user's options: a step with a smaller number than warmup_steps is warm-up. */
static inline bool step_is_warmup(const struct profile *profile, int64_t number)
{
    return number < profile->options->warmup_steps;
}

#endif
