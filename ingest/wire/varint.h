/* Protobuf wire format in memory: varints and tags between two pointers.
 *
 * Nothing here trusts a length: every function takes the end and answers NULL when the bytes run
 * out or make no sense. Source: the protobuf encoding specification.
 */
#ifndef INGEST_WIRE_VARINT_H
#define INGEST_WIRE_VARINT_H

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
    VARINT_WORD_BYTES = 8, /* varint_read_word may read so many bytes from its begin */
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

/* Writes a varint, of up to VARINT_MAX_BYTES; returns what follows it. */
static inline uint8_t *varint_put(uint8_t *p, uint64_t value)
{
    for (; value >= VARINT_MORE; value >>= 7)
        *p++ = (uint8_t)(value | VARINT_MORE);
    *p++ = (uint8_t)value;
    return p;
}

/* The format is little-endian, and words and doubles are taken out of it as they lie. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the processor is little-endian");

/* Eight bytes, the first one lowest. */
static inline uint64_t word_read(const uint8_t *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

/* The top bit of each byte of a word in which a varint may end. */
static inline uint64_t word_ends(uint64_t word)
{
    return ~word & 0x8080808080808080;
}

/* Behind the varint at p, whose word that is. */
static inline const uint8_t *word_behind(const uint8_t *p, uint64_t ends)
{
    return p + __builtin_ctzll(ends) / 8 + 1;
}

/* varint_read where VARINT_WORD_BYTES are readable from p on, also beyond `end`; *ret_value is
 * spoilt when it returns NULL. Times and sizes vary in length, and a loop over their bytes is
 * mispredicted at nearly every one: here nothing branches on the length, and three folds pull the
 * groups of seven bits together. */
static inline const uint8_t *varint_read_word(const uint8_t *p, const uint8_t *end,
                                              uint64_t *ret_value)
{
    uint64_t word = word_read(p), ends = word_ends(word);
    if (ends == 0)
        return varint_read(p, end, ret_value);
    p = word_behind(p, ends);
    word &= (ends ^ (ends - 1)) & 0x7F7F7F7F7F7F7F7F;
    word = (word & 0x7F007F007F007F00) >> 1 | (word & 0x007F007F007F007F);
    word = (word & 0x3FFF00003FFF0000) >> 2 | (word & 0x00003FFF00003FFF);
    *ret_value = (word & 0x0FFFFFFF00000000) >> 4 | (word & 0x0FFFFFFF);
    return p <= end ? p : NULL;
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

/* A field of a message: its number, and what it holds. */
struct wire_field {
    uint32_t number; /* 0: a group, which was skipped */
    enum wire_type type;
    uint64_t value;             /* of a varint; the bits of what is fixed … */
    const uint8_t *bytes, *end; /* … and of bytes where they lie */
};

/* Reads the field at p and returns what follows it; NULL when it is malformed. */
const uint8_t *wire_field_read(const uint8_t *p, const uint8_t *end, struct wire_field *ret_field);

static inline double wire_double(const uint8_t *p)
{
    double value;
    memcpy(&value, p, sizeof value);
    return value;
}

#endif
