/* The guard in front of protobuf-c; see proto.h. Depth is bounded by the schema, which does not
 * recurse; unknown groups are bounded by cursor_skip_field.
 */
#include "ingest/wire/proto.h"
#include "ingest/wire/limits.h"

#include <stdlib.h>

/* A length is written before what it counts is known: always in five bytes. */
enum { LENGTH_BYTES = 5 };

static void put_varint(struct text *out, uint64_t value)
{
    while (value >= VARINT_MORE) {
        text_addc(out, (char)(value | VARINT_MORE));
        value >>= 7;
    }
    text_addc(out, (char)value);
}

static void patch_length(struct text *out, size_t at)
{
    if (out->failed)
        return;
    uint64_t length = out->length - at - LENGTH_BYTES;
    for (size_t i = 0; i < LENGTH_BYTES; i++, length >>= 7) {
        bool last = i == LENGTH_BYTES - 1;
        out->data[at + i] = (char)((length & 0x7F) | (last ? 0u : VARINT_MORE));
    }
}

/* The wire type of a field as it is declared; packed lists of numbers come as WIRE_BYTES as well.
 */
static enum wire_type declared_type(const ProtobufCFieldDescriptor *field)
{
    switch (field->type) {
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE:
        return WIRE_BYTES;
    case PROTOBUF_C_TYPE_DOUBLE:
        return WIRE_FIXED64;
    default:
        return WIRE_VARINT;
    }
}

static bool message_field_copy(struct cursor *cursor, const ProtobufCMessageDescriptor *descriptor,
                               struct text *out, struct err *err)
{
    uint64_t length;
    if (!cursor_length(cursor, &length, err))
        return false;
    size_t at = out->length;
    text_addn(out, "\0\0\0\0\0", LENGTH_BYTES);
    int64_t outer = cursor_enter(cursor, length);
    if (!proto_message_copy(cursor, descriptor, out, err))
        return false;
    cursor_leave(cursor, outer);
    patch_length(out, at);
    return true;
}

static bool bytes_field_copy(struct cursor *cursor, const ProtobufCFieldDescriptor *field,
                             struct text *out, struct err *err)
{
    uint64_t length;
    if (!cursor_length(cursor, &length, err))
        return false;
    if (field->type == PROTOBUF_C_TYPE_BYTES && length > BYTES_VALUE_MAX) {
        put_varint(out, 0);
        return cursor_skip(cursor, length, err);
    }
    bool is_text = field->type == PROTOBUF_C_TYPE_STRING;
    size_t kept = is_text && length > TEXT_MAX_BYTES ? TEXT_MAX_BYTES + 1 : (size_t)length;
    if (!cursor_need(cursor, kept, err))
        return false;
    const char *bytes = (const char *)cursor->p;
    if (is_text)
        kept = limit_text(bytes, kept, TEXT_MAX_BYTES, &cursor->texts_cut);
    if (is_text && text_utf8_valid(bytes, kept) != kept)
        return cursor_malformed(cursor, "a text is not UTF-8", err);
    put_varint(out, kept);
    text_addn(out, bytes, kept);
    return cursor_skip(cursor, length, err);
}

static bool scalar_field_copy(struct cursor *cursor, enum wire_type type, struct text *out,
                              struct err *err)
{
    uint64_t value;
    if (type == WIRE_VARINT) {
        if (!cursor_varint(cursor, &value, err))
            return false;
        put_varint(out, value);
        return true;
    }
    if (!cursor_need(cursor, sizeof value, err))
        return false;
    text_addn(out, (const char *)cursor->p, sizeof value);
    return cursor_skip(cursor, sizeof value, err);
}

/* The value behind the tag, which the field's declaration fits. */
static bool value_copy(struct cursor *cursor, uint32_t tag, const ProtobufCFieldDescriptor *field,
                       struct text *out, struct err *err)
{
    put_varint(out, tag);
    if (field->type == PROTOBUF_C_TYPE_MESSAGE)
        return message_field_copy(cursor, field->descriptor, out, err);
    if (tag_type(tag) == WIRE_BYTES)
        return bytes_field_copy(cursor, field, out, err);
    return scalar_field_copy(cursor, declared_type(field), out, err);
}

bool proto_field_copy(struct cursor *cursor, uint32_t tag,
                      const ProtobufCMessageDescriptor *descriptor, struct text *out,
                      struct err *err)
{
    const ProtobufCFieldDescriptor *field =
        protobuf_c_message_descriptor_get_field(descriptor, tag_field(tag));
    if (field == NULL)
        return cursor_skip_field(cursor, tag, err);
    enum wire_type type = declared_type(field);
    bool packed = field->label == PROTOBUF_C_LABEL_REPEATED && type != WIRE_BYTES &&
                  tag_type(tag) == WIRE_BYTES;
    if (tag_type(tag) != type && !packed)
        return cursor_skip_field(cursor, tag, err); /* as protobuf does: an unknown field */
    size_t before = out->length;
    if (value_copy(cursor, tag, field, out, err))
        return true;
    out->length = before; /* half a field is none */
    return false;
}

bool proto_message_copy(struct cursor *cursor, const ProtobufCMessageDescriptor *descriptor,
                        struct text *out, struct err *err)
{
    uint32_t tag;
    while (!cursor_at_end(cursor)) {
        if (!cursor_tag(cursor, &tag, err) || !proto_field_copy(cursor, tag, descriptor, out, err))
            return false;
    }
    return text_ok(out, "the head of a profile", err);
}

/* protobuf-c gives up where it gets nothing: so one message of many parts ends where the budget
 * does. */
static void *allocate(void *context, size_t size)
{
    struct arena *arena = context;
    return arena_fits(arena, 1, size) ? arena_alloc(arena, size) : NULL;
}

static void release(void *context, void *pointer)
{
    (void)context; /* the arena goes as a whole */
    (void)pointer;
}

void *proto_unpack(const ProtobufCMessageDescriptor *descriptor, const struct text *copy,
                   struct arena *arena, struct err *err)
{
    if (!text_ok(copy, "the head of a profile", err))
        return NULL;
    ProtobufCAllocator allocator = {allocate, release, arena};
    void *message = protobuf_c_message_unpack(descriptor, &allocator, copy->length,
                                              (const uint8_t *)text_string(copy));
    if (message == NULL && arena_ok(arena, "the heads of a profile", err))
        (void)err_set(err, ERR_INPUT, "a message of type %s cannot be read", descriptor->name);
    return message;
}
