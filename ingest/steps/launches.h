/* Which step a GPU kernel belongs to: the one whose annotation its launch lies in.
 *
 * With asynchronous dispatch the host runs ahead of the device, so the time of a kernel says little
 * about its step; the correlation id that it shares with its launch does. Ids ascend along a
 * thread, so launches are kept as runs of ids per step, not one by one. Where runs of different
 * steps hold the same ids (threads take them in turns, or they do not ascend) lines are read again
 * for the launches of those ids, each of which is of the step that its own launch lies in.
 *
 * What was launched behind an annotation is of its step as far as steps of this profile usually
 * launch there (threads that launch may lag behind the one that annotates): up to twice the middle
 * of how far behind their annotations they do. All other launches, an evaluation behind the last
 * annotation or between two, are of no step.
 */
#ifndef INGEST_STEPS_LAUNCHES_H
#define INGEST_STEPS_LAUNCHES_H

#include "ingest/timeline/timeline.h"

/* Reads the launches of a file's host lines again, now that its steps are known, and gives them to
 * the windows of its device planes. Nothing happens when no line launches anything. */
bool launches_find(struct profile *profile, const struct xspace *space, struct err *err);

#endif
