/* Where a step's time went besides ops: phases, categories, collectives, gaps, regions, hosts,
 * devices, each side beside the other. Explanation only: nothing here changes a verdict. Internal
 * to compare/. */
#ifndef COMPARE_GATE_GROUPS_H
#define COMPARE_GATE_GROUPS_H

#include "compare/judgement/judgement.h"

/* Fills the verdict's groups: kind after kind, in each the largest change first, at most op_limit
 * of a kind; what did not change is left out. Means over the runs of a side; a group that a run
 * does not have counts as 0 there. */
void groups_compare(struct gate_state *judgement);

#endif
