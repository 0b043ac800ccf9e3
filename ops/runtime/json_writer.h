/* JSON written value by value, as Python's json.dumps writes it, without a tree in memory.
 *
 *     struct json_writer writer = {.out = &text, .style = JSON_STYLE_INDENTED};
 *     json_open(&writer, '{');
 *     json_key(&writer, "count");
 *     json_write_int(&writer, 3);
 *     json_close(&writer, '}');
 *
 * Who writes an object calls the members in the order of their names. Trouble is that of the text
 * (text_ok).
 */
#ifndef OPS_RUNTIME_JSON_WRITER_H
#define OPS_RUNTIME_JSON_WRITER_H

#include "ops/runtime/text.h"

enum json_style {
    JSON_STYLE_INDENTED, /* json.dumps(indent=2, sort_keys=True) */
    JSON_STYLE_LINE      /* json.dumps(sort_keys=True): one line, ", " and ": " */
};

struct json_writer {
    struct text *out;
    enum json_style style;
    int depth;    /* of what is open */
    bool started; /* what is open has a first item */
};

/* Starts an object ('{') or an array ('['), and ends it ('}', ']'). */
void json_open(struct json_writer *writer, char bracket);
void json_close(struct json_writer *writer, char bracket);

/* What goes before each member of an object, and before each item of an array. */
void json_key(struct json_writer *writer, const char *key);
void json_item(struct json_writer *writer);

/* Values. A text of NULL is null, and what is no UTF-8 in it becomes U+FFFD; inf and nan are null:
 * no document holds them. */
void json_write_null(struct json_writer *writer);
void json_write_bool(struct json_writer *writer, bool value);
void json_write_int(struct json_writer *writer, int64_t value);
void json_write_number(struct json_writer *writer, double value);
void json_write_text(struct json_writer *writer, const char *string);

/* A string that may hold NUL; it must be UTF-8. */
void json_write_string(struct json_writer *writer, const char *string, size_t length);

#endif
