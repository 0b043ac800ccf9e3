/* The reference's running totals: per op name, collective and region (profile_summary.v1 §8, §10,
 * §12).
 *
 * Small profiles are added event by event in the reference's own order, so that sums come out bit
 * by bit the same and ties break as they do there. Large ones are added op by op at the end, which
 * differs in the last digits only, and lets planes be read in parallel.
 */
#ifndef INGEST_TIMELINE_RUNNING_TOTALS_H
#define INGEST_TIMELINE_RUNNING_TOTALS_H

#include "ingest/lookup/lookup.h"
#include "ingest/xplane/xplane.h"

struct name_total {
    double total_us, exclusive_us;
};

struct region {
    uint32_t path; /* the parts joined with `=>` */
    int64_t depth; /* of the first path that had this text */
    int64_t count;
    double inclusive_us, exclusive_us;
};

struct running_totals {
    struct catalog *catalog;
    struct arena *arena;
    struct name_total *names; /* by catalog->names */
    size_t name_capacity;
    double collectives[COLLECTIVE_KIND_COUNT];
    struct region *regions;
    size_t region_count, region_capacity;
    struct id_map region_by_path;
    uint32_t **chains; /* by catalog->paths: the regions of its prefixes, outermost first */
    size_t chain_capacity;
};

/* Empty totals in the arena. */
void running_totals_init(struct running_totals *totals, struct catalog *catalog,
                         struct arena *arena);

/* Adds total and exclusive time of an op (of one event, or of all). */
void running_totals_add(struct running_totals *totals, const struct plane_ops *ops, int32_t op,
                        double total_us, double exclusive_us);

/* Adds the number of an op's events to its regions. */
void running_totals_count(struct running_totals *totals, const struct plane_ops *ops, int32_t op,
                          int64_t count);

#endif
