/* Tables that lie in a trace of PyTorch (Kineto): its categories tell kernels, copies and the
 * ranges that a program marks.
 */
#ifndef INGEST_TRACE_TRACE_TABLE_H
#define INGEST_TRACE_TRACE_TABLE_H

#include "ingest/data_tables/data_tables.h"
#include "ingest/trace/trace_event.h"

/* Adds a complete event of this duration to the rows, if it is of their table. scratch is for the
 * work. */
bool trace_row_add(const struct trace_event *item, int64_t duration_ps, struct grouped_rows *rows,
                   struct arena *scratch, struct err *err);

#endif
