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
    struct arena *arena;
    struct report_change **moved; /* [course->change_count], by which ops; NULL: not asked yet */
};

/* Of a course, nothing was asked of its changes yet. */
void ways_init(struct change_ways *ways);

/* The change with what is so of the ways back that levels say: takes_back, went_away, and rest,
 * undone and undone_by beside them. Errors of trends_explain. */
bool ways_settle(const struct change_ways *ways, const struct course_change *change,
                 struct course_change *ret_change, struct err *err);

/* The same of all changes of the course, in place. */
bool ways_settle_all(const struct change_ways *ways, struct course *course, struct err *err);

#endif
