/* The step time of each host of a profile, so that the slow one is named.
 *
 * A step takes on a host what it takes on the slowest of its devices; a host's time is the median
 * over the steady steps. Hosts that wait for each other in collectives keep the same pace, and the
 * longest step may be that of one that waits. Then what tells them apart is the time from a step to
 * the next that a host does not spend in collectives: its work, in which ops run that are no
 * communication, and the time in which none runs. The host with most of it is waited for.
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
    struct opt_f64 period_us;      /* median from the start of a steady step to that of the next */
    struct opt_f64 collectives_us; /* that nothing hides, a step; of the device with least of it */
    struct opt_f64 own_us;         /* its period without them: what others have to wait for */
    struct opt_f64 told_us;        /* of these the one that tells the hosts apart */
    const char *clock_offset_us;   /* against the first host, as the summary has it; NULL = none */
};

enum hosts_by {
    HOSTS_BY_STEP,
    HOSTS_BY_PERIOD, /* steps of one host follow each other later: nobody waits for it in them */
    HOSTS_BY_WORK,   /* all keep the same pace, since others wait for one that works longer */
    HOSTS_BY_STALL,  /* as before, but what is longer is the time in which its devices run no op */
};

struct host_times {
    struct host_time *rows; /* slowest first, by what tells them apart, then by name */
    size_t count;           /* 0 when all devices are of one host, or of none that has a name */
    enum hosts_by by;
};

/* Those of the summary's steady steps, in the arena. */
void host_times_make(const struct summary *summary, struct arena *arena,
                     struct host_times *ret_times);

/* The device that works longest where steps do not tell devices apart, because they wait for each
 * other; NULL elsewhere. *ret_skew: per cent against the one that works least. */
const struct device_row *device_of_most_work(const struct summary *summary,
                                             struct opt_f64 step_skew_pct, struct arena *arena,
                                             struct opt_f64 *ret_skew_pct);

/* Per cent by which the slowest host's steps are longer than those of the fastest that has any, or
 * of what else tells them apart; absent with fewer than two. *ret_fastest is the latter's row. */
struct opt_f64 host_times_skew(const struct host_times *times,
                               const struct host_time **ret_fastest);

/* "hC holds up 3 hosts, …" of hosts that differ by so much. */
const char *host_times_sentence(const struct host_times *times, double skew_pct,
                                struct arena *arena);

/* The sentence of hosts of which one is stalled: devices of the others have the longest steps, and
 * wait. NULL where that is not so. */
const char *host_stall_sentence(const struct summary *summary, struct arena *arena);

/* Whether times so far apart, in per cent, differ at all: what reads as "+0.0 %" names nobody. */
bool skew_tells(double skew_pct);

/* What is said of those that do not. */
extern const char hosts_alike[], devices_alike[];

#endif
