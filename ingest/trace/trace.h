/* Traces in Chrome's JSON format, as JAX, TensorFlow and PyTorch (Kineto) write them.
 *
 * A trace is read once, through a window; what of its events counts is kept aside (event_store.h),
 * and processes, threads and ops become planes, lines and ops as those of an XPlane file are.
 * Rules for the reference's members: profile_summary.v1 §4.
 */
#ifndef INGEST_TRACE_TRACE_H
#define INGEST_TRACE_TRACE_H

#include "ingest/xplane/xplane.h"

/* Opens a trace, plain or compressed with gzip. What is cut off or broken is read as far as it
 * makes sense, unless strict. ERR_INPUT: nothing of it does; ERR_LIMIT. */
space_open_fn trace_open;

#endif
