/* A profile while it is read: what its lines add up to.
 */
#ifndef INGEST_TIMELINE_TIMELINE_H
#define INGEST_TIMELINE_TIMELINE_H

#include "ingest/timeline/device_sums.h"
#include "ingest/timeline/gaps.h"
#include "ingest/timeline/head_sums.h"
#include "ingest/timeline/launch_list.h"
#include "ingest/timeline/line_work.h"
#include "ingest/timeline/profile.h"
#include "ingest/timeline/running_totals.h"
#include "ingest/timeline/step_extents.h"
#include "ingest/timeline/step_places.h"
#include "ingest/timeline/stream.h"
#include "ingest/timeline/track.h"

#endif
