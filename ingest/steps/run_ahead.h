/* Whether annotations of a host bound what its devices do.
 *
 * A loop that does not wait for its device has begun, and ended, annotations of later steps while
 * the device is at work of an earlier one: cut where annotations begin, that work would be of steps
 * of any length, and most of it of none. The launch of a kernel tells its step all the same
 * (launches.h). Where no launch is known annotations tell nothing, if
 * - the device is at work when half of them begin, the first apart: in the midst of an op, or with
 *   the next one so close behind that it was launched before; or
 * - it is so when the last one ends, and does more behind it than within annotations.
 * Copies tell nothing: they run ahead of steps that wait.
 *
 * The same holds where launches of too many ops are not known: one between the last known op of a
 * step and the first of another may be of either. What begins a step and is given to the one before
 * makes one too long and the other too short; a median bears that of few of many steps.
 */
#ifndef INGEST_STEPS_RUN_AHEAD_H
#define INGEST_STEPS_RUN_AHEAD_H

#include "ingest/timeline/timeline.h"

/* Reads the ops of all devices; where launches are known the first ones of each line. ERR_INPUT,
 * ERR_LIMIT. */
bool run_ahead_find(struct profile *profile, bool *ret_ahead, struct err *err);

#endif
