/* The step time of each host of a profile, so that the slow one is named.
 *
 * A step takes on a host what it takes on the slowest of its devices; a host's time is the median
 * over the steady steps.
 */
#ifndef OPS_PRESENT_HOST_TIMES_H
#define OPS_PRESENT_HOST_TIMES_H

#include "ops/runtime/arena.h"
#include "schema/summary.h"

struct host_time {
    const char *name;
    int64_t device_count;
    struct opt_f64 step_median_us; /* absent without steady steps */
    const char *clock_offset_us;   /* against the first host, as the summary has it; NULL = none */
};

struct host_times {
    struct host_time *rows; /* slowest first, then by name */
    size_t count;           /* 0 when all devices are of one host, or of none that has a name */
};

/* false beyond the arena's budget. */
bool host_times_make(const struct summary *summary, struct arena *arena,
                     struct host_times *ret_times);

/* Per cent by which the slowest host's steps are longer than those of the fastest that has any;
 * absent with fewer than two. *ret_fastest is the latter's row. */
struct opt_f64 host_times_skew(const struct host_times *times,
                               const struct host_time **ret_fastest);

#endif
