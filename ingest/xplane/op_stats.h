/* Stats of a metadata entry that stay: for its events to override, and for who asks for all that
 * the source says of an op. A profile has them for each of its ops and seldom looks at them again,
 * so they lie packed.
 */
#ifndef INGEST_XPLANE_OP_STATS_H
#define INGEST_XPLANE_OP_STATS_H

#include "ingest/xplane/catalog.h"
#include "ingest/xplane/stat.h"

struct op_stats;

/* Packs the values that are set into the catalog's arena; texts are the catalog's. NULL: none is
 * set. Called with the catalog locked or while one thread runs. Long names are whole instructions:
 * without long_name_too they are empty, and what follows from them is in the op's detail. */
const struct op_stats *op_stats_keep(struct catalog *catalog,
                                     const struct stat_value values[STAT_KIND_COUNT],
                                     bool long_name_too);

/* Fills all values, those that were not kept as unset; stats may be NULL. Needs no lock. */
void op_stats_read(const struct op_stats *stats, struct stat_value ret_values[STAT_KIND_COUNT]);

#endif
