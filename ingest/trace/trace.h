/* Traces in Chrome's JSON format, as JAX, TensorFlow and PyTorch (Kineto) write them.
 *
 * A trace is read once, through a window; what of its events counts is kept aside (event_store.h),
 * and processes, threads and ops become planes, lines and ops as those of an XPlane file are.
 * Rules for the reference's members: profile_summary.v1 §4.
 */
#ifndef INGEST_TRACE_TRACE_H
#define INGEST_TRACE_TRACE_H

#include "ingest/data_tables/data_tables.h"
#include "ingest/xplane/xplane.h"

/* Opens a trace, plain or compressed with gzip. What is cut off or broken is read as far as it
 * makes sense, unless strict. ERR_INPUT: nothing of it does; ERR_LIMIT. */
space_open_fn trace_open;

/* Adds the kernels, copies or marked ranges of a trace to the rows, as PyTorch's categories tell
 * them. ERR_INPUT also for a trace that is cut off. */
bool trace_table_read(const char *path, const struct ingest_options *options,
                      struct grouped_rows *rows, struct err *err);

#endif
