/* The columns of kernels are those of the kernel_stats of xprof, under its names, so that both can
 * be laid side by side. */
#include "ingest/data_tables/table_kinds.h"

#define KEY(id, label, unit, kind) \
    { \
        ROW_KEY, \
        { \
            id, label, unit, kind \
        } \
    }
#define TIMES \
    {ROW_COUNT, {"occurrences", "occurrences", "count", DATA_INTEGER}}, \
        {ROW_TOTAL, {"total_duration_us", "total", "us", DATA_REAL}}, \
        {ROW_AVERAGE, {"avg_duration_us", "average", "us", DATA_REAL}}, \
        {ROW_LEAST, {"min_duration_us", "shortest", "us", DATA_REAL}}, \
    { \
        ROW_MOST, \
        { \
            "max_duration_us", "longest", "us", DATA_REAL \
        } \
    }

static const struct row_column kernels[] = {
    KEY("kernel_name", "kernel", "", DATA_TEXT),
    KEY("grid_dim", "grid", "", DATA_TEXT),
    KEY("block_dim", "block", "", DATA_TEXT),
    KEY("registers_per_thread", "registers", "count", DATA_INTEGER),
    KEY("shmem_bytes", "shared memory", "bytes", DATA_INTEGER),
    KEY("op_name", "op", "", DATA_TEXT),
    KEY("occupancy_pct", "occupancy", "percent", DATA_REAL),
    TIMES,
    {ROW_USES_TENSOR, {"is_kernel_using_tensor_core", "tensor cores", "", DATA_BOOLEAN}},
    {ROW_ELIGIBLE_TENSOR, {"is_op_tensor_core_eligible", "could use them", "", DATA_BOOLEAN}},
    {ROW_RANK, {"rank", "rank", "count", DATA_INTEGER}},
};

static const struct row_column copies[] = {
    KEY("kind", "kind", "", DATA_TEXT), /* "HtoD", "Memset" */
    KEY("source_memory", "from", "", DATA_TEXT),
    KEY("destination_memory", "to", "", DATA_TEXT),
    {ROW_SUM, {"bytes", "bytes", "bytes", DATA_INTEGER}},
    TIMES,
};

static const struct row_column ranges[] = {
    KEY("range", "range", "", DATA_TEXT),
    KEY("domain", "domain", "", DATA_TEXT),
    TIMES,
};

static const struct row_column allocations[] = {
    KEY("device", "device", "", DATA_TEXT),
    KEY("kind", "kind", "", DATA_TEXT),
    KEY("source", "source", "", DATA_TEXT),
    KEY("function", "function", "", DATA_TEXT),
    {ROW_SUM, {"bytes", "bytes", "bytes", DATA_INTEGER}},
    {ROW_COUNT, {"count", "allocations", "count", DATA_INTEGER}},
    {ROW_SUM, {"unknown_count", "of unknown size", "count", DATA_INTEGER}},
};

const struct table_kind table_kinds[DATA_TABLE_COUNT] = {
#define TABLE_KIND(table, help) \
    [DATA_TABLE_##table] = {#table, help, table, sizeof table / sizeof table[0]},
    DATA_TABLES(TABLE_KIND)
#undef TABLE_KIND
};
