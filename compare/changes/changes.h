/* Where a series changed its level, and whether that can be said for sure.
 *
 * Two tiers. `confirmed`: a change of level that stands out of noise as correlated as this series'
 * own is (level_noise.h) and that holds for level_min_count values: penalty 4.5 ln n times the
 * long-run variance; in fewer than a hundred values, which hardly tell how correlated they are, it
 * must be out of reach of noise as correlated as theirs may be (pieces.h). `suspected`: what would
 * stand out if values knew nothing of their neighbours (3 ln n times the variance, at least 5
 * values): to be shown, never to be told. These lengths say whether there is a change; where it
 * lies and how large it is says the best split without them (placing.h). A drift that all levels
 * share is taken out first and named by itself. Deterministic: the same values give the same
 * answer.
 */
#ifndef COMPARE_CHANGES_CHANGES_H
#define COMPARE_CHANGES_CHANGES_H

#include "compare/changes/apart.h"
#include "compare/changes/course.h"
#include "compare/changes/edges.h"
#include "compare/changes/stretch.h"
#include "ops/runtime/arena.h"
#include "schema/documents/change_points.h"

enum { CHANGES_VALUES_MIN = 6 }; /* below it two levels cannot be told from noise */

/* Of values[count], finite. Sets all of *ret_report but source, missing_count and the names of
 * places; fewer than CHANGES_VALUES_MIN values have no change. ERR_LIMIT. */
bool changes_find(const double *values, size_t count, struct arena *arena,
                  struct change_report *ret_report, struct err *err);

#endif
