/* Gap contexts summed by region. */
#ifndef OPS_PRESENT_REPORT_GAP_REGIONS_H
#define OPS_PRESENT_REPORT_GAP_REGIONS_H

#include "ops/runtime/arena.h"
#include "schema/documents/summary.h"

enum { GAP_REGION_OPS_SHOWN = 3 };

struct gap_region_op {
    const char *name;
    int64_t count;
    size_t order; /* of its first context */
};

struct gap_region {
    const char *path;
    int64_t count;
    double total;
    struct gap_region_op *ops; /* count descending, then in the order of their first context */
    size_t op_count;
};

/* All regions, total descending, then path by code point. */
void gap_regions_make(const struct summary *summary, struct arena *arena,
                      struct gap_region **ret_regions, size_t *ret_count);

#endif
