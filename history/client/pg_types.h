/* PostgreSQL's types as this program uses them: names, object ids, and the byte order of their
 * binary forms.
 *
 * Object ids of built-in types never change (src/include/catalog/pg_type.dat). Numbers travel in
 * network byte order.
 */
#ifndef HISTORY_CLIENT_PG_TYPES_H
#define HISTORY_CLIENT_PG_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* X(member, name in history/sql headers, object id) */
#define PG_TYPES(X) \
    X(BOOLEAN, "boolean", 16) \
    X(BYTEA, "bytea", 17) \
    X(BIGINT, "bigint", 20) \
    X(INTEGER, "integer", 23) \
    X(TEXT, "text", 25) \
    X(FLOAT8, "float8", 701) \
    X(BYTEA_ARRAY, "bytea[]", 1001) \
    X(INTEGER_ARRAY, "integer[]", 1007) \
    X(TEXT_ARRAY, "text[]", 1009) \
    X(BIGINT_ARRAY, "bigint[]", 1016) \
    X(FLOAT8_ARRAY, "float8[]", 1022) \
    X(DATE, "date", 1082) \
    X(TIMESTAMPTZ, "timestamptz", 1184) \
    X(UUID, "uuid", 2950) \
    X(UUID_ARRAY, "uuid[]", 2951)

enum pg_type {
#define PG_TYPE_MEMBER(member, name, oid) OID_##member = oid,
    PG_TYPES(PG_TYPE_MEMBER)
#undef PG_TYPE_MEMBER
};

/* The next word of a list of type names as the embedded queries hold them ("bigint text"): its
 * object id, and *list moves on. 0 at the end of the list; UINT32_MAX for a name that is not in the
 * table. */
uint32_t pg_type_next(const char **list);

/* The type of the elements of an array type; 0 for other types. */
uint32_t pg_type_element(uint32_t array_oid);

/* Writes the lowest `length` bytes of value, most significant first. */
static inline void be_put(uint8_t *at, uint64_t value, size_t length)
{
    for (size_t i = length; i-- > 0; value >>= 8)
        at[i] = (uint8_t)value;
}

/* Reads `length` bytes (1-8), most significant first; no sign extension. */
static inline uint64_t be_get(const uint8_t *at, size_t length)
{
    uint64_t value = 0;
    for (size_t i = 0; i < length; i++)
        value = value << 8 | at[i];
    return value;
}

#endif
