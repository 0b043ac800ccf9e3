/* Which levels the past had, and whether it drifts: what trends tell of the same runs
 * (changes/course.h), and the model of runs with what the gate knows of them beside (hosts, steps,
 * baselines). A change that a trend of the same runs confirms is one here too; one that is only
 * likely by the model parts the runs as well, and is told as possible.
 *
 * The candidate is compared with the level or drift that its newest run stands in: the runs between
 * the edges next to it (changes/edges.h), which are those before it alone unless it was captured
 * before runs of the branch. Internal to compare/.
 */
#ifndef COMPARE_RUNS_PAST_LEVELS_H
#define COMPARE_RUNS_PAST_LEVELS_H

#include "compare/changes/changes.h"
#include "compare/judgement/judgement.h"

/* The course that a trend tells of all past runs, before any is set aside. Places are the numbers
 * of placed runs, an end behind all of them SIZE_MAX. */
struct past_levels {
    bool is_known; /* they are of one baseline */
    struct course_findings found;
    struct course_edges edges; /* what of it is sure and matters */
};

/* Of the timeline as it was built. */
void past_levels_tell(struct gate_state *judgement, struct past_levels *ret_levels);

/* Behind the outliers: sets runs of other levels than the candidate's aside, by name, and fills the
 * verdict's drift and changes of level. What a trend confirms is a level here too; what is only
 * likely by the model is one where a trend tells of it. */
void past_levels_find(struct gate_state *judgement, const struct past_levels *levels);

/* Adds the reasons that say so. */
void past_levels_reasons(struct gate_state *judgement);

#endif
