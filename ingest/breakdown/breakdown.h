/* Where the time of steps went, and what keeps them from being faster.
 */
#ifndef INGEST_BREAKDOWN_BREAKDOWN_H
#define INGEST_BREAKDOWN_BREAKDOWN_H

#include "ingest/breakdown/framework.h"
#include "ingest/breakdown/input_ops.h"
#include "ingest/breakdown/bottleneck.h"
#include "ingest/breakdown/step_list.h"
#include "ingest/breakdown/step_outliers.h"
#include "ingest/breakdown/step_times.h"

#endif
