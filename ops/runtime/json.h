/* JSON documents on top of jansson: writing as Python's json.dumps does, reading with errors that
 * name file and place.
 *
 * Output form of every document: keys sorted by code point, ASCII only (\uXXXX), Python's float
 * repr, 2-space indent (or one line with ", " and ": "). Streaming of large files is not done here.
 */
#ifndef OPS_RUNTIME_JSON_H
#define OPS_RUNTIME_JSON_H

#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"
#include "ops/runtime/text.h"

#include <jansson.h>

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

static inline void json_cleanup(json_t **value)
{
    json_decref(*value);
}
#define scoped_json __attribute__((cleanup(json_cleanup))) json_t

/* Appends the value; depth is bounded by 512 (the text fails beyond). */
void json_print(const json_t *value, enum json_style style, struct text *out);

/* Parses a text of any root type. name is for messages. NULL with ERR_INPUT naming line and column,
 * or with ERR_LIMIT where the tree would not fit into the budget of json_memory_within. */
json_t *json_parse(const char *data, size_t length, const char *name, struct err *err);

/* Reads and parses a file of at most max_bytes. */
json_t *json_read_file(const char *path, size_t max_bytes, struct err *err);

/* New string or JSON null for a NULL pointer; invalid UTF-8 becomes U+FFFD. */
json_t *json_text(const char *string_or_null);
/* A text's content; NULL when the text has failed. */
json_t *json_of_text(const struct text *text);

/* Number as a JSON real; inf and nan become null (no document holds them). */
json_t *json_number(double value);

/* The memory of JSON trees counts against a budget.
 *
 * A tree takes up to twenty times what its text does (`[0,0,…]`), so that a bound of the text alone
 * bounds nothing. jansson has one allocator for the whole process: it asks the owner's budget here,
 * whatever thread it is called from. Only reading a text is refused beyond the budget (json_parse,
 * ERR_LIMIT); what a program builds by itself, of values that its arenas hold, is counted and
 * given.
 */

/* From here on trees count against `owner`, which outlives them all. Called once, before there is
 * any tree. Without it trees are bounded by nothing. */
void json_memory_within(struct arena *owner);

/* Prepares an arena within the same budget where there is one, of `most` bytes where there is
 * none. */
void json_memory_arena(struct arena *arena, size_t most);

#endif
