/* What the figures of a step (schema/documents/figures.h) need beyond the sums that a summary is
 * made of, taken while a profile is open.
 */
#ifndef INGEST_MEASURED_H
#define INGEST_MEASURED_H

#include "ingest/timeline/timeline.h"

/* Whether the profile holds programs, which know what its kernels do where these say what launched
 * them; asked before lines are streamed. */
bool measured_needs_launches(const struct profile *profile);

/* Fills summary->measured, and how long each step waited for input. Reads events again only where
 * their names say that they tell it and the profile is not large. ERR_INPUT, ERR_LIMIT, ERR_FULL.
 */
bool measured_build(struct profile *profile, struct summary *summary, struct err *err);

#endif
