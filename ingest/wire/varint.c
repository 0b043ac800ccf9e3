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

const uint8_t *wire_field_read(const uint8_t *p, const uint8_t *end, struct wire_field *ret_field)
{
    uint32_t tag;
    const uint8_t *at = tag_read(p, end, &tag);
    if (at == NULL)
        return NULL;
    *ret_field = (struct wire_field){.number = tag_field(tag), .type = tag_type(tag)};
    const size_t fixed = ret_field->type == WIRE_FIXED64 ? 8 : 4;
    switch (ret_field->type) {
    case WIRE_VARINT:
        return varint_read(at, end, &ret_field->value);
    case WIRE_FIXED64:
    case WIRE_FIXED32:
        if ((size_t)(end - at) < fixed)
            return NULL;
        memcpy(&ret_field->value, at, fixed);
        return at + fixed;
    case WIRE_BYTES:
        at = varint_read(at, end, &ret_field->value);
        if (at == NULL || ret_field->value > (uint64_t)(end - at))
            return NULL;
        ret_field->bytes = at;
        ret_field->end = at + ret_field->value;
        return ret_field->end;
    default:
        ret_field->number = 0;
        return wire_skip(at, end, tag);
    }
}
