#include "tests/support/xplane_bytes.h"

#include <string.h>

enum { VARINT_TYPE = 0, DOUBLE_TYPE = 1, BYTES_TYPE = 2, MORE = 0x80 };

static void varint_put(struct text *message, uint64_t value)
{
    for (; value >= MORE; value >>= 7)
        text_addc(message, (char)(value | MORE));
    text_addc(message, (char)value);
}

static void string_part_put(struct text *message, uint32_t field, const char *bytes, size_t length)
{
    varint_put(message, field << 3 | BYTES_TYPE);
    varint_put(message, length);
    text_addn(message, bytes, length);
}

void number_put(struct text *message, uint32_t field, int64_t number)
{
    varint_put(message, field << 3 | VARINT_TYPE);
    varint_put(message, (uint64_t)number);
}

void double_put(struct text *message, uint32_t field, double number)
{
    char bytes[sizeof number];
    memcpy(bytes, &number, sizeof bytes);
    varint_put(message, field << 3 | DOUBLE_TYPE);
    text_addn(message, bytes, sizeof bytes);
}

void string_put(struct text *message, uint32_t field, const char *string)
{
    string_part_put(message, field, string, strlen(string));
}

void bytes_put(struct text *message, uint32_t field, const struct text *bytes)
{
    string_part_put(message, field, text_string(bytes), bytes->length);
}

void name_put(struct text *plane, uint32_t field, int64_t id, const char *name)
{
    scoped_text entry, value;
    text_init(&entry, XPLANE_BYTES_MOST);
    text_init(&value, XPLANE_BYTES_MOST);
    number_put(&value, 1, id);
    string_put(&value, 2, name);
    number_put(&entry, 1, id);
    bytes_put(&entry, 2, &value);
    bytes_put(plane, field, &entry);
}

static void event_begin(struct text *event, int64_t id, int64_t offset_ps, int64_t duration_ps)
{
    text_init(event, XPLANE_BYTES_MOST);
    number_put(event, EVENT_ID, id);
    number_put(event, EVENT_OFFSET_PS, offset_ps);
    number_put(event, EVENT_DURATION_PS, duration_ps);
}

void event_put(struct text *line, int64_t id, int64_t offset_ps, int64_t duration_ps)
{
    scoped_text event;
    event_begin(&event, id, offset_ps, duration_ps);
    bytes_put(line, LINE_EVENT, &event);
}

void counted_event_put(struct text *line, int64_t id, const int64_t times_ps[2],
                       const int64_t stat[2])
{
    scoped_text event, value;
    event_begin(&event, id, times_ps[0], times_ps[1]);
    text_init(&value, XPLANE_BYTES_MOST);
    number_put(&value, STAT_ID, stat[0]);
    number_put(&value, STAT_INT_VALUE, stat[1]);
    bytes_put(&event, EVENT_STAT, &value);
    bytes_put(line, LINE_EVENT, &event);
}

void line_begin(struct text *line, int64_t id, const char *name, int64_t timestamp_ns)
{
    text_init(line, XPLANE_BYTES_MOST);
    number_put(line, LINE_ID, id);
    string_put(line, LINE_NAME, name);
    number_put(line, LINE_TIMESTAMP_NS, timestamp_ns);
}

void plane_begin(struct text *plane, const char *name)
{
    text_init(plane, XPLANE_BYTES_MOST);
    string_put(plane, PLANE_NAME, name);
}
