/* The devices of a profile and every op that ran on them. Times are integer picoseconds. */
#ifndef SCHEMA_DOCUMENTS_OP_TABLE_H
#define SCHEMA_DOCUMENTS_OP_TABLE_H

#include "schema/documents/optional.h"

struct device_row {     /* interval unions over the profile's window; nothing is counted twice */
    const char *name;   /* "/device:TPU:0", qualified "host/…" when several hosts */
    const char *host;   /* NULL when the file does not say */
    int64_t window_ps;  /* last end - first start of its op events */
    int64_t busy_ps;    /* union of op events */
    int64_t idle_ps;    /* window - busy */
    int64_t compute_ps; /* union of compute ops */
    int64_t exposed_comm_ps;       /* |communication \ compute| */
    int64_t overlapped_comm_ps;    /* |communication ∩ compute| */
    int64_t exposed_copy_ps;       /* |copies \ (compute ∪ communication)| */
    int64_t steady_step_median_ps; /* -1 when no steady step was seen on it */
    int64_t op_count;
};

struct op_row {            /* the whole op table, one row per signature */
    const char *signature; /* survives a recompile: category|opcode|shapes|source op path */
    const char *name;      /* an example: the exact event name seen first */
    const char *category;  /* hlo_category, else compute/communication/stall/copy */
    const char *opcode;    /* "fusion", "all-reduce-start", kernel family; NULL when unknown */
    const char *program;   /* module name; NULL when unknown */
    const char *phase;     /* forward, backward, recompute, optimizer, other, unattributed */
    const char *shape_signature, *source_file, *op_path;
    bool asynchronous;    /* on asynchronous lines alone: beside others, never of busy time */
    int64_t count;        /* events, all devices */
    int64_t device_count; /* devices it ran on */
    int64_t total_ps, self_ps;
    int64_t max_device_self_ps; /* of the device that spent most on it */
    uint32_t max_device;
    int64_t steady_count;   /* events inside steady steps */
    int64_t steady_self_ps; /* theirs; / step_table.steady_spans = per step and device */
    int64_t short_count, short_self_ps; /* the same of ops that last < 5 µs each, on average */
    int64_t short_steady_count, short_steady_self_ps; /* in no document */
    struct opt_f64 flops, bytes_accessed; /* totals over events, when the file holds them */
    bool has_device_class;                /* of program_ops: what the kernels do, "compute" … */
    const char *device_class;
};

#endif
