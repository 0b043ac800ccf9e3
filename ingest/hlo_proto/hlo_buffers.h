/* What a compiled program needs of a device's memory, by its buffer assignment: the same for every
 * run of it, on whichever machine.
 *
 * Source of the numbers of fields: BufferAssignmentProto of xla/service/hlo.proto of OpenXLA; how
 * the peak is found: ingest/README.md, "Memory of programs".
 */
#ifndef INGEST_HLO_PROTO_HLO_BUFFERS_H
#define INGEST_HLO_PROTO_HLO_BUFFERS_H

#include "ingest/hlo_proto/hlo_module.h"

/* Memory that is held at the peak. */
struct hlo_held {
    const char *kind;    /* parameter, constant, output, temporary */
    int64_t instruction; /* id of the one that makes its content; -1: not told */
    const char *name;    /* of that instruction where the assignment itself says it; NULL */
    int64_t bytes;
};

struct hlo_memory {
    bool known;          /* false: the program has no assignment, and the rest is empty */
    uint64_t program_id; /* that was asked for, with its name */
    const char *program;
    int64_t peak_bytes;      /* held at most at any moment */
    int64_t allocated_bytes; /* that the program takes for that, with what lies between buffers */
    struct hlo_held *held;   /* at the peak, largest first */
    size_t held_count;
};

/* Reads the assignment of the HloProto that lies at [begin, end) of the cursor's file. ERR_INPUT
 * names the byte of what is malformed, ERR_LIMIT beyond the budget. */
bool hlo_buffers_read(struct cursor *cursor, int64_t begin, int64_t end, struct arena *arena,
                      struct hlo_memory *ret_memory, struct err *err);

#endif
