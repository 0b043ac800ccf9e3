/* A step of the host, and how long such steps usually take.
 */
#ifndef INGEST_STEPS_HOST_STEP_H
#define INGEST_STEPS_HOST_STEP_H

#include <stddef.h>
#include <stdint.h>

/* A step of the host: its annotation. */
struct host_step {
    int64_t number;
    int64_t start_ps, end_ps;
    int64_t unmarked;   /* steps without a mark between it and the next one (step_numbers.h) */
    int64_t own_end_ps; /* what begins later is of such a step; INT64_MAX = there is none */
};

/* How long steps usually take, from the start of one to that of the next. */
struct usual_steps {
    int64_t middle_ps;
    int64_t longest_ps; /* of those of no more than twice the middle */
};

/* Both 0 of no lengths; sorts lengths[count]. */
struct usual_steps steps_usual(int64_t *lengths, size_t count);

#endif
