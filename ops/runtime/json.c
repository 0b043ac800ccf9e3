/* Implements JSON reading and Python-style printing. */
#include "ops/runtime/json.h"
#include "ops/runtime/file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { JSON_DEPTH_MAX = 512, INDENT = 2 };

struct printer {
    struct text *out;
    enum json_style style;
};

static void print_escape(struct text *out, uint32_t c)
{
    if (c >= 0x10000) {
        c -= 0x10000;
        text_addf(out, "\\u%04x\\u%04x", 0xD800 + (c >> 10), 0xDC00 + (c & 0x3FF));
        return;
    }
    text_addf(out, "\\u%04x", c);
}

static void print_string(struct text *out, const char *string, size_t length)
{
    static const char shorts[128] = {['"'] = '"',  ['\\'] = '\\', ['\n'] = 'n', ['\r'] = 'r',
                                     ['\t'] = 't', ['\f'] = 'f',  ['\b'] = 'b'};
    text_addc(out, '"');
    const char *end = string + length;
    for (const char *p = string; p < end;) {
        const char *plain = p;
        while (p < end && *p >= ' ' && *p < 127 && shorts[(unsigned char)*p] == 0)
            p++;
        text_addn(out, plain, (size_t)(p - plain));
        if (p == end)
            break;
        uint32_t c = text_utf8_next(&p, end);
        if (c < 128 && shorts[c] != 0) {
            text_addc(out, '\\');
            text_addc(out, shorts[c]);
        } else if (c == 127) {
            text_addc(out, 127);
        } else {
            print_escape(out, c);
        }
    }
    text_addc(out, '"');
}

static void print_break(const struct printer *printer, int depth)
{
    if (printer->style == JSON_STYLE_LINE)
        return;
    static const char blanks[] = "                                ";
    text_addc(printer->out, '\n');
    for (size_t left = (size_t)depth * INDENT; left > 0;) {
        size_t part = left < sizeof blanks - 1 ? left : sizeof blanks - 1;
        text_addn(printer->out, blanks, part);
        left -= part;
    }
}

static void print_value(const struct printer *printer, const json_t *value, int depth);

static void print_separator(const struct printer *printer, bool first, int depth)
{
    if (!first)
        text_add(printer->out, printer->style == JSON_STYLE_LINE ? ", " : ",");
    print_break(printer, depth);
}

static void print_array(const struct printer *printer, const json_t *array, int depth)
{
    size_t count = json_array_size(array);
    text_addc(printer->out, '[');
    for (size_t i = 0; i < count; i++) {
        print_separator(printer, i == 0, depth + 1);
        print_value(printer, json_array_get(array, i), depth + 1);
    }
    if (count > 0)
        print_break(printer, depth);
    text_addc(printer->out, ']');
}

static int key_order(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void print_object(const struct printer *printer, const json_t *object, int depth)
{
    size_t count = json_object_size(object), filled = 0;
    const char **keys = malloc((count + 1) * sizeof *keys);
    if (keys == NULL) {
        printer->out->failed = true;
        return;
    }
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)(uintptr_t)object, key, member) keys[filled++] = key;
    qsort(keys, filled, sizeof *keys, key_order);
    text_addc(printer->out, '{');
    for (size_t i = 0; i < filled; i++) {
        print_separator(printer, i == 0, depth + 1);
        print_string(printer->out, keys[i], strlen(keys[i]));
        text_add(printer->out, ": ");
        print_value(printer, json_object_get(object, keys[i]), depth + 1);
    }
    if (filled > 0)
        print_break(printer, depth);
    text_addc(printer->out, '}');
    free(keys);
}

static void print_real(struct text *out, double value)
{
    char buffer[TEXT_DOUBLE_BYTES];
    text_add(out, text_double(value, buffer));
}

static void print_value(const struct printer *printer, const json_t *value, int depth)
{
    if (depth > JSON_DEPTH_MAX || value == NULL) {
        printer->out->failed = true;
        return;
    }
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        print_object(printer, value, depth);
        break;
    case JSON_ARRAY:
        print_array(printer, value, depth);
        break;
    case JSON_STRING:
        print_string(printer->out, json_string_value(value), json_string_length(value));
        break;
    case JSON_INTEGER:
        text_addf(printer->out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        break;
    case JSON_REAL:
        print_real(printer->out, json_real_value(value));
        break;
    case JSON_TRUE:
        text_add(printer->out, "true");
        break;
    case JSON_FALSE:
        text_add(printer->out, "false");
        break;
    case JSON_NULL:
        text_add(printer->out, "null");
        break;
    }
}

void json_print(const json_t *value, enum json_style style, struct text *out)
{
    struct printer printer = {out, style};
    print_value(&printer, value, 0);
}

json_t *json_parse(const char *data, size_t length, const char *name, struct err *err)
{
    json_error_t where;
    json_t *root = json_loadb(data, length, JSON_DECODE_ANY | JSON_ALLOW_NUL, &where);
    if (root == NULL)
        (void)err_set(err, ERR_INPUT, "'%s' is not valid JSON: line %d, column %d: %s", name,
                      where.line, where.column, where.text);
    return root;
}

json_t *json_read_file(const char *path, size_t max_bytes, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, max_bytes + 8192);
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

json_t *json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}
