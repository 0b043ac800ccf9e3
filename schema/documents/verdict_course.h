/* The step time over the runs that lie behind a verdict, as the ledger told it when the verdict was
 * recorded. The verdict itself holds no values of single runs: who makes a page of it reads them.
 */
#ifndef SCHEMA_DOCUMENTS_VERDICT_COURSE_H
#define SCHEMA_DOCUMENTS_VERDICT_COURSE_H

#include "schema/documents/trend.h"

struct verdict_course {
    const char *why;     /* there is nothing to draw: why, a sentence without its full stop; NULL */
    struct trend branch; /* runs of the baseline's branch and of the candidate's series, and what
                            moved in them */
    struct trend_point *others; /* runs that the verdict names and that are not on that branch,
                                   oldest first */
    size_t other_count;
};

#endif
