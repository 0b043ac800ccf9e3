/* The next events of a line that lies in a file, as its reader hands them over. */
#ifndef INGEST_LINES_EVENT_DECODE_H
#define INGEST_LINES_EVENT_DECODE_H

#include "ingest/lines/line_reader.h"

/* Fills the reader's batch with up to BATCH_EVENTS that count, from where its cursor is; none at
 * the end of the line. ERR_INPUT names the byte. */
bool events_decode(struct line_reader *reader, struct err *err);

#endif
