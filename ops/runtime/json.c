/* Implements JSON reading and the printing of trees. */
#include "ops/runtime/json.h"
#include "ops/runtime/file.h"
#include "ops/runtime/json_memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    const char **keys = malloc((count + 1) * sizeof *keys);
    if (keys == NULL) {
        writer->out->failed = writer->out->refused = true;
        return;
    }
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)(uintptr_t)object, key, member) keys[filled++] = key;
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
    if (json_memory_lacked()) /* not every member that could not be added was missed */
        out->failed = out->refused = true;
}

json_t *json_parse(const char *data, size_t length, const char *name, struct err *err)
{
    json_error_t where;
    bool refused;
    json_t *root = json_memory_load(data, length, &where, &refused);
    if (refused)
        (void)json_memory_failed(name, err);
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
    char *repaired = text_utf8_repair(&arena, string_or_null, length);
    return repaired == NULL ? NULL : json_string(repaired);
}

json_t *json_of_text(const struct text *text)
{
    return text->failed ? NULL : json_stringn(text_string(text), text->length);
}

json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}
