/* A merge in the making: what its parts share. */
#ifndef INGEST_MERGE_MERGING_H
#define INGEST_MERGE_MERGING_H

#include "ingest/merge/merge.h"
#include "ingest/source/source.h"

struct merging {
    const struct summary **hosts; /* by process, then host, then hash */
    size_t count;
    const char **names;      /* unique */
    uint32_t *first_devices; /* of each host in the merged table; [count] is their number */
    struct arena *arena;
    struct summary *summary;
    struct notes notes; /* for coverage */
};

static inline const struct capture_host *host_of(const struct summary *summary)
{
    return &summary->capture.hosts[0];
}

static inline void ps_sum(int64_t *sum, int64_t value)
{
    if (__builtin_add_overflow(*sum, value, sum))
        *sum = INT64_MAX;
}

/* From a host's base to the smallest one in ps; false, and 0, when bases are too far apart to be
 * counted. */
bool merging_shift(const struct merging *merging, size_t host, int64_t *ret_ps);

/* summary.environment; needs steps, devices and the names of hosts. */
void merge_environment(struct merging *merging);

/* summary.coverage, with the notes of all others. Last. */
void merge_coverage(struct merging *merging);

/* summary.ops, program_ops and copies. */
void merge_ops(const struct merging *merging);

/* The members of profile_summary.v1; needs steps. */
void merge_reference(const struct merging *merging);

#endif
