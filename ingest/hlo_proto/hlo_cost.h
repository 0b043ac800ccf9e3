/* How much work one run of an instruction is: operations and bytes, from shapes and computations
 * alone (ingest/README.md, "What an instruction costs"). Absent where the program does not tell.
 */
#ifndef INGEST_HLO_PROTO_HLO_COST_H
#define INGEST_HLO_PROTO_HLO_COST_H

#include "ingest/hlo_proto/hlo_module.h"
#include "schema/documents/optional.h"

struct hlo_cost {
    struct opt_f64 flops, bytes;
};

/* Of an instruction of the module. */
struct hlo_cost hlo_cost_of(const struct hlo_module *module,
                            const struct hlo_instruction *instruction);

/* What the result takes in a text as hlo_shapes_add makes it, of a tuple its largest array; absent
 * where it is none. */
struct opt_f64 hlo_result_bytes(const char *shapes);

/* The category that xprof gives an instruction: "loop fusion", "data formatting", the opcode. */
const char *hlo_category(const struct hlo_instruction *instruction);

/* "f32[8,16](f32[8,4],f32[4,16])": the result and the operands, as texts of instructions have them.
 */
void hlo_shapes_add(const struct hlo_module *module, const struct hlo_instruction *instruction,
                    struct text *out);

#endif
