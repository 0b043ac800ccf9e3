/* A message of a program, field by field: each kind has a function that takes the fields that it
 * knows and steps over all others.
 */
#ifndef INGEST_HLO_PROTO_HLO_MESSAGE_H
#define INGEST_HLO_PROTO_HLO_MESSAGE_H

#include "ingest/wire/wire.h"

/* One field, whose tag was read; reader: whoever reads the program, into: what the message is of.
 */
typedef bool message_field_fn(void *reader, uint32_t tag, void *into, struct err *err);

/* The message that begins with its length at the cursor. ERR_INPUT where it is malformed, and
 * errors of the function. */
bool message_read(struct cursor *cursor, void *reader, message_field_fn *field, void *into,
                  struct err *err);

#endif
