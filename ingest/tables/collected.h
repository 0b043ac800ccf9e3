/* Facts that were collected beside the job, laid beside those that the profile says itself. */
#ifndef INGEST_TABLES_COLLECTED_H
#define INGEST_TABLES_COLLECTED_H

#include "ingest/ingest.h"

/* Adds the collected facts of the options to the summary. What the profile (or --meta) says stays
 * as it is; a collected fact that disagrees, with it or with another collected one, becomes a
 * warning of coverage that names both. Facts of run_metadata fill that, too. ERR_LIMIT. */
bool collected_apply(const struct ingest_options *options, struct arena *arena,
                     struct summary *summary, struct err *err);

#endif
