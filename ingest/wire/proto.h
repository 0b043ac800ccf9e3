/* Heads and metadata: messages of schema/xplane.proto, unpacked by protobuf-c in an arena.
 *
 * protobuf-c is unsafe on hostile bytes and checks no UTF-8, so no byte of a file reaches it
 * directly. proto_field_copy walks the wire format of one field by its descriptor, checks it and
 * writes a clean copy; proto_unpack gives the copy to protobuf-c. On the way unknown fields and
 * groups are dropped, and so are `bytes` values too large to be of use (whole HLO programs); a
 * string that is too long (limits.h) is cut, and counted by the cursor.
 */
#ifndef INGEST_WIRE_PROTO_H
#define INGEST_WIRE_PROTO_H

#include "ingest/wire/cursor.h"
#include "ops/runtime/arena.h"
#include "ops/runtime/text.h"

#include <protobuf-c/protobuf-c.h>

/* Copies the field of `descriptor` whose tag was just read to out, or skips it. ERR_INPUT names the
 * byte of what is malformed: a string that is not UTF-8, a length that does not fit. */
bool proto_field_copy(struct cursor *cursor, uint32_t tag,
                      const ProtobufCMessageDescriptor *descriptor, struct text *out,
                      struct err *err);

/* Copies all fields up to the cursor's limit. */
bool proto_message_copy(struct cursor *cursor, const ProtobufCMessageDescriptor *descriptor,
                        struct text *out, struct err *err);

/* Unpacks a clean copy; the result and all it points to live in the arena. NULL with ERR_LIMIT
 * beyond the budget. */
void *proto_unpack(const ProtobufCMessageDescriptor *descriptor, const struct text *copy,
                   struct arena *arena, struct err *err);

#endif
