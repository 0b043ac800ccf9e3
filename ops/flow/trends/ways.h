/* What the changes of a course make of each other: which of them took another back, wholly or in
 * part. Levels alone may say so; of changes whose ops are told an op that moved with both has to
 * say it too, as another op that gains as much leaves a loss where it is. Trends and reports both
 * ask here. */
#ifndef OPS_FLOW_TRENDS_WAYS_H
#define OPS_FLOW_TRENDS_WAYS_H

#include "ops/flow/trends/explaining.h"

struct change_ways {
    struct db *db;
    const struct comparable *runs;
    const struct course *course;
    struct arena *scratch, *arena;    /* of the work, of what is kept */
    struct report_change **explained; /* [course->change_count]; NULL: not asked yet */
};

/* false: beyond the budget of scratch. */
bool ways_init(struct change_ways *ways);

/* Measure, levels and what the change is made of, asked once; of one that is only suspected nothing
 * is told. NULL: err, which is one of trends_explain. */
const struct report_change *ways_explained(const struct change_ways *ways,
                                           const struct course_change *change, struct err *err);

/* The change with what is so of the ways back that levels say: takes_back, went_away, and rest,
 * undone and undone_by beside them. Errors of trends_explain. */
bool ways_settle(const struct change_ways *ways, const struct course_change *change,
                 struct course_change *ret_change, struct err *err);

/* The same of all changes of the course, in place. */
bool ways_settle_all(const struct change_ways *ways, struct course *course, struct err *err);

#endif
