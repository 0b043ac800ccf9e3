/* How the hosts of one profile differ: clocks, and who is slow. */
#ifndef INGEST_HOST_SKEW_H
#define INGEST_HOST_SKEW_H

#include "ingest/facts.h"
#include "ingest/profile.h"

/* With several hosts and steps in common, adds the facts
 * - clock_offset_us/HOST: median over steps of the host's begin minus the first host's; in
 *   synchronous training the clocks' difference but for the hosts' skew,
 * - step_skew_us: median over steady steps of the slowest host's time minus the fastest host's,
 * - straggler_host: the host that is slowest in most steady steps; absent when all are equal.
 * Needs the step table. */
bool host_skew_build(struct profile *profile, const struct summary *summary,
                     struct fact_list *facts, struct err *err);

#endif
