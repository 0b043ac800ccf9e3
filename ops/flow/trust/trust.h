/* What can be vouched for: seals, checkpoints, what this machine has seen, verification. */
#ifndef OPS_FLOW_TRUST_TRUST_H
#define OPS_FLOW_TRUST_TRUST_H

#include "ops/flow/trust/checkpoint_seal.h"
#include "ops/flow/trust/seal.h"
#include "ops/flow/trust/seen.h"
#include "ops/flow/trust/verifying.h"

#endif
