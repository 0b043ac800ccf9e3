/* JSON documents on top of jansson: writing as Python's json.dumps does, reading with errors that
 * name file and place.
 *
 * Output form of every document: keys sorted by code point, ASCII only (\uXXXX), Python's float
 * repr, 2-space indent (or one line with ", " and ": "). Streaming of large files is not done here.
 */
#ifndef OPS_RUNTIME_JSON_H
#define OPS_RUNTIME_JSON_H

#include "ops/runtime/err.h"
#include "ops/runtime/json_writer.h"

#include <jansson.h>

static inline void json_cleanup(json_t **value)
{
    json_decref(*value);
}
#define scoped_json __attribute__((cleanup(json_cleanup))) json_t

/* Appends the value; depth is bounded by 512 (the text fails beyond). */
void json_print(const json_t *value, enum json_style style, struct text *out);

/* Parses a text of any root type. name is for messages. NULL with ERR_INPUT naming line and column,
 * or with ERR_LIMIT where the tree would not fit into the budget of ops/runtime/json_memory. */
json_t *json_parse(const char *data, size_t length, const char *name, struct err *err);

/* Reads and parses a file of at most max_bytes. */
json_t *json_read_file(const char *path, size_t max_bytes, struct err *err);

/* New string or JSON null for a NULL pointer; invalid UTF-8 becomes U+FFFD. NULL only without
 * memory. */
json_t *json_text(const char *string_or_null);
/* A text's content; NULL when the text has failed. */
struct text;
json_t *json_of_text(const struct text *text);

/* Number as a JSON real; inf and nan become null (no document holds them). */
json_t *json_number(double value);

#endif
