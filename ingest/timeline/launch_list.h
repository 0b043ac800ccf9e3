/* Which step launched a kernel: runs of correlation ids, as launches.h finds them.
 */
#ifndef INGEST_TIMELINE_LAUNCH_LIST_H
#define INGEST_TIMELINE_LAUNCH_LIST_H

#include "schema/documents/optional.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number of launches that are of no step. */
#define LAUNCH_OF_NO_STEP INT64_MIN

/* Ids from first to last were launched in a step, by one thread and without a step between. */
struct launch_run {
    int64_t first, last;
    int64_t number;    /* of the step */
    int64_t behind_ps; /* from the end of its annotation to the last of them; 0 = within it */
};

/* Ids that runs of different steps hold are launches one by one, too. */
struct launch_list {
    struct launch_run *runs; /* ascending first */
    size_t count, capacity;
    struct launch_run *single; /* ascending first; consecutive ids of a step may be one */
    size_t single_count, single_capacity;
};

/* The step of a correlation id: that of the launch of the same id where it is kept by itself, else
 * of a run; absent when none holds it. *hint is the caller's, 0 at first. */
struct opt_i64 launch_step(const struct launch_list *list, int64_t id, size_t *hint);

/* Whether it is of a launch before all that the list has of its process, whose number is in the
 * upper half of its ids. */
bool launch_is_earlier(const struct launch_list *list, int64_t id);

/* Whether it is one: writers put 0 where there is none. */
static inline bool correlation_is_known(struct opt_i64 id)
{
    return id.set && id.value != 0;
}

#endif
