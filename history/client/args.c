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

void array_head_put(uint8_t *head, uint32_t type, size_t count)
{
    be_put(head, count > 0, 4);
    be_put(head + 4, 1, 4);
    be_put(head + 8, type, 4);
    be_put(head + 12, count, 4);
    be_put(head + 16, 1, 4);
}

static void i64_add(struct args *args, const struct arg *arg)
{
    args_add_fixed(args, (uint64_t)arg->i64, 8);
}

static void i32_add(struct args *args, const struct arg *arg)
{
    args_add_fixed(args, (uint64_t)arg->i64, 4);
}

static void bool_add(struct args *args, const struct arg *arg)
{
    args_add_fixed(args, (uint64_t)arg->i64, 1);
}

static void f64_add(struct args *args, const struct arg *arg)
{
    uint64_t bits;
    static_assert(sizeof bits == sizeof arg->f64, "a double has 64 bits");
    memcpy(&bits, &arg->f64, sizeof bits);
    args_add_fixed(args, bits, sizeof bits);
}

static void string_add(struct args *args, const struct arg *arg)
{
    args_add(args, arg->at, 0, 0);
}

static void repaired_add(struct args *args, const struct arg *arg)
{
    const char *string = arg->at;
    const char *repaired =
        string == NULL ? NULL : text_utf8_repair(arg->arena, string, strlen(string));
    args->failed |= string != NULL && repaired == NULL;
    args_add(args, repaired, 0, 0);
}

static void bytes_add(struct args *args, const struct arg *arg)
{
    args_add(args, arg->at, arg->count, 1);
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

static void i64s_add(struct args *args, const struct arg *arg)
{
    const int64_t *items = arg->at;
    uint8_t *at = array_begin(args, arg->arena, OID_BIGINT, arg->count, arg->count * sizeof *items);
    for (size_t i = 0; at != NULL && i < arg->count; i++) {
        be_put(at, 8, LENGTH_BYTES);
        be_put(at + LENGTH_BYTES, (uint64_t)items[i], 8);
        at += LENGTH_BYTES + 8;
    }
}

static void uuids_add(struct args *args, const struct arg *arg)
{
    const struct uuid *items = arg->at;
    uint8_t *at = array_begin(args, arg->arena, OID_UUID, arg->count, arg->count * UUID_BYTES);
    for (size_t i = 0; at != NULL && i < arg->count; i++)
        at = array_item(at, items[i].bytes, UUID_BYTES);
}

static void texts_add(struct args *args, const struct arg *arg)
{
    size_t bytes = 0;
    const char *const *items = arg->at;
    for (size_t i = 0; i < arg->count; i++)
        bytes += items[i] == NULL ? 0 : strlen(items[i]);
    uint8_t *at = array_begin(args, arg->arena, OID_TEXT, arg->count, bytes);
    for (size_t i = 0; at != NULL && i < arg->count; i++) {
        if (items[i] == NULL) {
            be_put(at, UINT32_MAX, LENGTH_BYTES); /* length -1: NULL */
            at += LENGTH_BYTES;
        } else {
            at = array_item(at, items[i], strlen(items[i]));
        }
    }
}

struct arg arg_i64(int64_t value)
{
    return (struct arg){.add = i64_add, .i64 = value};
}

struct arg arg_opt_i64(struct opt_i64 value)
{
    return value.set ? arg_i64(value.value) : arg_bytes(NULL, 0);
}

struct arg arg_id(int64_t id)
{
    return id > 0 ? arg_i64(id) : arg_bytes(NULL, 0);
}

struct arg arg_i32(int32_t value)
{
    return (struct arg){.add = i32_add, .i64 = value};
}

struct arg arg_bool(bool value)
{
    return (struct arg){.add = bool_add, .i64 = value};
}

struct arg arg_f64(double value)
{
    return (struct arg){.add = f64_add, .f64 = value};
}

struct arg arg_text(const char *string)
{
    return (struct arg){.add = string_add, .at = string};
}

struct arg arg_repaired(struct arena *arena, const char *string)
{
    return (struct arg){.add = repaired_add, .at = string, .arena = arena};
}

struct arg arg_bytes(const void *bytes, size_t length)
{
    return (struct arg){.add = bytes_add, .at = bytes, .count = length};
}

struct arg arg_i64s(struct arena *arena, const int64_t *items, size_t count)
{
    return (struct arg){.add = i64s_add, .at = items, .count = count, .arena = arena};
}

struct arg arg_texts(struct arena *arena, const char *const *items, size_t count)
{
    return (struct arg){.add = texts_add, .at = items, .count = count, .arena = arena};
}

struct arg arg_uuids(struct arena *arena, const struct uuid *items, size_t count)
{
    return (struct arg){.add = uuids_add, .at = items, .count = count, .arena = arena};
}

struct arg arg_made(struct arg arg)
{
    return arg;
}

const struct args *args_more(struct args *args, const struct arg *list)
{
    for (; list->add != NULL; list++)
        list->add(args, list);
    return args;
}
