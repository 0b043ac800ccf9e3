/* What may be put into the queue, and how. */
#ifndef OPS_FLOW_SUBMIT_SUBMIT_H
#define OPS_FLOW_SUBMIT_SUBMIT_H

#include "ops/flow/submit/job_options.h"
#include "ops/flow/submit/submission.h"

#endif
