#include "ingest/hlo_proto/hlo_message.h"

bool message_read(struct cursor *cursor, void *reader, message_field_fn *field, void *into,
                  struct err *err)
{
    uint64_t length;
    if (!cursor_length(cursor, &length, err))
        return false;
    const int64_t outer = cursor_enter(cursor, length);
    while (!cursor_at_end(cursor)) {
        uint32_t tag;
        if (!cursor_tag(cursor, &tag, err) || !field(reader, tag, into, err))
            return false;
    }
    cursor_leave(cursor, outer);
    return true;
}
