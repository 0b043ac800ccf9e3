/* The next events of a line that lies in a file, as its reader hands them over. */
#ifndef INGEST_LINES_EVENT_DECODE_H
#define INGEST_LINES_EVENT_DECODE_H

#include "ingest/lines/line_reader.h"

/* Fills up the batch in the reader's room with events that count, from where its cursor is; at the
 * end of the line the batch stays as it is. ERR_INPUT names the byte. */
bool events_decode(struct line_reader *reader, struct err *err);

#endif
