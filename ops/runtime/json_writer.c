/* Implements writing of JSON. */
#include "ops/runtime/json_writer.h"

#include <math.h>
#include <string.h>

enum { INDENT = 2 };

static void write_escape(struct text *out, uint32_t c)
{
    if (c >= 0x10000) {
        c -= 0x10000;
        text_addf(out, "\\u%04x\\u%04x", 0xD800 + (c >> 10), 0xDC00 + (c & 0x3FF));
        return;
    }
    text_addf(out, "\\u%04x", c);
}

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

void json_write_string(struct json_writer *writer, const char *string, size_t length)
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
        } else {
            write_escape(out, c);
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

static void write_repaired(struct json_writer *writer, const char *string, size_t length)
{
    scoped_arena arena;
    arena_init(&arena, 4 * length + 8192);
    const char *repaired = text_utf8_repair(&arena, string, length);
    if (repaired == NULL)
        writer->out->failed = true;
    else
        json_write_string(writer, repaired, strlen(repaired));
}

void json_write_text(struct json_writer *writer, const char *string)
{
    size_t length = string == NULL ? 0 : strlen(string);
    if (string == NULL)
        json_write_null(writer);
    else if (plain_end(string, string + length) == string + length ||
             text_utf8_valid(string, length) == length)
        json_write_string(writer, string, length);
    else
        write_repaired(writer, string, length);
}
