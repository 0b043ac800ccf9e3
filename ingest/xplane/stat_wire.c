/* XStat straight from the wire: what events carry, read without an unpacker. */
#include "ingest/wire/wire.h"
#include "ingest/xplane/plane_stats.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    XSTAT_ID = 1,
    XSTAT_DOUBLE,
    XSTAT_UINT64,
    XSTAT_INT64,
    XSTAT_STR,
    XSTAT_BYTES,
    XSTAT_REF,
    XSTAT_GZIP
};

/* A member of the value's oneof; the last one in the message counts. */
struct raw_value {
    unsigned member; /* 0 = unset */
    uint64_t number;
    const uint8_t *bytes;
    bool has_gzip; /* beside them */
};

static const uint8_t *bytes_read(const uint8_t *p, const uint8_t *end, struct raw_value *raw)
{
    p = varint_read(p, end, &raw->number);
    if (p == NULL || raw->number > (uint64_t)(end - p))
        return NULL;
    raw->bytes = p;
    size_t length = (size_t)raw->number;
    if (raw->member == XSTAT_STR && text_utf8_valid((const char *)p, length) != length)
        return NULL;
    return p + length;
}

static const uint8_t *member_read(uint32_t tag, const uint8_t *p, const uint8_t *end,
                                  struct raw_value *raw)
{
    switch (tag) {
    case WIRE_TAG(XSTAT_DOUBLE, WIRE_FIXED64):
        raw->member = XSTAT_DOUBLE;
        raw->bytes = p;
        return end - p >= 8 ? p + 8 : NULL;
    case WIRE_TAG(XSTAT_UINT64, WIRE_VARINT):
    case WIRE_TAG(XSTAT_INT64, WIRE_VARINT):
    case WIRE_TAG(XSTAT_REF, WIRE_VARINT):
        raw->member = tag_field(tag);
        return varint_read(p, end, &raw->number);
    case WIRE_TAG(XSTAT_STR, WIRE_BYTES):
    case WIRE_TAG(XSTAT_BYTES, WIRE_BYTES):
        raw->member = tag_field(tag);
        return bytes_read(p, end, raw);
    case WIRE_TAG(XSTAT_GZIP, WIRE_BYTES):
        raw->has_gzip = true;
        return wire_skip(p, end, tag);
    default:
        return wire_skip(p, end, tag);
    }
}

/* The name of that stat metadata, the number itself when there is none. */
static bool reference_resolve(const struct plane_ops *ops, uint64_t id,
                              struct stat_value *ret_value)
{
    int32_t index = id_map_find(&ops->stat_by_id, (int64_t)id);
    char digits[24];
    ret_value->type = STAT_TEXT;
    if (index != ID_MAP_ABSENT) {
        ret_value->text = ops->stats[index].name;
        ret_value->length = strlen(ret_value->text);
        return true;
    }
    ret_value->length = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, id);
    ret_value->text = catalog_keep(ops->catalog, digits, ret_value->length);
    return ret_value->text != NULL;
}

static bool text_resolve(struct plane_ops *ops, const struct raw_value *raw,
                         struct stat_value *ret_value)
{
    const char *text = (const char *)raw->bytes;
    size_t length = (size_t)raw->number;
    if (raw->member == XSTAT_BYTES && text_utf8_valid(text, length) != length) {
        text = catalog_keep(ops->catalog, text, length);
        if (text == NULL)
            return false;
        length = strlen(text);
    }
    length = limit_text(text, length, TEXT_MAX_BYTES, &ops->texts_cut);
    *ret_value = (struct stat_value){.type = STAT_TEXT, .text = text, .length = length};
    return true;
}

static bool value_resolve(struct plane_ops *ops, const struct raw_value *raw,
                          struct stat_value *ret_value)
{
    switch (raw->member) {
    case XSTAT_DOUBLE:
        ret_value->type = STAT_DOUBLE;
        ret_value->double_value = wire_double(raw->bytes);
        return true;
    case XSTAT_UINT64:
        ret_value->type = STAT_UINT;
        ret_value->unsigned_value = raw->number;
        return true;
    case XSTAT_INT64:
        ret_value->type = STAT_INT;
        ret_value->signed_value = (int64_t)raw->number;
        return true;
    case XSTAT_STR:
    case XSTAT_BYTES:
        return text_resolve(ops, raw, ret_value);
    case XSTAT_REF:
        return reference_resolve(ops, raw->number, ret_value);
    default:
        return true;
    }
}

/* The number of the stat's name in ops->stats, ID_MAP_ABSENT when there is none, and its value as
 * it stands. */
static bool raw_read(const struct plane_ops *ops, const uint8_t *p, const uint8_t *end,
                     int32_t *ret_index, struct raw_value *ret_raw)
{
    uint64_t id = 0;
    uint32_t tag;
    *ret_raw = (struct raw_value){0};
    while (p < end) {
        p = tag_read(p, end, &tag);
        if (p == NULL)
            return false;
        p = tag == WIRE_TAG(XSTAT_ID, WIRE_VARINT) ? varint_read(p, end, &id)
                                                   : member_read(tag, p, end, ret_raw);
        if (p == NULL)
            return false;
    }
    *ret_index = id_map_find(&ops->stat_by_id, (int64_t)id);
    return true;
}

bool plane_stat_parse(struct plane_ops *ops, const uint8_t *p, const uint8_t *end,
                      enum stat_kind *ret_kind, struct stat_value *ret_value)
{
    struct raw_value raw;
    int32_t index;
    *ret_value = (struct stat_value){.type = STAT_UNSET};
    if (!raw_read(ops, p, end, &index, &raw))
        return false;
    *ret_kind = index == ID_MAP_ABSENT ? STAT_OTHER : ops->stats[index].kind;
    ops->has_unread = ops->has_unread || (raw.has_gzip && *ret_kind != STAT_OTHER);
    return *ret_kind == STAT_OTHER || value_resolve(ops, &raw, ret_value);
}

bool plane_stat_device_time(const struct plane_ops *ops, const uint8_t *p, const uint8_t *end,
                            enum device_time *ret_which, int64_t *ret_ps)
{
    struct raw_value raw;
    int32_t index;
    if (!raw_read(ops, p, end, &index, &raw))
        return false;
    *ret_which = index == ID_MAP_ABSENT || (raw.member != XSTAT_UINT64 && raw.member != XSTAT_INT64)
                     ? DEVICE_TIME_NONE
                     : (enum device_time)ops->stats[index].device_time;
    *ret_ps = (int64_t)raw.number;
    return true;
}

bool plane_stat_read(struct plane_ops *ops, const uint8_t *p, const uint8_t *end,
                     const char **ret_name, struct stat_value *ret_value)
{
    struct raw_value raw;
    int32_t index;
    *ret_value = (struct stat_value){.type = STAT_UNSET};
    if (!raw_read(ops, p, end, &index, &raw))
        return false;
    *ret_name = index == ID_MAP_ABSENT ? "" : ops->stats[index].name;
    return value_resolve(ops, &raw, ret_value);
}
