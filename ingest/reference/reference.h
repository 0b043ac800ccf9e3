/* Filling the members of a summary from what streaming left; one function per member or group.
 *
 * All results lie in the profile's arena. Where a rule of profile_summary.v1 names its order of
 * work, the later functions read what the earlier ones have filled.
 */
#ifndef INGEST_REFERENCE_REFERENCE_H
#define INGEST_REFERENCE_REFERENCE_H

#include "ingest/timeline/timeline.h"

/* trace_overview and trace_provenance but for the hash (§3, §14). */
void provenance_build(struct profile *profile, struct summary *summary);

/* step_time with its classes (§7). */
void step_time_build(struct profile *profile, struct summary *summary);

/* time_breakdown from totals by category (§6), or from the global sweep. Errors of its spills. */
bool breakdown_build(struct profile *profile, const double totals[PART_COUNT],
                     struct summary *summary, struct err *err);

/* hot_ops (§8) and communication_ops (§10). */
void hot_ops_build(struct profile *profile, struct summary *summary);

/* semantic_families (§9), from hot_ops, whose limit that is, and time_breakdown. */
void families_build(int64_t limit, struct arena *arena, struct summary *summary);

/* gap_before_ops (§11). */
void gap_table_build(struct profile *profile, struct summary *summary);

/* gap_region_contexts (§13). */
void gap_contexts_build(struct profile *profile, struct summary *summary);

/* hierarchical_regions (§12). */
void region_table_build(struct profile *profile, struct summary *summary);

/* optimization_candidates (§14), from all of the above. */
void candidates_build(struct arena *arena, struct summary *summary);

/* The orders in which the rows of these tables stand, for qsort. */
int hot_op_order(const void *a, const void *b);
int communication_op_order(const void *a, const void *b);
int semantic_family_order(const void *a, const void *b);
int gap_before_op_order(const void *a, const void *b);
int gap_context_order(const void *a, const void *b);
int region_order(const void *a, const void *b);

/* Rows that a Python slice [:limit] keeps of count. */
size_t slice_count(size_t count, int64_t limit);

/* Rows kept of a table that is at least `least` long: max(hot_op_limit, least). */
size_t slice_count_least(size_t count, int64_t limit, int64_t least);

/* The least rows that tables keep whatever the limit. */
enum { FAMILIES_LEAST = 50, GAPS_LEAST = 500, CONTEXTS_LEAST = 500, REGIONS_LEAST = 500 };

#endif
