/* Jobs of the queue, each in a child of its own. */
#ifndef OPS_SERVE_JOBS_JOBS_H
#define OPS_SERVE_JOBS_JOBS_H

#include "ops/serve/jobs/job_child.h"
#include "ops/serve/jobs/job_slots.h"

#endif
