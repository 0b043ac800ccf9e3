/* The parameters of one statement, in PostgreSQL's binary form where it has a fixed one.
 *
 *     return query_run(db, Q_queue_done, ARGS(job->id, job->fence, receipt->id), &result, err);
 *
 * Strings and bytes are not copied, they must outlive the call. Arrays are built in an arena.
 */
#ifndef HISTORY_CLIENT_ARGS_H
#define HISTORY_CLIENT_ARGS_H

#include "ops/runtime/arena.h"
#include "schema/documents/optional.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ARGS_MAX = 24, UUID_BYTES = 16 };

struct uuid {
    uint8_t bytes[UUID_BYTES];
};

struct args {
    int count;
    bool too_long; /* a value is more than the protocol takes */
    const char *values[ARGS_MAX];
    int lengths[ARGS_MAX];
    int formats[ARGS_MAX];
    uint8_t fixed[ARGS_MAX][8];
};

/* A parameter: a text, bytes, or the lowest bytes of a number. */
struct arg {
    bool is_given, is_text; /* given: it is not the end of a list */
    const void *at;         /* NULL: SQL's NULL */
    size_t length;          /* of bytes */
    uint64_t fixed;
    size_t fixed_bytes; /* 0: it is no number */
};

/* The parameters of a statement, in the order of $1, $2 ...: each by its type, or one of the
 * functions below. They live as long as the block that they stand in. */
#define ARGS(...) ARGS_MORE(&(struct args){0}, __VA_ARGS__)
/* Behind those that args holds; for statements that share their first parameters. */
#define ARGS_MORE(args, ...) \
    args_more(args, (const struct arg[]){EACH_AGAIN(ARG_EACH(__VA_ARGS__)), {0}})

#define ARG(value) \
    _Generic((value), \
        int64_t: arg_i64, \
        int: arg_i32, \
        bool: arg_bool, \
        double: arg_f64, \
        struct opt_i64: arg_opt_i64, \
        struct opt_f64: arg_opt_f64, \
        char *: arg_text, \
        const char *: arg_text, \
        struct arg: arg_made)(value)
#define ARG_EACH(value, ...) ARG(value) __VA_OPT__(, ARG_EACH_LATER EACH_PARENS(__VA_ARGS__))
#define ARG_EACH_LATER() ARG_EACH

/* A bigint; the second sends NULL when it is not set. */
struct arg arg_i64(int64_t value);
struct arg arg_opt_i64(struct opt_i64 value);
/* The id of an entry, which are positive; NULL for 0. */
struct arg arg_id(int64_t id);
/* An integer. */
struct arg arg_i32(int32_t value);
struct arg arg_bool(bool value);
/* A float8; the second sends NULL when it is not set. */
struct arg arg_f64(double value);
struct arg arg_opt_f64(struct opt_f64 value);
/* A text (also uuid as text); NULL sends NULL. */
struct arg arg_text(const char *string);
/* A text that may hold anything, as the words of a failure do: what is no UTF-8 becomes U+FFFD, or
 * the server would refuse it. */
struct arg arg_repaired(struct arena *arena, const char *string);
/* A bytea; NULL sends NULL. */
struct arg arg_bytes(const void *bytes, size_t length);
/* One-dimensional arrays; strings may be NULL. */
struct arg arg_i64s(struct arena *arena, const int64_t *items, size_t count);
struct arg arg_texts(struct arena *arena, const char *const *items, size_t count);
struct arg arg_uuids(struct arena *arena, const struct uuid *items, size_t count);
/* Itself. */
struct arg arg_made(struct arg arg);

/* Adds the list, which ends with one that is not given; returns args. */
const struct args *args_more(struct args *args, const struct arg *list);

/* The head of a binary array of one dimension; its elements follow, each as length (32 bits, -1 =
 * NULL) and bytes. An array of none is the first 12 bytes alone. */
enum { ARRAY_HEAD_BYTES = 20 };
void array_head_put(uint8_t *head, uint32_t type, size_t count);

#endif
