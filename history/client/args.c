/* Builds statement parameters. Array layout: PostgreSQL's array_recv (dimensions, has-null flag,
 * element type, length, lower bound, then each element as length and bytes). */
#include "history/client/args.h"

#include "history/client/pg_types.h"
#include "ops/runtime/text.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

enum { LENGTH_BYTES = 4 };

static void args_add(struct args *args, const void *value, size_t length, int format)
{
    if (args->count == ARGS_MAX || length > INT_MAX) {
        args->failed = true;
        return;
    }
    args->values[args->count] = value;
    args->lengths[args->count] = (int)length;
    args->formats[args->count] = format;
    args->count++;
}

static void args_add_fixed(struct args *args, uint64_t value, size_t length)
{
    if (args->count == ARGS_MAX) {
        args->failed = true;
        return;
    }
    uint8_t *bytes = args->fixed[args->count];
    be_put(bytes, value, length);
    args_add(args, bytes, length, 1);
}

void args_i64(struct args *args, int64_t value)
{
    args_add_fixed(args, (uint64_t)value, 8);
}

void args_opt_i64(struct args *args, struct opt_i64 value)
{
    if (value.set)
        args_i64(args, value.value);
    else
        args_add(args, NULL, 0, 1);
}

void args_i32(struct args *args, int32_t value)
{
    args_add_fixed(args, (uint32_t)value, 4);
}

void args_bool(struct args *args, bool value)
{
    args_add_fixed(args, value, 1);
}

void args_f64(struct args *args, double value)
{
    uint64_t bits;
    static_assert(sizeof bits == sizeof value, "a double has 64 bits");
    memcpy(&bits, &value, sizeof bits);
    args_add_fixed(args, bits, sizeof bits);
}

void args_text(struct args *args, const char *string)
{
    args_add(args, string, 0, 0);
}

void args_text_repaired(struct args *args, struct arena *arena, const char *string)
{
    const char *repaired = string == NULL ? NULL : text_utf8_repair(arena, string, strlen(string));
    args->failed |= string != NULL && repaired == NULL;
    args_text(args, repaired);
}

void args_bytes(struct args *args, const void *bytes, size_t length)
{
    args_add(args, bytes, length, 1);
}

void array_head_put(uint8_t *head, uint32_t type, size_t count)
{
    be_put(head, count > 0, 4);
    be_put(head + 4, 1, 4);
    be_put(head + 8, type, 4);
    be_put(head + 12, count, 4);
    be_put(head + 16, 1, 4);
}

/* Room for an array whose elements take item_bytes in all; NULL when there is none. */
static uint8_t *array_begin(struct args *args, struct arena *arena, uint32_t type, size_t count,
                            size_t item_bytes)
{
    uint8_t *array = NULL;
    size_t length = ARRAY_HEAD_BYTES + count * LENGTH_BYTES + item_bytes;
    if (count <= INT_MAX / 16 && length <= INT_MAX)
        array = arena_alloc(arena, length);
    if (array == NULL) {
        args->failed = true;
        return NULL;
    }
    array_head_put(array, type, count);
    /* An empty array has no dimension, and ends after the element type. */
    args_add(args, array, count > 0 ? length : 12, 1);
    return array + ARRAY_HEAD_BYTES;
}

static uint8_t *array_item(uint8_t *at, const void *bytes, size_t length)
{
    be_put(at, length, LENGTH_BYTES);
    memcpy(at + LENGTH_BYTES, bytes, length);
    return at + LENGTH_BYTES + length;
}

void args_i64s(struct args *args, struct arena *arena, const int64_t *items, size_t count)
{
    uint8_t *at = array_begin(args, arena, OID_BIGINT, count, count * sizeof *items);
    for (size_t i = 0; at != NULL && i < count; i++) {
        be_put(at, 8, LENGTH_BYTES);
        be_put(at + LENGTH_BYTES, (uint64_t)items[i], 8);
        at += LENGTH_BYTES + 8;
    }
}

void args_uuids(struct args *args, struct arena *arena, const struct uuid *items, size_t count)
{
    uint8_t *at = array_begin(args, arena, OID_UUID, count, count * UUID_BYTES);
    for (size_t i = 0; at != NULL && i < count; i++)
        at = array_item(at, items[i].bytes, UUID_BYTES);
}

void args_texts(struct args *args, struct arena *arena, const char *const *items, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += items[i] == NULL ? 0 : strlen(items[i]);
    uint8_t *at = array_begin(args, arena, OID_TEXT, count, bytes);
    for (size_t i = 0; at != NULL && i < count; i++) {
        if (items[i] == NULL) {
            be_put(at, UINT32_MAX, LENGTH_BYTES); /* length -1: NULL */
            at += LENGTH_BYTES;
        } else {
            at = array_item(at, items[i], strlen(items[i]));
        }
    }
}
