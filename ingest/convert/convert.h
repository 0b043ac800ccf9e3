/* Profiles as traces in Chrome's JSON, for people to look at in Perfetto.
 *
 * All that was read of a profile, of whatever format: planes become processes, lines threads,
 * events `X` items with times in µs to the picosecond, and what was told of an op its arguments.
 * Steps get a process by their device. Written as it is read: only what ops are called is held.
 */
#ifndef INGEST_CONVERT_CONVERT_H
#define INGEST_CONVERT_CONVERT_H

#include "ingest/convert/cut.h"
#include "ingest/convert/op_item.h"

#include "ops/runtime/text.h"

/* Writes a profile that was summed up, one gzip member, to where it was asked for. *ret_report
 * counts what was written and what was not. ERR_INPUT: no event is left; ERR_FULL, ERR_IO, and what
 * reading says. */
bool convert_write(struct profile *profile, const struct cut *cut,
                   const struct convert_request *request, struct convert_report *ret_report,
                   struct err *err);

#endif
