/* Steps of a GPU where nobody marked any: launches of the program that takes most time.
 *
 * Kernels say which program they belong to (hlo_module, program_id), not which launch. An op that
 * runs once a launch does: it is looked for by how often the program's ops run, and each time it
 * comes a launch begins. What was launched between two of them, by the correlation ids that
 * kernels share with their launches, belongs to the first. Kernels without an id go by their start.
 * The lines of ops are read twice for this, before they are read for their sums.
 */
#ifndef INGEST_STEPS_KERNEL_LAUNCHES_H
#define INGEST_STEPS_KERNEL_LAUNCHES_H

#include "ingest/timeline/timeline.h"

/* Gives the windows of the launches to all device planes; none where no op names its program.
 * ERR_INPUT, ERR_LIMIT. */
bool kernel_launches_find(struct profile *profile, struct err *err);

#endif
