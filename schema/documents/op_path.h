/* Source paths of ops, as JAX writes them and as people read them. */
#ifndef SCHEMA_DOCUMENTS_OP_PATH_H
#define SCHEMA_DOCUMENTS_OP_PATH_H

#include "ops/runtime/arena.h"

/* The parts of an op's source path that a person wrote:
 * "jit(step)/jvp(Net)/layers/while/body/attention/dot_general:" ->
 * "Net/layers/attention/dot_general". Programs, parts that control flow adds and the marks of
 * transformations are left out. */
char *op_path_written(struct arena *arena, const char *path);

#endif
