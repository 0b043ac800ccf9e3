/* The rules of what the device could do at most: operations, bytes of HBM; and of its SparseCores,
 * which are what takes the time where neither does. Thresholds are xprof's.
 */
#ifndef INGEST_FINDINGS_ROOF_BOUND_H
#define INGEST_FINDINGS_ROOF_BOUND_H

#include "ingest/findings/findings.h"

/* Fills in the rule that holds (static) and what it says, or leaves finding->rule NULL; none does
 * where the work of the ops or the peaks of the device are not known, or do not fit each other.
 * Texts lie in the arena, or are NULL beyond its budget. Errors as of op_list_collect. */
bool roof_bound_find(struct profile *profile, const struct summary *summary, struct arena *arena,
                     struct finding *finding, struct err *err);

#endif
