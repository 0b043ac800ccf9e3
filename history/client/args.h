/* The parameters of one statement, in PostgreSQL's binary form where it has a fixed one.
 *
 * Fill in the order of $1, $2 ...; strings and bytes are not copied, they must outlive the call.
 * Arrays are built in an arena; running out of it is remembered and reported when the statement
 * runs.
 */
#ifndef HISTORY_CLIENT_ARGS_H
#define HISTORY_CLIENT_ARGS_H

#include "ops/runtime/arena.h"
#include "schema/optional.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ARGS_MAX = 24, UUID_BYTES = 16 };

struct uuid {
    uint8_t bytes[UUID_BYTES];
};

struct args { /* start with {0} */
    int count;
    bool failed; /* no memory for an array, or too many parameters */
    const char *values[ARGS_MAX];
    int lengths[ARGS_MAX];
    int formats[ARGS_MAX];
    uint8_t fixed[ARGS_MAX][8];
};

/* A bigint parameter; the second form sends NULL when it is not set. */
void args_i64(struct args *args, int64_t value);
void args_opt_i64(struct args *args, struct opt_i64 value);
/* An integer parameter. */
void args_i32(struct args *args, int32_t value);
void args_bool(struct args *args, bool value);
/* A float8 parameter. */
void args_f64(struct args *args, double value);
/* A text parameter (also uuid as text); NULL sends NULL. */
void args_text(struct args *args, const char *string);
/* A text that may hold anything, as the words of a failure do: what is no UTF-8 becomes U+FFFD, or
 * the server would refuse it. */
void args_text_repaired(struct args *args, struct arena *arena, const char *string);
/* A bytea parameter; NULL sends NULL. */
void args_bytes(struct args *args, const void *bytes, size_t length);

/* One-dimensional arrays; strings may be NULL. */
void args_i64s(struct args *args, struct arena *arena, const int64_t *items, size_t count);
void args_texts(struct args *args, struct arena *arena, const char *const *items, size_t count);
void args_uuids(struct args *args, struct arena *arena, const struct uuid *items, size_t count);

/* The head of a binary array of one dimension; its elements follow, each as length (32 bits, -1 =
 * NULL) and bytes. An array of none is the first 12 bytes alone. */
enum { ARRAY_HEAD_BYTES = 20 };
void array_head_put(uint8_t *head, uint32_t type, size_t count);

#endif
