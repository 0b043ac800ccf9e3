/* A step that does more work looks like a slower one, and one that does less like a faster one.
 *
 * Where ops tell shapes or operations, provenance compares these (op_work.h). Kernels of a GPU tell
 * neither: there the batch and the sequence that were given beside the profile say it, and where
 * they do not, a verdict that the step changed says that it may be other work. Internal to
 * compare/.
 */
#ifndef COMPARE_PROVENANCE_UNSEEN_WORK_H
#define COMPARE_PROVENANCE_UNSEEN_WORK_H

#include "compare/judgement/judgement.h"

/* Adds the reason work_unknown behind a step that became slower or faster, where it applies. */
void unseen_work_reason(struct gate_state *judgement);

#endif
