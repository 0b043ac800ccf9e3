/* See op_item.h. An op is written once and kept, as long as that is not too much: long names are
 * whole instructions. */
#include "ingest/convert/op_item.h"

#include "ops/runtime/json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const size_t KEPT_BYTES_MAX = (size_t)8 << 20;

/* Under the names that traces in Chrome's JSON have, which are those of the stats. */
static const char *const names[STAT_OP_KIND_COUNT] = {
#define STAT_NAME_TEXT(kind, name) [STAT_##kind] = name,
    STAT_OP_KINDS(STAT_NAME_TEXT) STAT_LAUNCH_KINDS(STAT_NAME_TEXT)
#undef STAT_NAME_TEXT
};

void json_text_add(struct text *out, const char *string)
{
    struct json_writer writer = {.out = out, .style = JSON_STYLE_LINE};
    json_write_text(&writer, string);
}

static void value_add(const struct stat_value *value, struct text *out)
{
    char digits[TEXT_DOUBLE_BYTES];
    switch (value->type) {
    case STAT_TEXT:
        json_text_add(out, value->text);
        break;
    case STAT_INT:
        text_add_i64(out, value->signed_value);
        break;
    case STAT_UINT:
        text_addf(out, "%" PRIu64, value->unsigned_value);
        break;
    case STAT_DOUBLE:
        text_add(out,
                 isfinite(value->double_value) ? text_double(value->double_value, digits) : "null");
        break;
    case STAT_UNSET:
        text_add(out, "null");
        break;
    }
}

static bool item_print(const struct plane_ops *ops, int32_t number, struct text *out)
{
    const struct op *op = &ops->ops[number];
    struct stat_value told[STAT_KIND_COUNT];
    bool any = false;
    op_stats_read(op->told, told);
    text_add(out, "\"name\":");
    json_text_add(out, catalog_text(ops->catalog, ops->catalog->names[op->name].name));
    text_add(out, ",\"args\":{");
    for (int kind = 0; kind < STAT_OP_KIND_COUNT; kind++) {
        if (told[kind].type == STAT_UNSET)
            continue;
        text_addf(out, "%s\"%s\":", any ? "," : "", names[kind]);
        value_add(&told[kind], out);
        any = true;
    }
    return any;
}

bool op_item_add(struct op_items *items, int32_t op, struct text *out)
{
    while ((size_t)op >= items->count) {
        items->items = arena_grow(&items->arena, items->items, items->count, &items->capacity,
                                  sizeof *items->items);
        items->items[items->count++] = (struct op_item){0};
    }
    struct op_item *item = &items->items[op];
    if (item->text != NULL) {
        text_addn(out, item->text, item->length);
        return item->has_args;
    }
    const size_t before = out->length;
    item->has_args = item_print(items->ops, op, out);
    const size_t length = out->failed ? 0 : out->length - before;
    if (length > 0 && items->kept_bytes + length <= KEPT_BYTES_MAX) {
        item->text = arena_strndup(&items->arena, out->data + before, length);
        item->length = (uint32_t)length;
        items->kept_bytes += length;
    }
    return item->has_args;
}
