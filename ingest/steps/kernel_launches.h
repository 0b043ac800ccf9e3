/* Steps of a GPU where nobody marked any: launches of the main program.
 *
 * Kernels say which program they belong to (hlo_module, program_id), not which launch. Ops that run
 * once a launch do: they are told by how often the program's ops run, and where one comes again a
 * launch begins (launch_walk.h). What was launched between two beginnings, by the correlation ids
 * that kernels share with their launches, belongs to the first. Kernels without an id go by their
 * start. The lines of ops are read twice for this, and once more where the capture began or ended
 * amid a launch, before they are read for their sums.
 */
#ifndef INGEST_STEPS_KERNEL_LAUNCHES_H
#define INGEST_STEPS_KERNEL_LAUNCHES_H

#include "ingest/timeline/timeline.h"

/* Gives the windows of the launches to all device planes; none where no op names its program.
 * ERR_INPUT, ERR_LIMIT. */
bool kernel_launches_find(struct profile *profile, struct err *err);

#endif
