/* The levels of a course, as they are drawn. Stays in its room. */
#ifndef OPS_FLOW_TRENDS_COURSE_LEVELS_H
#define OPS_FLOW_TRENDS_COURSE_LEVELS_H

#include "history/reading/reading.h"
#include "schema/documents/course.h"

/* The runs of a course: those that tell a value. */
struct course_runs {
    const struct trend_point **points;
    const double *values; /* [count] */
    size_t count;
};

/* Fills course->levels by its changes that count and its sure drifts: from change to change, within
 * which a drift of its own stands between levels; where all levels share one, its line goes up and
 * down with their changes. A level without a change is the median of its runs. */
void course_levels_fill(struct course *course, const struct course_runs *runs, struct arena *arena);

#endif
