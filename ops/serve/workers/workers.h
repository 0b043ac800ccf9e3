/* The workers: each takes what is due. */
#ifndef OPS_SERVE_WORKERS_WORKERS_H
#define OPS_SERVE_WORKERS_WORKERS_H

#include "ops/serve/workers/schedule.h"
#include "ops/serve/workers/worker_alert.h"
#include "ops/serve/workers/worker_compare.h"
#include "ops/serve/workers/worker_ingest.h"

#endif
