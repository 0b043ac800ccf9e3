/* Tables that lie in a trace of PyTorch (Kineto): its categories tell kernels, copies and the
 * ranges that a program marks.
 */
#ifndef INGEST_TRACE_TRACE_TABLE_H
#define INGEST_TRACE_TRACE_TABLE_H

#include "ingest/data_tables/data_tables.h"
#include "ingest/trace/trace_event.h"

/* Which op launched what: PyTorch gives ops of the CPU and what they launch one External id, and
 * older versions a kernel only the correlation of the call, which has it. */
struct trace_launches {
    struct catalog *catalog;
    struct id_map op_by_external;       /* texts */
    struct id_map place_by_correlation; /* in externals */
    int64_t *externals;
    size_t count, capacity;
};

/* None yet, in the arena of the catalog. */
void trace_launches_init(struct trace_launches *launches, struct catalog *catalog);

/* Notes what an op or a call says of what it launches. */
void trace_launch_add(struct trace_launches *launches, const struct trace_event *item);

/* Adds a complete event of this duration to the rows, if it is of their table. scratch is for the
 * work. */
bool trace_row_add(const struct trace_event *item, int64_t duration_ps,
                   const struct trace_launches *launches, struct grouped_rows *rows,
                   struct arena *scratch, struct err *err);

/* What someone can do whose trace of PyTorch tells nothing of devices. */
#define TRACE_TORCH_REMEDY \
    "its profiler has to watch the device, too (torch.profiler.profile(activities=" \
    "[ProfilerActivity.CPU, ProfilerActivity.CUDA])), or nothing ran on one"

/* Whether the item is one of PyTorch's host; whether it is work of a device: a kernel, a copy. */
bool trace_is_torch(const struct trace_event *item);
bool trace_is_device_work(const struct trace_event *item);

/* Why a trace of PyTorch gives no row of the table; NULL: as any other. */
const char *trace_torch_nothing(const struct table_kind *kind);

#endif
