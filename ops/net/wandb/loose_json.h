/* JSON as Python writes it: with NaN, Infinity and integers of any length, which strict JSON and
 * jansson refuse, and which run configurations and summaries hold.
 *
 * Such a literal becomes a marked string, which loose_json_print turns back, so that a hash over
 * the text is that of Python's json.dumps.
 */
#ifndef OPS_NET_WANDB_LOOSE_JSON_H
#define OPS_NET_WANDB_LOOSE_JSON_H

#include "ops/runtime/json.h"

#include <stdbool.h>
#include <stddef.h>

/* Parses; name is for messages. NULL with ERR_INPUT, ERR_LIMIT. The result is a new reference. */
json_t *loose_json_parse(const char *data, size_t length, const char *name, struct err *err);

enum loose_json_form {
    LOOSE_JSON_PYTHON, /* the literals as they were read */
    LOOSE_JSON_STRICT  /* integers so; "NaN", "Infinity" as strings, as W&B's own clients send */
};

/* Appends json.dumps(value, sort_keys=True) in this form. */
void loose_json_print(const json_t *value, enum loose_json_form form, struct text *out);

/* The text of a marked string ("NaN", "123456789012345678901"), NULL for all else. */
const char *loose_json_literal(const json_t *value);

#endif
