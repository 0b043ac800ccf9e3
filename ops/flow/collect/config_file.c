/* Implements the reading of configurations: a JSON document, or lines of YAML as nested objects. */
#include "ops/flow/collect/config_file.h"

#include "ops/runtime/digest.h"
#include "ops/runtime/file.h"
#include "ops/runtime/json.h"

#include <string.h>

enum {
    CONFIG_BYTES_MAX = 64 << 20,
    ROOM_BYTES = 4096,        /* of the arena that holds it, besides */
    READ_BYTES_MAX = 8 << 20, /* a longer one is no configuration, and is hashed alone */
    DEPTH_MAX = 64,
};

static const char blanks[] = " \t\r";

/* ---- YAML ------------------------------------------------------------------------------------ */

/* The mappings around a line, the outermost first, with the column of their keys. */
struct yaml {
    json_t *objects[DEPTH_MAX];
    size_t columns[DEPTH_MAX];
    size_t depth;
    size_t passed_over; /* lines that begin behind this column; SIZE_MAX: none */
};

/* A span of text without blanks around it. */
struct span {
    const char *text;
    size_t length;
};

static struct span span_trim(const char *text, size_t length)
{
    while (length > 0 && memchr(blanks, text[0], sizeof blanks - 1) != NULL)
        text++, length--;
    while (length > 0 && memchr(blanks, text[length - 1], sizeof blanks - 1) != NULL)
        length--;
    return (struct span){text, length};
}

/* Without a comment behind it, and without its quotes. */
static struct span scalar_of(struct span span)
{
    if (span.length > 1 && (span.text[0] == '"' || span.text[0] == '\'')) {
        const char *end = memchr(span.text + 1, span.text[0], span.length - 1);
        return end == NULL ? (struct span){span.text, 0}
                           : (struct span){span.text + 1, (size_t)(end - span.text - 1)};
    }
    for (size_t i = 0; i < span.length; i++) {
        if (span.text[i] == '#' && (i == 0 || memchr(blanks, span.text[i - 1], 2) != NULL))
            return span_trim(span.text, i);
    }
    return span;
}

/* Written out, and not a reference, a list or nothing. */
static bool is_literal(struct span value)
{
    static const char others[] = "[{&*!|>%@`";
    static const char *const none[] = {"null", "~", "Null", "NULL"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        if (value.length == strlen(none[i]) && memcmp(value.text, none[i], value.length) == 0)
            return false;
    }
    return value.length > 0 && strchr(others, value.text[0]) == NULL &&
           memmem(value.text, value.length, "${", 2) == NULL;
}

/* A line "key: value" at a column, of the mapping that it stands in. */
static void pair_add(struct yaml *yaml, size_t column, struct span key, struct span value)
{
    while (yaml->depth > 1 && yaml->columns[yaml->depth - 1] > column)
        yaml->depth--;
    json_t *object = yaml->objects[yaml->depth - 1];
    yaml->columns[yaml->depth - 1] = column;
    bool is_quoted = value.length > 0 && (value.text[0] == '"' || value.text[0] == '\'');
    struct span scalar = scalar_of(value);
    if (scalar.length == 0 && !is_quoted && yaml->depth < DEPTH_MAX) {
        json_t *inner = json_object();
        (void)json_object_setn_new(object, key.text, key.length, inner);
        yaml->objects[yaml->depth] = inner;
        yaml->columns[yaml->depth++] = column + 1;
        return;
    }
    yaml->passed_over = column;
    if (is_quoted ? scalar.length > 0 && memmem(scalar.text, scalar.length, "${", 2) == NULL
                  : is_literal(scalar))
        (void)json_object_setn_new(object, key.text, key.length,
                                   json_stringn(scalar.text, scalar.length));
}

static void line_read(struct yaml *yaml, const char *line, size_t length)
{
    size_t column = 0;
    while (column < length && line[column] == ' ')
        column++;
    struct span rest = span_trim(line + column, length - column);
    if (rest.length == 0 || rest.text[0] == '#' || column > yaml->passed_over)
        return;
    yaml->passed_over = SIZE_MAX;
    if (rest.text[0] == '-') {
        yaml->passed_over = column;
        return;
    }
    const char *colon = memchr(rest.text, ':', rest.length);
    size_t key_length = colon == NULL ? 0 : (size_t)(colon - rest.text);
    bool is_pair = key_length > 0 && (key_length + 1 == rest.length ||
                                      memchr(blanks, colon[1], sizeof blanks - 1) != NULL);
    if (is_pair)
        pair_add(yaml, column, scalar_of(span_trim(rest.text, key_length)),
                 span_trim(colon + 1, rest.length - key_length - 1));
}

/* Of text that is valid UTF-8. */
static json_t *yaml_read(const char *data, size_t length)
{
    struct yaml yaml = {.objects = {json_object()}, .depth = 1, .passed_over = SIZE_MAX};
    for (size_t at = 0, size; at < length; at += size + 1) {
        const char *end = memchr(data + at, '\n', length - at);
        size = end == NULL ? length - at : (size_t)(end - data) - at;
        line_read(&yaml, data + at, size);
    }
    return yaml.objects[0];
}

/* ---- the file -------------------------------------------------------------------------------- */

bool config_file_facts(const char *path, struct arena *arena, struct fact *ret_facts,
                       size_t *ret_count, struct err *err)
{
    char hash[SHA256_HEX_BYTES];
    scoped_arena bytes;
    char *data;
    size_t length, count = 0;
    arena_init(&bytes, CONFIG_BYTES_MAX + ROOM_BYTES);
    if (!file_read(path, CONFIG_BYTES_MAX, &bytes, &data, &length, err))
        return false;
    sha256_hex(data, length, hash);
    const char *source = arena_strdup(arena, path);
    ret_facts[0] = (struct fact){"config_hash", arena_strdup(arena, hash), source};
    scoped_json *config = NULL;
    if (length <= READ_BYTES_MAX) {
        config = loose_json_parse(data, length, "the configuration", NULL);
        if (config == NULL && text_utf8_valid(data, length) == length &&
            memchr(data, '\0', length) == NULL)
            config = yaml_read(data, length);
    }
    if (config != NULL)
        count = config_facts_find(config, source, arena, ret_facts + 1);
    *ret_count = count + 1;
    return true;
}
