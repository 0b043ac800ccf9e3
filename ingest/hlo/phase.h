/* The phase of training that an op belongs to, by its JAX name stack (ingest/README.md). */
#ifndef INGEST_HLO_PHASE_H
#define INGEST_HLO_PHASE_H

#include "ops/runtime/arena.h"

/* "forward", "backward", "recompute", "optimizer", "other" (a path without a mark) or
 * "unattributed" (no path). path may be NULL; name is the instruction's. Static result. */
const char *phase_of(const char *path, const char *name);

/* The path without what differs between versions and runs: `jit(…)` parts, transform wrappers, the
 * parameters of the last primitive, `:Type`. "" for NULL. */
char *phase_path_canonical(const char *path, struct arena *arena);

#endif
