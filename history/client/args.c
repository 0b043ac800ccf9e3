/* Builds statement parameters. Array layout: PostgreSQL's array_recv (dimensions, has-null flag,
 * element type, length, lower bound, then each element as length and bytes). */
#include "history/client/args.h"

#include "history/client/pg_types.h"
#include "ops/runtime/text.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

enum { LENGTH_BYTES = 4, EMPTY_BYTES = 12 /* an array of none ends after its element type */ };

const struct args *args_more(struct args *args, const struct arg *list)
{
    for (; list->is_given; list++) {
        assert(args->count < ARGS_MAX);
        int i = args->count++;
        bool is_fixed = list->fixed_bytes > 0;
        be_put(args->fixed[i], list->fixed, list->fixed_bytes);
        args->values[i] = is_fixed ? (const char *)args->fixed[i] : list->at;
        args->lengths[i] = (int)(is_fixed ? list->fixed_bytes : list->length);
        args->formats[i] = list->is_text ? 0 : 1;
        args->too_long |= list->length > INT_MAX;
    }
    return args;
}

struct arg arg_made(struct arg arg)
{
    return arg;
}

/* ---- values ---------------------------------------------------------------------------------- */

static struct arg arg_fixed(uint64_t value, size_t bytes)
{
    return (struct arg){.is_given = true, .fixed = value, .fixed_bytes = bytes};
}

struct arg arg_i64(int64_t value)
{
    return arg_fixed((uint64_t)value, 8);
}

struct arg arg_opt_i64(struct opt_i64 value)
{
    return value.set ? arg_i64(value.value) : arg_bytes(NULL, 0);
}

struct arg arg_opt_f64(struct opt_f64 value)
{
    return value.set ? arg_f64(value.value) : arg_bytes(NULL, 0);
}

struct arg arg_id(int64_t id)
{
    return id > 0 ? arg_i64(id) : arg_bytes(NULL, 0);
}

struct arg arg_i32(int32_t value)
{
    return arg_fixed((uint64_t)value, 4);
}

struct arg arg_bool(bool value)
{
    return arg_fixed(value, 1);
}

struct arg arg_f64(double value)
{
    uint64_t bits;
    static_assert(sizeof bits == sizeof value, "a double has 64 bits");
    memcpy(&bits, &value, sizeof bits);
    return arg_fixed(bits, sizeof bits);
}

struct arg arg_text(const char *string)
{
    return (struct arg){.is_given = true, .is_text = true, .at = string};
}

struct arg arg_repaired(struct arena *arena, const char *string)
{
    return arg_text(string == NULL ? NULL : text_utf8_repair(arena, string, strlen(string)));
}

struct arg arg_bytes(const void *bytes, size_t length)
{
    return (struct arg){.is_given = true, .at = bytes, .length = length};
}

/* ---- arrays ---------------------------------------------------------------------------------- */

void array_head_put(uint8_t *head, uint32_t type, size_t count)
{
    be_put(head, count > 0, 4);
    be_put(head + 4, 1, 4);
    be_put(head + 8, type, 4);
    be_put(head + 12, count, 4);
    be_put(head + 16, 1, 4);
}

/* Where the first item goes. */
static uint8_t *array_begin(struct arena *arena, uint32_t type, size_t count, size_t item_bytes)
{
    uint8_t *array = arena_alloc(arena, ARRAY_HEAD_BYTES + count * LENGTH_BYTES + item_bytes);
    array_head_put(array, type, count);
    return array + ARRAY_HEAD_BYTES;
}

static struct arg array_end(const uint8_t *first, const uint8_t *end)
{
    const uint8_t *array = first - ARRAY_HEAD_BYTES;
    return arg_bytes(array, end > first ? (size_t)(end - array) : EMPTY_BYTES);
}

struct arg arg_i64s(struct arena *arena, const int64_t *items, size_t count)
{
    uint8_t *first = array_begin(arena, OID_BIGINT, count, count * sizeof *items), *at = first;
    for (size_t i = 0; i < count; i++, at += LENGTH_BYTES + 8) {
        be_put(at, 8, LENGTH_BYTES);
        be_put(at + LENGTH_BYTES, (uint64_t)items[i], 8);
    }
    return array_end(first, at);
}

static uint8_t *array_item(uint8_t *at, const void *bytes, size_t length)
{
    be_put(at, length, LENGTH_BYTES);
    memcpy(at + LENGTH_BYTES, bytes, length);
    return at + LENGTH_BYTES + length;
}

struct arg arg_uuids(struct arena *arena, const struct uuid *items, size_t count)
{
    uint8_t *first = array_begin(arena, OID_UUID, count, count * UUID_BYTES), *at = first;
    for (size_t i = 0; i < count; i++)
        at = array_item(at, items[i].bytes, UUID_BYTES);
    return array_end(first, at);
}

struct arg arg_texts(struct arena *arena, const char *const *items, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += items[i] == NULL ? 0 : strlen(items[i]);
    uint8_t *first = array_begin(arena, OID_TEXT, count, bytes), *at = first;
    for (size_t i = 0; i < count; i++) {
        if (items[i] == NULL) {
            be_put(at, UINT32_MAX, LENGTH_BYTES); /* length -1: NULL */
            at += LENGTH_BYTES;
        } else {
            at = array_item(at, items[i], strlen(items[i]));
        }
    }
    return array_end(first, at);
}
