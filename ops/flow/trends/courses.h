/* From values of comparable runs to a course. Stays in its room. */
#ifndef OPS_FLOW_TRENDS_COURSES_H
#define OPS_FLOW_TRENDS_COURSES_H

#include "history/reading/reading.h"
#include "ops/flow/trends/comparable.h"

/* The method under which changes that were found stand in the ledger; a number behind it is the
 * version of the rule. */
#define TRENDS_METHOD "course"

/* What a course is of. */
struct course_subject {
    const struct trend *trend; /* workload, branch, measure */
    const struct comparable *runs;
    const double *values;                 /* [runs->count]; NAN = that run does not tell it */
    const struct change_mark_list *marks; /* of the workload */
    const char *op, *op_name;             /* NULL = no op's */
    double outlier_pct; /* runs around it that one differs from by less are not far off; 0: no run
                           is marked */
    double step; /* of an op: the time of all ops, of which its changes must be a part; else 0 */
};

/* Finds and describes; *ret_course points into the subject, whose outliers are marked. ERR_LIMIT.
 */
bool course_make(const struct course_subject *subject, struct arena *arena,
                 struct course *ret_course, struct err *err);

/* Those that moved first, then by how far; of equals the order stays. */
void courses_sort(struct course *courses, size_t count, struct arena *arena);

#endif
