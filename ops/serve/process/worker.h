/* What all workers have: a name, and what the failure of an attempt means for the work that was
 * attempted. */
#ifndef OPS_SERVE_PROCESS_WORKER_H
#define OPS_SERVE_PROCESS_WORKER_H

#include "history/lease/lease.h"

enum { WORKER_NAME_BYTES = 96 };

/* What a worker is called in the database and in logs: "host:process"; buffer holds
 * WORKER_NAME_BYTES. */
void worker_name_make(char *buffer);

/* Tells the ledger now and then that the worker lives; *due_ms: when it is told next, 0 at first.
 */
bool worker_heartbeat_give(struct db *db, const struct worker_heartbeat *heartbeat, int64_t *due_ms,
                           struct err *err);

/* claims: how often the work was claimed, this time included. What is bad is set aside at once; an
 * outage of database or machine is not counted, unless the work has met nothing else for long. */
enum queue_ending attempt_ending(const struct err *failure, int64_t claims);

/* Whether a statement that failed so may succeed later. */
bool attempt_may_pass(const struct err *fault);

#endif
