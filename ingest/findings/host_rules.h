/* What a device waits for its host, in steps and between them, as the host compiles, saves or does
 * all else: each with a remedy of its own, and no moment in two of them.
 */
#ifndef INGEST_FINDINGS_HOST_RULES_H
#define INGEST_FINDINGS_HOST_RULES_H

#include "ingest/findings/rules.h"

rule_fn host_recompiles, host_stalls, host_saves;

/* Whether a host_stall of one of several hosts holds up the job: not where another one has nothing
 * to wait for meanwhile. Asked of all hosts' steps. */
bool host_stall_counts(const struct examined *all, struct finding *finding);

#endif
