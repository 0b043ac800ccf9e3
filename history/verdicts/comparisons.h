/* What a verdict compared, as rows beside its document, for the files of history/ only. */
#ifndef HISTORY_VERDICTS_COMPARISONS_H
#define HISTORY_VERDICTS_COMPARISONS_H

#include "history/db.h"
#include "schema/verdict.h"

/* In the caller's transaction: row 0 is the step time with the statistics on which the verdict
 * rests, then one row per measure. */
bool comparisons_append(struct db *db, int64_t verdict_id, const struct verdict *verdict,
                        struct err *err);

#endif
