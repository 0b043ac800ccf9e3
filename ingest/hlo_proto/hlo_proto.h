/* Compiled programs that lie in a profile: what their instructions are, and what a run of one
 * costs.
 */
#ifndef INGEST_HLO_PROTO_HLO_PROTO_H
#define INGEST_HLO_PROTO_HLO_PROTO_H

#include "ingest/hlo_proto/hlo_buffers.h"
#include "ingest/hlo_proto/hlo_cost.h"
#include "ingest/hlo_proto/hlo_module.h"
#include "ingest/hlo_proto/hlo_programs.h"

#endif
