/* What is amiss among the hosts of a profile, for summary.coverage: hosts without events or without
 * ops, files that are copies of each other, hosts of one name, files that were not read.
 */
#ifndef INGEST_HOST_NOTES_H
#define INGEST_HOST_NOTES_H

#include "ingest/notes.h"
#include "ingest/profile.h"

/* summary.devices and summary.sources must be complete. Beyond the budget notes->failed is set. */
void host_notes_add(struct notes *notes, const struct profile *profile,
                    const struct summary *summary);

#endif
