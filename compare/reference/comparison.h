/* Two summaries side by side, exactly as the reference's `compare` (profile_summary.v1 §18). */
#ifndef COMPARE_REFERENCE_COMPARISON_H
#define COMPARE_REFERENCE_COMPARISON_H

#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"
#include "schema/documents/comparison.h"
#include "schema/documents/summary.h"

/* Compares. top_k cuts the two op lists as a Python slice does: a negative one drops that many rows
 * at the end. The result points into both summaries and the arena. ERR_LIMIT beyond the budget. */
bool comparison_make(const struct summary *before, const struct summary *after, int64_t top_k,
                     struct arena *arena, struct comparison *ret_comparison, struct err *err);

#endif
