/* Profiles into the ledger. */
#ifndef OPS_FLOW_TAKE_IN_TAKE_IN_H
#define OPS_FLOW_TAKE_IN_TAKE_IN_H

#include "ops/flow/take_in/capture_store.h"
#include "ops/flow/take_in/host_reading.h"
#include "ops/flow/take_in/intake.h"
#include "ops/flow/take_in/same_capture.h"

#endif
