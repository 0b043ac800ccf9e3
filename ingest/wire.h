/* Protobuf wire format in memory: varints and tags between two pointers.
 *
 * Nothing here trusts a length: every function takes the end and answers NULL when the bytes run
 * out or make no sense. A plain byte loop is the fastest varint reader measured
 * (spec/performance.md). Source: the protobuf encoding specification.
 */
#ifndef INGEST_WIRE_H
#define INGEST_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum wire_type {
    WIRE_VARINT = 0,
    WIRE_FIXED64 = 1,
    WIRE_BYTES = 2,
    WIRE_GROUP = 3, /* never written today, but readers must skip it */
    WIRE_GROUP_END = 4,
    WIRE_FIXED32 = 5
};

enum {
    VARINT_MAX_BYTES = 10,
    GROUP_MAX_DEPTH = 100, /* what Google's parsers allow */
    VARINT_MORE = 0x80
};

#define WIRE_TAG(field, type) ((uint32_t)(field) << 3 | (uint32_t)(type))

static inline uint32_t tag_field(uint32_t tag)
{
    return tag >> 3;
}

static inline enum wire_type tag_type(uint32_t tag)
{
    return (enum wire_type)(tag & 7);
}

/* Reads a varint of up to 64 bits (bits beyond are dropped, as the format asks). Returns what
 * follows it, NULL when it does not end before `end` or after ten bytes. */
static inline const uint8_t *varint_read(const uint8_t *p, const uint8_t *end, uint64_t *ret_value)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 7 * VARINT_MAX_BYTES; shift += 7) {
        if (p == end)
            return NULL;
        uint8_t byte = *p++;
        value |= (uint64_t)(byte & 0x7F) << (shift & 63);
        if (byte < VARINT_MORE) {
            *ret_value = value;
            return p;
        }
    }
    return NULL;
}

/* A tag: field numbers go from 1 to 2^29 - 1. NULL for anything else. */
static inline const uint8_t *tag_read(const uint8_t *p, const uint8_t *end, uint32_t *ret_tag)
{
    uint64_t value;
    p = varint_read(p, end, &value);
    if (p == NULL || value > UINT32_MAX || tag_field((uint32_t)value) == 0)
        return NULL;
    *ret_tag = (uint32_t)value;
    return p;
}

/* Skips the value of a field whose tag was read, groups included. NULL when it is malformed. */
const uint8_t *wire_skip(const uint8_t *p, const uint8_t *end, uint32_t tag);

static inline double wire_double(const uint8_t *p)
{
    double value;
    memcpy(&value, p, sizeof value); /* the format and the processor are little-endian */
    return value;
}

#endif
