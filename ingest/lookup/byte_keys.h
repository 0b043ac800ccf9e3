/* Numbers for keys of any bytes: equal bytes have equal numbers, counted from 0 as they arrive.
 */
#ifndef INGEST_LOOKUP_BYTE_KEYS_H
#define INGEST_LOOKUP_BYTE_KEYS_H

#include "ops/runtime/arena.h"

#include <stddef.h>
#include <stdint.h>

struct byte_key {
    const char *bytes;
    uint32_t length, hash;
};

/* A zeroed one is empty. */
struct byte_keys {
    struct byte_key *items; /* by number */
    size_t count, capacity;
    uint32_t *slots; /* numbers from 1; 0 = free */
    size_t mask;
};

/* Room for so many keys more, for what the table outgrows stays in the arena. */
void byte_keys_expect(struct byte_keys *keys, size_t more, struct arena *arena);

/* The number of bytes that are known; -1: they are not. Keys are shorter than 4 GiB. */
int32_t byte_keys_find(const struct byte_keys *keys, const void *bytes, size_t length);

/* The number of the bytes; new ones are copied into the arena and get the number that `count` was.
 */
int32_t byte_keys_number(struct byte_keys *keys, const void *bytes, size_t length,
                         struct arena *arena);

#endif
