/* Fields of a line and of an event on the wire (README.md, "XPlane"); those of an event as tags,
 * which are a byte each.
 */
#ifndef INGEST_XPLANE_FIELDS_H
#define INGEST_XPLANE_FIELDS_H

#include "ingest/wire/wire.h"

enum {
    XLINE_ID = 1,
    XLINE_NAME = 2,
    XLINE_TIMESTAMP = 3,
    XLINE_EVENTS = 4,
    XLINE_DISPLAY_NAME = 11
};
enum {
    EVENT_METADATA_ID = WIRE_TAG(1, WIRE_VARINT),
    EVENT_OFFSET = WIRE_TAG(2, WIRE_VARINT),
    EVENT_DURATION = WIRE_TAG(3, WIRE_VARINT),
    EVENT_STATS = WIRE_TAG(4, WIRE_BYTES),
    EVENT_OCCURRENCES = WIRE_TAG(5, WIRE_VARINT),
};

#endif
