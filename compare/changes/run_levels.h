/* What the model of runs (stretch.h) says of the changes that were found in a series of runs.
 *
 * Changes of level are found in series of any kind, by penalties that grow with the length of the
 * series and levels that are not too short (changes.h). Runs are few, and a gate takes a level for
 * the baseline that began three runs ago. So the newest level is asked for by the gate's own
 * question, and in fewer runs than tell how much they follow each other a change counts only where
 * it is no less likely than not by that model. Of more runs a change counts only where it explains
 * those around it better than noise that wanders does, however closely that follows itself: an
 * alarm for a change that never was is worse than a late one. Stays in its room.
 */
#ifndef COMPARE_CHANGES_RUN_LEVELS_H
#define COMPARE_CHANGES_RUN_LEVELS_H

#include "compare/changes/pieces.h"
#include "ops/runtime/arena.h"
#include "schema/documents/change_points.h"

#include <stdbool.h>
#include <stddef.h>

struct run_levels {
    const double *values, *clipped; /* [count], and without outliers (outliers.h) */
    size_t count;
    struct arena *arena;
    struct change_report *report; /* tells their changes: one is added (without its levels), others
                                     are demoted */
    size_t drifts_from; /* ret: where the newest level begins when it rather drifts, as the gate
                           has it; count: it does not, or is longer than can be asked */
    double *straight;   /* [count], within: clipped values less the line that all levels share */
    const struct piece_sums *sums; /* of these */
};

/* Adds, and demotes. */
void run_levels_settle(struct run_levels *levels);

#endif
