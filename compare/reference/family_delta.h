/* Semantic families of two summaries side by side. Internal to compare/. */
#ifndef COMPARE_REFERENCE_FAMILY_DELTA_H
#define COMPARE_REFERENCE_FAMILY_DELTA_H

#include "compare/reference/comparison.h"

/* Fills the comparison's semantic_family_delta. A summary without families gets them rebuilt from
 * its hot ops. */
void family_deltas_make(const struct summary *before, const struct summary *after,
                        struct arena *arena, struct comparison *comparison);

#endif
