/* Which tables there are: their columns, of which the first are the key of a row. */
#ifndef INGEST_DATA_TABLES_TABLE_KINDS_H
#define INGEST_DATA_TABLES_TABLE_KINDS_H

#include "schema/documents/data_table.h"

/* X(name, what it holds) */
#define DATA_TABLES(X) \
    X(kernels, "kernels of GPUs by name and launch") \
    X(copies, "copies and fills of memory by direction") \
    X(ranges, "ranges that the program marked, by name") \
    X(allocations, "memory in use by device, kind and source line")

/* Tables of the ops of a profile, which a summary keeps, too (ingest/op_tables.c): X(name, the
 * subject that it is made of, what it holds). */
#define OP_TABLES(X) \
    X(op_profile, OPS, "time of devices by category, program and phase of the ops") \
    X(hlo_stats, OPS, "every op of every program, most own time first") \
    X(framework_op_stats, OPS, "ops by the framework's path") \
    X(top_ops, OPS, "the ten ops of most time, and in how many bits devices compute") \
    X(roofline, OPS, "what each op reaches of what the device could do, and what bounds it") \
    X(phases, OPS, "forward, backward, recomputation, optimizer") \
    X(collectives, OPS, "collectives by kind: in flight, exposed, bandwidth, skew of devices")

/* Tables that are made of what reading the whole profile tells (ingest/made_tables.h): likewise. */
#define MADE_TABLES(X) \
    OP_TABLES(X) \
    X(overview, STEPS, "what a step consists of, and what keeps it from being faster") \
    X(steps, STEPS, "where the time of each step went, on each device") \
    X(overview_page, STEPS, "where the time of each step went, as xprof's overview page has it") \
    X(input_pipeline, STEPS, "how much of each step waits for input") \
    X(input_ops, INPUT_OPS, "what the host does to bring input, stage by stage") \
    X(findings, FINDINGS, \
      "what makes steps slower than they need be, with evidence and what to do") \
    X(memory, ALLOCATORS, "peaks of the allocators: heap, stack, free, fragmentation") \
    X(memory_timeline, ALLOCATORS, "every allocation and what it left in use") \
    X(program_memory, PROGRAM, "what the main program holds of memory at its peak, as compiled")

enum data_table_id {
#define DATA_TABLE_MEMBER(name, help) DATA_TABLE_##name,
    DATA_TABLES(DATA_TABLE_MEMBER)
#undef DATA_TABLE_MEMBER
        DATA_TABLE_COUNT
};

/* What a column holds of the events of its row. */
enum row_role {
    ROW_KEY,
    ROW_COUNT, /* how many events */
    ROW_SUM,   /* of group_item.sums, in order */
    ROW_TOTAL, /* of durations, µs … */
    ROW_AVERAGE,
    ROW_LEAST,
    ROW_MOST,
    ROW_RANK,            /* 1 is the first row */
    ROW_USES_TENSOR,     /* what the first key, a kernel, says (ingest/hlo/tensor_core.h) … */
    ROW_ELIGIBLE_TENSOR, /* … and the one of the op that it runs */
};

enum { ROW_KEYS_MAX = 8, ROW_SUMS_MAX = 2, ROW_COLUMNS_MAX = 16 };

struct row_column {
    enum row_role role;
    struct data_column column;
    const char *reason; /* why no row of a source may have it; NULL: each has */
};

struct table_kind {
    const char *name, *help;
    const struct row_column *columns;
    size_t column_count;
};
extern const struct table_kind table_kinds[DATA_TABLE_COUNT];

#endif
