/* Streaming all lines of a profile: which line when, on which thread, and what is added to what.
 */
#ifndef INGEST_TIMELINE_STREAM_H
#define INGEST_TIMELINE_STREAM_H

#include "ingest/timeline/profile.h"

/* Streams the lines that are only added up. */
bool stream_sums(struct profile *profile, struct err *err);

/* Streams the device-op lines; the windows of steps are known. Fills running and used. totals are
 * the exclusive times by category of all lines but steps (profile_summary.v1 §5). */
bool stream_ops(struct profile *profile, double totals[PART_COUNT], struct err *err);

/* Learns the clocks of all devices whose events tell the device's time, before anything is
 * streamed: our figures are then by those. */
bool stream_clocks(struct profile *profile, struct err *err);

/* true when the profile checked the clocks and those of a device differ: what was streamed is
 * worthless, and has to be again with stream_clocks. */
bool stream_clocks_differ(const struct profile *profile);

/* true when a line that the index stepped over turned out to have another name or time than it
 * seemed: what was streamed is worthless, and the profile must be opened without stepping over. */
bool stream_is_late(const struct profile *profile);

#endif
