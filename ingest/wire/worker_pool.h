/* Threads that share a list of jobs.
 *
 * Which thread does which job is left to chance; what comes out must not depend on it. A failure is
 * that of the job with the smallest number that failed, and ends the taking of further jobs.
 */
#ifndef INGEST_WIRE_WORKER_POOL_H
#define INGEST_WIRE_WORKER_POOL_H

#include "ops/runtime/err.h"

#include <stdbool.h>
#include <stddef.h>

typedef bool worker_pool_job(void *context, size_t index, struct err *err);

/* Runs jobs 0 to count - 1 on at most `threads` threads, the caller's among them. */
bool worker_pool_run(int threads, size_t count, worker_pool_job *job, void *context,
                     struct err *err);

#endif
