/* What the names of ops, programs and host events say.
 */
#ifndef INGEST_HLO_HLO_H
#define INGEST_HLO_HLO_H

#include "ingest/hlo/classify.h"
#include "ingest/hlo/device_class.h"
#include "ingest/hlo/hlo_text.h"
#include "ingest/hlo/host_words.h"
#include "ingest/hlo/phase.h"
#include "ingest/hlo/precision.h"
#include "ingest/hlo/region_path.h"
#include "ingest/hlo/shape.h"
#include "ingest/hlo/tensor_core.h"

#endif
