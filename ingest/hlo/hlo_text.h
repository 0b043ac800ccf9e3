/* The text of an HLO instruction, `%fusion.12 = bf16[8,1024]{1,0} fusion(bf16[8,1024] %p0),
 * kind=…`: opcode and shapes, without numbers and layouts, of which only what an array in the
 * host's memory is told by is read.
 *
 * What survives a recompile of the same program: the parts of a stable op signature.
 */
#ifndef INGEST_HLO_HLO_TEXT_H
#define INGEST_HLO_HLO_TEXT_H

#include "ops/runtime/arena.h"

#include <stdbool.h>
#include <stddef.h>

/* Between which memories an instruction moves an array. */
enum hlo_way { HLO_ON_DEVICE, HLO_TO_HOST, HLO_FROM_HOST };

struct hlo_text {
    const char *opcode; /* "fusion"; of `async-done` of a collective "reduce-scatter-done" */
    const char *shapes; /* "bf16[8,1024](bf16[8,1024],f32[])": result, operands */
    enum hlo_way way;   /* of `copy` and its halves; else on the device */
};

/* ret_text->opcode is NULL when the text is no instruction. */
void hlo_text_parse(const char *text, size_t length, struct arena *arena,
                    struct hlo_text *ret_text);

/* Whether an opcode is a half of whatever computation it calls: `async-start`, `async-done`. */
bool opcode_is_async(const char *opcode);

/* The kind of collective that an instruction or computation is named after (`%all-to-all-done.3`,
 * `wrapped_all_to_all`); NULL: none. */
const char *collective_of_name(const char *name, size_t length);

/* "all-to-all-done" of "async-done". */
char *collective_half(const char *collective, const char *async_opcode, struct arena *arena);

/* The opcode or kernel family that a bare name stands for: leading `%` and the instruction number
 * `.12` (also `.12.remat2`, `.clone`) removed, and the same as kernels write it: `fusion_123`,
 * `gemm_fusion_dot_12_0` and `loop_add_fusion_7__1` become `fusion`, `gemm_fusion_dot` and
 * `loop_add_fusion`. */
char *hlo_name_family(const char *name, struct arena *arena);

#endif
