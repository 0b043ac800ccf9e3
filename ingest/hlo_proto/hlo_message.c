#include "ingest/hlo_proto/hlo_message.h"

#include "ops/runtime/text.h"

enum { TEXT_MOST_BYTES = 64 * 1024 };

static bool number_read(struct cursor *cursor, int64_t *ret_number, struct err *err)
{
    uint64_t value;
    if (!cursor_varint(cursor, &value, err))
        return false;
    *ret_number = (int64_t)value;
    return true;
}

static bool text_read(struct hlo_reader *reader, const char **ret_text, struct err *err)
{
    uint64_t length;
    if (!cursor_length(reader->cursor, &length, err))
        return false;
    if (length > 0 && length <= TEXT_MOST_BYTES) {
        if (!cursor_need(reader->cursor, (size_t)length, err))
            return false;
        *ret_text =
            text_utf8_repair(reader->arena, (const char *)reader->cursor->p, (size_t)length);
    }
    return cursor_skip(reader->cursor, length, err);
}

static bool ids_read(struct hlo_reader *reader, uint32_t tag, struct hlo_ids *ids, struct err *err)
{
    struct cursor *cursor = reader->cursor;
    const bool is_packed = tag_type(tag) == WIRE_BYTES;
    uint64_t length = 0;
    if (is_packed && !cursor_length(cursor, &length, err))
        return false;
    const int64_t outer = is_packed ? cursor_enter(cursor, length) : 0;
    while (!is_packed || !cursor_at_end(cursor)) {
        ids->items =
            arena_grow(reader->arena, ids->items, ids->count, &ids->capacity, sizeof *ids->items);
        if (!number_read(cursor, &ids->items[ids->count], err) ||
            !arena_ok(reader->arena, "the programs of a profile", err))
            return false;
        ids->count++;
        if (!is_packed)
            return true;
    }
    cursor_leave(cursor, outer);
    return true;
}

/* One field, whose tag was read; into: where the table puts it. */
static bool field_read(struct hlo_reader *reader, uint32_t tag, const struct hlo_field *field,
                       void *into, struct err *err)
{
    const enum wire_type type = tag_type(tag);
    if (field->kind == HLO_IDS && (type == WIRE_VARINT || type == WIRE_BYTES))
        return ids_read(reader, tag, into, err);
    if (field->kind == HLO_NUMBER && type == WIRE_VARINT)
        return number_read(reader->cursor, into, err);
    if (field->kind == HLO_FLAG && type == WIRE_VARINT) {
        int64_t number;
        if (!number_read(reader->cursor, &number, err))
            return false;
        *(bool *)into = number != 0;
        return true;
    }
    if (field->kind == HLO_TEXT && type == WIRE_BYTES)
        return text_read(reader, into, err);
    if (field->kind == HLO_MESSAGE && type == WIRE_BYTES)
        return hlo_message_read(reader, field->fields, into, err);
    if (field->kind == HLO_TAKEN && type == WIRE_BYTES)
        return field->take(reader, into, err);
    return cursor_skip_field(reader->cursor, tag, err);
}

bool hlo_fields_read(struct hlo_reader *reader, const struct hlo_field *fields, void *into,
                     struct err *err)
{
    while (!cursor_at_end(reader->cursor)) {
        const struct hlo_field *field = fields;
        uint32_t tag;
        if (!cursor_tag(reader->cursor, &tag, err))
            return false;
        while (field->number != 0 && field->number != tag_field(tag))
            field++;
        const bool read = field->number == 0
                              ? cursor_skip_field(reader->cursor, tag, err)
                              : field_read(reader, tag, field, (char *)into + field->at, err);
        if (!read || !arena_ok(reader->arena, "the programs of a profile", err))
            return false;
    }
    return true;
}

bool hlo_message_read(struct hlo_reader *reader, const struct hlo_field *fields, void *into,
                      struct err *err)
{
    uint64_t length;
    if (!cursor_length(reader->cursor, &length, err))
        return false;
    const int64_t outer = cursor_enter(reader->cursor, length);
    if (!hlo_fields_read(reader, fields, into, err))
        return false;
    cursor_leave(reader->cursor, outer);
    return true;
}
