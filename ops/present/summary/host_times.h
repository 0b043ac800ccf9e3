/* The step time of each host of a profile, so that the slow one is named.
 *
 * A step takes on a host what it takes on the slowest of its devices; a host's time is the median
 * over the steady steps. Hosts that wait for each other in collectives have equal steps, however
 * long one of them works: then what tells them apart is their work, the time of a step in which ops
 * run that are no communication.
 */
#ifndef OPS_PRESENT_SUMMARY_HOST_TIMES_H
#define OPS_PRESENT_SUMMARY_HOST_TIMES_H

#include "ops/runtime/arena.h"
#include "schema/documents/summary.h"

struct host_time {
    const char *name;
    int64_t device_count;
    struct opt_f64 step_median_us; /* absent without steady steps */
    struct opt_f64 work_us;        /* of its device that works longest */
    const char *clock_offset_us;   /* against the first host, as the summary has it; NULL = none */
};

struct host_times {
    struct host_time *rows; /* slowest first, by step or by work, then by name */
    size_t count;           /* 0 when all devices are of one host, or of none that has a name */
    bool by_work;           /* steps are equal, and work is not */
};

/* false beyond the arena's budget. */
bool host_times_make(const struct summary *summary, struct arena *arena,
                     struct host_times *ret_times);

/* The device that works longest where steps do not tell devices apart, because they wait for each
 * other; NULL elsewhere. *ret_skew: per cent against the one that works least. */
const struct device_row *device_of_most_work(const struct summary *summary,
                                             struct opt_f64 step_skew_pct,
                                             struct opt_f64 *ret_skew_pct);

/* Per cent by which the slowest host's steps are longer than those of the fastest that has any, or
 * its work where that tells them apart; absent with fewer than two. *ret_fastest is the latter's
 * row. */
struct opt_f64 host_times_skew(const struct host_times *times,
                               const struct host_time **ret_fastest);

/* Whether times so far apart, in per cent, differ at all: what reads as "+0.0 %" names nobody. */
bool skew_tells(double skew_pct);

/* What is said of those that do not. */
extern const char hosts_alike[], devices_alike[];

#endif
