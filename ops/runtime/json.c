/* Implements JSON: reading and the printing of trees, writing value by value, the memory of trees.
 */
#include "ops/runtime/json.h"

#include "ops/runtime/file.h"

#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 2 };

/* What follows a backslash, of the characters that have a short form. */
static const char shorts[128] = {['"'] = '"',  ['\\'] = '\\', ['\n'] = 'n', ['\r'] = 'r',
                                 ['\t'] = 't', ['\f'] = 'f',  ['\b'] = 'b'};

/* The first character that does not stand for itself. */
static const char *plain_end(const char *p, const char *end)
{
    while (p < end && *p >= ' ' && *p < 127 && *p != '"' && *p != '\\')
        p++;
    return p;
}

/* Nearly all strings of a document are plain: those are looked at once and written at once. */
static bool write_plain(struct text *out, const char *string, size_t length)
{
    if (plain_end(string, string + length) != string + length)
        return false;
    char *place = text_extend(out, length + 2);
    if (place != NULL) {
        place[0] = place[length + 1] = '"';
        memcpy(place + 1, string, length);
    }
    return true;
}

/* A string that may hold NUL; it must be UTF-8. */
static void json_write_string(struct json_writer *writer, const char *string, size_t length)
{
    struct text *out = writer->out;
    const char *end = string + length;
    if (write_plain(out, string, length))
        return;
    text_addc(out, '"');
    for (const char *p = string; p < end;) {
        const char *plain = p;
        p = plain_end(p, end);
        text_addn(out, plain, (size_t)(p - plain));
        if (p == end)
            break;
        uint32_t c = text_utf8_next(&p, end);
        if (c < 128 && shorts[c] != 0) {
            text_addc(out, '\\');
            text_addc(out, shorts[c]);
        } else if (c == 127) {
            text_addc(out, 127);
        } else if (c < 0x10000) {
            text_addf(out, "\\u%04x", c);
        } else {
            c -= 0x10000;
            text_addf(out, "\\u%04x\\u%04x", 0xD800 + (c >> 10), 0xDC00 + (c & 0x3FF));
        }
    }
    text_addc(out, '"');
}

/* A line of its own for what follows. */
static void write_break(const struct json_writer *writer, bool comma)
{
    size_t blanks = (size_t)writer->depth * INDENT;
    if (writer->style == JSON_STYLE_LINE) {
        text_add(writer->out, comma ? ", " : "");
        return;
    }
    char *place = text_extend(writer->out, comma + 1 + blanks);
    if (place == NULL)
        return;
    if (comma)
        *place++ = ',';
    *place = '\n';
    memset(place + 1, ' ', blanks);
}

void json_open(struct json_writer *writer, char bracket)
{
    text_addc(writer->out, bracket);
    writer->depth++;
    writer->started = false;
}

void json_close(struct json_writer *writer, char bracket)
{
    writer->depth--;
    if (writer->started)
        write_break(writer, false);
    text_addc(writer->out, bracket);
    writer->started = true; /* what is open now has this as an item */
}

void json_item(struct json_writer *writer)
{
    write_break(writer, writer->started);
    writer->started = true;
}

void json_key(struct json_writer *writer, const char *key)
{
    json_item(writer);
    json_write_string(writer, key, strlen(key));
    text_add(writer->out, ": ");
}

void json_write_null(struct json_writer *writer)
{
    text_add(writer->out, "null");
}

void json_write_bool(struct json_writer *writer, bool value)
{
    text_add(writer->out, value ? "true" : "false");
}

void json_write_int(struct json_writer *writer, int64_t value)
{
    text_add_i64(writer->out, value);
}

void json_write_number(struct json_writer *writer, double value)
{
    char form[TEXT_DOUBLE_BYTES];
    if (isfinite(value))
        text_add(writer->out, text_double(value, form));
    else
        json_write_null(writer);
}

void json_write_text(struct json_writer *writer, const char *string)
{
    size_t length = string == NULL ? 0 : strlen(string);
    if (string == NULL) {
        json_write_null(writer);
    } else if (plain_end(string, string + length) == string + length ||
               text_utf8_valid(string, length) == length) {
        json_write_string(writer, string, length);
    } else {
        scoped_arena arena;
        arena_init(&arena, 4 * length + 8192);
        const char *repaired = text_utf8_repair(&arena, string, length);
        json_write_string(writer, repaired, strlen(repaired));
    }
}

/* The allocator that jansson is given: malloc, and what it took is counted.
 *
 * jansson 2.14 must not be refused memory while it reads: its buffer of a token then lacks bytes,
 * among them the closing quote, and it writes on behind its end. So what is beyond the budget is
 * given, and the text ends there: the KiB that jansson holds of it is read.
 */

enum { CHUNK_HEAD_BYTES = 8 /* of glibc, beside what malloc_usable_size tells */ };

static struct arena *trees;
static _Thread_local bool reading, read_refused;

static size_t chunk_bytes(void *memory)
{
    return malloc_usable_size(memory) + CHUNK_HEAD_BYTES;
}

static void *tree_alloc(size_t size)
{
    void *memory = memory_alloc(size);
    if (!reading || !arena_reserve(trees, chunk_bytes(memory))) {
        read_refused |= reading;
        arena_charge(trees, chunk_bytes(memory));
    }
    return memory;
}

static void tree_free(void *memory)
{
    if (memory != NULL)
        arena_release(trees, chunk_bytes(memory));
    free(memory);
}

void json_memory_within(struct arena *owner)
{
    trees = owner;
    json_set_alloc_funcs(tree_alloc, tree_free);
}

void json_memory_arena(struct arena *arena, size_t most)
{
    if (trees != NULL)
        arena_init_within(arena, trees);
    else
        arena_init(arena, most);
}

struct input {
    const char *data;
    size_t left;
};

/* Up to `room` bytes more; none once the budget is used up. */
static size_t input_give(void *to, size_t room, void *from)
{
    struct input *input = from;
    size_t count = input->left < room ? input->left : room;
    if (read_refused)
        return 0;
    memcpy(to, input->data, count);
    input->data += count;
    input->left -= count;
    return count;
}

/* json_loadb under the budget; read_refused tells that it is why there is no tree. */
static json_t *tree_load(const char *data, size_t length, json_error_t *ret_where)
{
    struct input input = {data, length};
    reading = true;
    read_refused = false;
    json_t *root =
        json_load_callback(input_give, &input, JSON_DECODE_ANY | JSON_ALLOW_NUL, ret_where);
    reading = false;
    if (!read_refused)
        return root;
    json_decref(root); /* a number may be valid where it was cut */
    return NULL;
}

enum { JSON_DEPTH_MAX = 512 };

static void print_value(struct json_writer *writer, const json_t *value);

static void print_array(struct json_writer *writer, const json_t *array)
{
    size_t count = json_array_size(array);
    json_open(writer, '[');
    for (size_t i = 0; i < count; i++) {
        json_item(writer);
        print_value(writer, json_array_get(array, i));
    }
    json_close(writer, ']');
}

static int key_order(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void print_object(struct json_writer *writer, const json_t *object)
{
    size_t count = json_object_size(object), filled = 0;
    const char **keys = memory_alloc((count + 1) * sizeof *keys);
    const char *key;
    json_t *member;
    json_object_foreach ((json_t *)(uintptr_t)object, key, member)
        keys[filled++] = key;
    qsort(keys, filled, sizeof *keys, key_order);
    json_open(writer, '{');
    for (size_t i = 0; i < filled; i++) {
        json_key(writer, keys[i]);
        print_value(writer, json_object_get(object, keys[i]));
    }
    json_close(writer, '}');
    free(keys);
}

static void print_value(struct json_writer *writer, const json_t *value)
{
    if (writer->depth > JSON_DEPTH_MAX || value == NULL) {
        writer->out->failed = true;
        return;
    }
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        print_object(writer, value);
        break;
    case JSON_ARRAY:
        print_array(writer, value);
        break;
    case JSON_STRING:
        json_write_string(writer, json_string_value(value), json_string_length(value));
        break;
    case JSON_INTEGER:
        json_write_int(writer, json_integer_value(value));
        break;
    case JSON_REAL:
        json_write_number(writer, json_real_value(value));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        json_write_bool(writer, json_is_true(value));
        break;
    case JSON_NULL:
        json_write_null(writer);
        break;
    }
}

void json_print(const json_t *value, enum json_style style, struct text *out)
{
    struct json_writer writer = {.out = out, .style = style};
    print_value(&writer, value);
}

json_t *json_parse(const char *data, size_t length, const char *name, struct err *err)
{
    json_error_t where;
    static const struct arena unknown;
    json_t *root = tree_load(data, length, &where);
    if (read_refused)
        (void)arena_failed(trees == NULL ? &unknown : trees, name, err);
    else if (root == NULL)
        (void)err_set(err, ERR_INPUT, "'%s' is not valid JSON: line %d, column %d: %s", name,
                      where.line, where.column, where.text);
    return root;
}

json_t *json_read_file(const char *path, size_t max_bytes, struct err *err)
{
    scoped_arena arena;
    json_memory_arena(&arena, max_bytes + 8192);
    char *data;
    size_t length;
    if (!file_read(path, max_bytes, &arena, &data, &length, err))
        return NULL;
    return json_parse(data, length, path, err);
}

json_t *json_text(const char *string_or_null)
{
    if (string_or_null == NULL)
        return json_null();
    json_t *value = json_string(string_or_null);
    if (value != NULL)
        return value;
    size_t length = strlen(string_or_null);
    scoped_arena arena;
    arena_init(&arena, 4 * length + 8192);
    return json_string(text_utf8_repair(&arena, string_or_null, length));
}

json_t *json_of_text(const struct text *text)
{
    return text->failed ? NULL : json_stringn(text_string(text), text->length);
}

json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}
