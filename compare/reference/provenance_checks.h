/* The reference's provenance checks of two summaries (profile_summary.v1 §18): is this one capture
 * twice? Whether two captures can be compared at all is the gate's question (provenance.h).
 */
#ifndef COMPARE_REFERENCE_PROVENANCE_CHECKS_H
#define COMPARE_REFERENCE_PROVENANCE_CHECKS_H

#include "ops/runtime/arena.h"
#include "schema/documents/comparison.h"
#include "schema/documents/summary.h"

/* Makes the checks, messages in the reference's order. */
struct provenance_checks provenance_checks_make(const struct summary *before,
                                                const struct summary *after, struct arena *arena);

#endif
