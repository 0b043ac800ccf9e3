/* What the name of an NVTX range says: a step and its number, or which program and op of XLA its
 * thread was launching.
 *
 * Steps are ranges named `train 12`, `step 12`, `Iteration 12` and the like, or what the user's
 * expression matches. XLA names ranges `XlaModule:#hlo_module=jit_f,program_id=3#` and
 * `Thunk:#name=jit(f)/jit(main)/mul,hlo_op=fusion.1#`; a module may begin with `prefix=`, which its
 * ops' names then leave out.
 */
#ifndef INGEST_NSIGHT_RANGE_NAMES_H
#define INGEST_NSIGHT_RANGE_NAMES_H

#include "ops/runtime/err.h"
#include "schema/documents/optional.h"

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

enum range_kind { RANGE_OTHER, RANGE_STEP, RANGE_MODULE, RANGE_OP };

/* A part of the name. */
struct range_part {
    const char *start;
    size_t length;
};

struct range_name {
    enum range_kind kind;
    struct range_part name; /* of the event: of a step without its number */
    struct opt_i64 step;
    struct range_part module, op; /* of RANGE_MODULE, of RANGE_OP */
    struct range_part path;       /* of both: what JAX calls it, as far as it is said */
    struct opt_i64 program;
};

/* Reads a name. step_range tells which ranges are steps, by a group that is the number; NULL: the
 * names above do. */
struct range_name range_name_read(const char *text, size_t length, const regex_t *step_range);

/* Compiles an expression, which regfree frees. ERR_USAGE when it is none, or has no group. */
bool step_range_compile(const char *expression, regex_t *ret_expression, struct err *err);

#endif
