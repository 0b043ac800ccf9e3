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

void json_write_string(struct json_writer *writer, const char *string, size_t length)
{
    static const char shorts[128] = {['"'] = '"',  ['\\'] = '\\', ['\n'] = 'n', ['\r'] = 'r',
                                     ['\t'] = 't', ['\f'] = 'f',  ['\b'] = 'b'};
    struct text *out = writer->out;
    const char *end = string + length;
    text_addc(out, '"');
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
            write_escape(out, c);
        }
    }
    text_addc(out, '"');
}

static void write_break(const struct json_writer *writer)
{
    static const char blanks[] = "                                ";
    if (writer->style == JSON_STYLE_LINE)
        return;
    text_addc(writer->out, '\n');
    for (size_t left = (size_t)writer->depth * INDENT; left > 0;) {
        size_t part = left < sizeof blanks - 1 ? left : sizeof blanks - 1;
        text_addn(writer->out, blanks, part);
        left -= part;
    }
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
        write_break(writer);
    text_addc(writer->out, bracket);
    writer->started = true; /* what is open now has this as an item */
}

void json_item(struct json_writer *writer)
{
    if (writer->started)
        text_add(writer->out, writer->style == JSON_STYLE_LINE ? ", " : ",");
    writer->started = true;
    write_break(writer);
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
    else if (text_utf8_valid(string, length) == length)
        json_write_string(writer, string, length);
    else
        write_repaired(writer, string, length);
}
