/* XPlane files: planes, lines, metadata, events.
 */
#ifndef INGEST_XPLANE_XPLANE_H
#define INGEST_XPLANE_XPLANE_H

#include "ingest/xplane/catalog.h"
#include "ingest/xplane/event_walk.h"
#include "ingest/xplane/fields.h"
#include "ingest/xplane/fingerprint.h"
#include "ingest/xplane/op_build.h"
#include "ingest/xplane/op_stats.h"
#include "ingest/xplane/plane_made.h"
#include "ingest/xplane/plane_ops.h"
#include "ingest/xplane/plane_stats.h"
#include "ingest/xplane/stat.h"
#include "ingest/xplane/xspace.h"

#endif
