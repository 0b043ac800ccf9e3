/* How unevenly devices take for the same op: what an average over them hides.
 */
#ifndef INGEST_OP_TABLES_OP_SKEW_H
#define INGEST_OP_TABLES_OP_SKEW_H

#include "ingest/op_tables/op_list.h"

/* Of each item how much longer a run of it takes on the device that is longest in it than on the
 * one that is shortest, µs on average, in the arena; absent where one device alone ran it. */
const struct opt_f64 *op_skews(const struct op_list *ops, struct arena *arena);

#endif
