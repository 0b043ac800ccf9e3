/* The runs behind a verdict. */
#ifndef OPS_FLOW_TRENDS_JUDGED_H
#define OPS_FLOW_TRENDS_JUDGED_H

#include "history/db.h"
#include "schema/documents/verdict.h"
#include "schema/documents/verdict_course.h"

/* The step time of the runs that a recorded verdict names and of those around them on the
 * baseline's branch, as the ledger stood then: the same whenever it is asked. Without two of them
 * `why` says what is missing; texts of the verdict are kept by pointer. Errors of trends_read. */
bool trends_judged(struct db *db, int64_t verdict_id, const struct verdict *verdict,
                   struct arena *arena, struct verdict_course *ret_course, struct err *err);

#endif
