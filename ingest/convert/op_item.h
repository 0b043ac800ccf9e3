/* What is the same in all items of an op: its name, and what was told of it as arguments.
 */
#ifndef INGEST_CONVERT_OP_ITEM_H
#define INGEST_CONVERT_OP_ITEM_H

#include "ingest/xplane/xplane.h"

/* The ops of one plane, as they are written; zeroed but for `ops` none was yet. */
struct op_items {
    struct plane_ops *ops;
    struct arena arena;
    struct op_item {
        const char *text; /* NULL: not kept */
        uint32_t length;
        bool has_args;
    } * items; /* by op */
    size_t count, capacity;
    size_t kept_bytes;
};

/* Appends `"name":"…","args":{…` without the closing brace; whether there is an argument yet. */
bool op_item_add(struct op_items *items, int32_t op, struct text *out);

/* A text as JSON has it, `null` for NULL. */
void json_text_add(struct text *out, const char *string);

#endif
