/* A compiled program as its HLO proto tells it: the instructions of all computations, with what
 * tables of ops ask for. Literals and what only the compiler needs is stepped over.
 *
 * Sources of the numbers of fields: xla/service/hlo.proto and xla/xla_data.proto of OpenXLA. Read
 * through the file window; what a program takes counts against the arena's budget.
 */
#ifndef INGEST_HLO_PROTO_HLO_MODULE_H
#define INGEST_HLO_PROTO_HLO_MODULE_H

#include "ingest/hlo_proto/hlo_message.h"
#include "ingest/lookup/lookup.h"

#include <stdbool.h>
#include <stdint.h>

/* A type of elements with dimensions, or a tuple of parts. */
struct hlo_shape {
    int64_t element; /* PrimitiveType */
    struct hlo_ids dims;
    struct hlo_shape *parts;
    size_t part_count, part_capacity;
};

struct hlo_instruction {
    const char *name, *opcode;
    const char *op_name, *source_file; /* of the framework; NULL: not told */
    int64_t source_line;
    const char *fusion_kind; /* "kLoop" */
    const char *custom_call; /* the target */
    const char *backend;     /* its configuration, a text in JSON; NULL: none, or it is long */
    int64_t id;
    uint32_t computation; /* its place in the module */
    struct hlo_shape shape;
    struct hlo_ids operands, calls;  /* ids of instructions and of computations */
    struct hlo_ids contracting;      /* of a dot: dimensions of its left side */
    struct hlo_ids window;           /* sizes */
    int64_t kernel_output_feature;   /* of a convolution */
    int64_t group_count, group_size; /* of a collective; 0: not told */
};

struct hlo_computation {
    int64_t id, root;
    size_t first, count; /* its instructions */
};

struct hlo_module {
    struct arena *arena;
    const char *name;
    struct hlo_instruction *instructions;
    size_t count, capacity;
    struct hlo_computation *computations;
    size_t computation_count, computation_capacity;
    struct id_map by_id, computation_by_id;
    uint32_t *by_name; /* instructions, by name and place */
};

/* Reads the HloProto that lies at [begin, end) of the cursor's file. ERR_INPUT names the byte of
 * what is malformed, ERR_LIMIT beyond the budget: nothing of the module counts then. */
bool hlo_module_read(struct cursor *cursor, int64_t begin, int64_t end, struct arena *arena,
                     struct hlo_module *ret_module, struct err *err);

/* The path of an instruction; of a fusion that has none that of what it returns, else of the last
 * instruction within it that has one. NULL: nothing tells it. */
const char *hlo_path_of(const struct hlo_module *module, const struct hlo_instruction *instruction);

/* The instruction of that name or id, the computation of that id; NULL: there is none. */
const struct hlo_instruction *hlo_find(const struct hlo_module *module, const char *name);
const struct hlo_instruction *hlo_of_id(const struct hlo_module *module, int64_t id);
const struct hlo_computation *hlo_computation_of(const struct hlo_module *module, int64_t id);

#endif
