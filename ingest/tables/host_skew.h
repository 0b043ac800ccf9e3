/* How the hosts of one profile differ: clocks, and who is slow. */
#ifndef INGEST_TABLES_HOST_SKEW_H
#define INGEST_TABLES_HOST_SKEW_H

#include "ingest/source/source.h"

/* The hosts of a summary: their names, and where their devices begin in summary.devices; one more
 * than hosts. */
struct skew_hosts {
    const char *const *names;
    const uint32_t *first_devices;
    size_t count;
    const double *bases_us; /* what each one's times count from, since the first one's */
};

/* With several hosts and steps in common, adds the facts
 * - clock_offset_us/HOST: median over steps of the host's begin minus the first host's; in
 *   synchronous training the clocks' difference but for the hosts' skew,
 * - step_skew_us: median over steady steps of the slowest host's time minus the fastest host's,
 * - straggler_host: the host that is slowest in most steady steps; absent when all are equal. */
void host_skew_build(const struct summary *summary, const struct skew_hosts *hosts,
                     struct fact_list *facts);

#endif
