/* Steps that a median does not show: a stall or a compilation in some of them. Internal to
 * compare/. */
#ifndef COMPARE_SLOW_STEPS_H
#define COMPARE_SLOW_STEPS_H

#include "compare/judgement.h"

/* Adds the reason `steps_slow` when some of the candidate's steps are so slow that its mean time
 * from step to step grew by more than matters, and by as much more than the median did. It changes
 * no verdict. */
void slow_steps_reason(struct judgement *judgement);

#endif
