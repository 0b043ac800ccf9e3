/* Skipping of unknown fields: the one place of the in-memory reader that follows lengths blindly,
 * and therefore checks each of them.
 */
#include "ingest/wire/varint.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "fixed values are read in place");

static const uint8_t *scalar_skip(const uint8_t *p, const uint8_t *end, uint32_t tag)
{
    uint64_t value;
    switch (tag_type(tag)) {
    case WIRE_VARINT:
        return varint_read(p, end, &value);
    case WIRE_FIXED64:
        return end - p >= 8 ? p + 8 : NULL;
    case WIRE_FIXED32:
        return end - p >= 4 ? p + 4 : NULL;
    case WIRE_BYTES:
        p = varint_read(p, end, &value);
        return p != NULL && value <= (uint64_t)(end - p) ? p + value : NULL;
    default:
        return NULL;
    }
}

const uint8_t *wire_skip(const uint8_t *p, const uint8_t *end, uint32_t tag)
{
    uint32_t open[GROUP_MAX_DEPTH]; /* field numbers of the groups around p */
    size_t depth = 0;
    for (;;) {
        if (tag_type(tag) == WIRE_GROUP) {
            if (depth == GROUP_MAX_DEPTH)
                return NULL;
            open[depth++] = tag_field(tag);
        } else if (tag_type(tag) == WIRE_GROUP_END) {
            if (depth == 0 || open[--depth] != tag_field(tag))
                return NULL;
        } else {
            p = scalar_skip(p, end, tag);
        }
        if (depth == 0 || p == NULL)
            return p;
        p = tag_read(p, end, &tag);
        if (p == NULL)
            return NULL;
    }
}
