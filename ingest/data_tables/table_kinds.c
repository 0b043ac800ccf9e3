/* The columns of kernels are those of the kernel_stats of xprof, under its names, so that both can
 * be laid side by side. */
#include "ingest/data_tables/table_kinds.h"

#define KEY(id, label, unit, kind, reason) \
    { \
        ROW_KEY, {id, label, unit, kind}, reason \
    }
/* Who adds up events himself tells all of it; tables of others may lack a column. */
#define NOT_TOLD "the table that xprof made has no such column"
#define TIMES \
    {ROW_COUNT, {"occurrences", "occurrences", "count", DATA_INTEGER}, NOT_TOLD}, \
        {ROW_TOTAL, {"total_duration_us", "total", "us", DATA_REAL}, NOT_TOLD}, \
        {ROW_AVERAGE, {"avg_duration_us", "average", "us", DATA_REAL}, NOT_TOLD}, \
        {ROW_LEAST, {"min_duration_us", "shortest", "us", DATA_REAL}, NOT_TOLD}, \
    { \
        ROW_MOST, {"max_duration_us", "longest", "us", DATA_REAL}, NOT_TOLD \
    }

static const struct row_column kernels[] = {
    KEY("kernel_name", "kernel", "", DATA_TEXT, NULL),
    KEY("grid_dim", "grid", "", DATA_TEXT, "no kernel says what grid it was launched with"),
    KEY("block_dim", "block", "", DATA_TEXT, "no kernel says what blocks it was launched with"),
    KEY("registers_per_thread", "registers", "count", DATA_INTEGER,
        "no kernel says how many registers a thread of it takes, or none that one can have"),
    KEY("shmem_bytes", "shared memory", "bytes", DATA_INTEGER,
        "no kernel says what shared memory it takes"),
    KEY("op_name", "op", "", DATA_TEXT, "nothing tells which op a kernel is of"),
    KEY("occupancy_pct", "occupancy", "percent", DATA_REAL,
        "no kernel says what occupancy its launch allows"),
    TIMES,
    {ROW_USES_TENSOR,
     {"is_kernel_using_tensor_core", "tensor cores", "", DATA_BOOLEAN},
     "no kernel's name tells it"},
    {ROW_ELIGIBLE_TENSOR,
     {"is_op_tensor_core_eligible", "could use them", "", DATA_BOOLEAN},
     "nothing tells which op a kernel is of"},
    {ROW_RANK, {"rank", "rank", "count", DATA_INTEGER}, NULL},
};

static const struct row_column copies[] = {
    KEY("kind", "kind", "", DATA_TEXT, NULL), /* "HtoD", "Memset" */
    KEY("source_memory", "from", "", DATA_TEXT, "no copy says what memory it reads"),
    KEY("destination_memory", "to", "", DATA_TEXT, "no copy or fill says what memory it writes"),
    {ROW_SUM,
     {"bytes", "bytes", "bytes", DATA_INTEGER},
     "no copy or fill says how many bytes it moves"},
    TIMES,
};

static const struct row_column ranges[] = {
    KEY("range", "range", "", DATA_TEXT, NULL),
    KEY("domain", "domain", "", DATA_TEXT, "no range is of a domain that has a name"),
    TIMES,
};

static const struct row_column allocations[] = {
    KEY("device", "device", "", DATA_TEXT, NULL),
    KEY("kind", "kind", "", DATA_TEXT, NULL),
    KEY("source", "source", "", DATA_TEXT, NULL),
    KEY("function", "function", "", DATA_TEXT, NULL),
    {ROW_SUM, {"bytes", "bytes", "bytes", DATA_INTEGER}, NULL},
    {ROW_COUNT, {"count", "allocations", "count", DATA_INTEGER}, NULL},
    {ROW_SUM, {"unknown_count", "of unknown size", "count", DATA_INTEGER}, NULL},
};

const struct table_kind table_kinds[DATA_TABLE_COUNT] = {
#define TABLE_KIND(table, help) \
    [DATA_TABLE_##table] = {#table, help, table, sizeof table / sizeof table[0]},
    DATA_TABLES(TABLE_KIND)
#undef TABLE_KIND
};
