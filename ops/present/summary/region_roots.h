/* Shares of hierarchical regions: of the root that a region's path starts with. */
#ifndef OPS_PRESENT_SUMMARY_REGION_ROOTS_H
#define OPS_PRESENT_SUMMARY_REGION_ROOTS_H

#include "ops/runtime/arena.h"
#include "schema/documents/summary.h"

#include <stdbool.h>
#include <stddef.h>

/* The regions of depth 1. */
struct region_roots {
    const struct hierarchical_region **items; /* by path */
    size_t count;
    double largest; /* inclusive duration; 0 without roots */
};

/* Finds the roots of a summary. */
struct region_roots region_roots_make(const struct summary *summary, struct arena *arena);

/* Share of a duration of the region in the inclusive duration of its root, or, when that was not
 * kept, of the largest root; 0 when that is not above 0. */
double region_share(const struct region_roots *roots, const struct hierarchical_region *region,
                    double duration);

#endif
