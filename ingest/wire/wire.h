/* Bytes of files: windows over them, their encodings, bounds, and what goes to a temporary file
 * when memory does not do.
 */
#ifndef INGEST_WIRE_WIRE_H
#define INGEST_WIRE_WIRE_H

#include "ingest/wire/cursor.h"
#include "ingest/wire/gunzip.h"
#include "ingest/wire/gzip_writer.h"
#include "ingest/wire/hash.h"
#include "ingest/wire/limits.h"
#include "ingest/wire/progress.h"
#include "ingest/wire/proto.h"
#include "ingest/wire/relay.h"
#include "ingest/wire/spill.h"
#include "ingest/wire/text_window.h"
#include "ingest/wire/varint.h"
#include "ingest/wire/worker_pool.h"

#endif
