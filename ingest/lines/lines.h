/* The events of lines: off the wire or out of a store, in order, read ahead.
 */
#ifndef INGEST_LINES_LINES_H
#define INGEST_LINES_LINES_H

#include "ingest/lines/line_reader.h"

#endif
