/* XPlane bytes, field by field, for tests that need to know every byte.
 *
 * Each function appends to a message that is still open; a finished message is put into the one
 * around it with bytes_put. Shares nothing with the reader under test. Source of the numbers:
 * README.md, "The XPlane format".
 */
#ifndef TESTS_SUPPORT_XPLANE_BYTES_H
#define TESTS_SUPPORT_XPLANE_BYTES_H

#include "ops/runtime/text.h"

#include <stdint.h>

enum { XPLANE_BYTES_MOST = 64 << 20 };

/* Fields of the messages, as far as tests write them. */
enum { SPACE_PLANE = 1, SPACE_WARNING = 3 };
enum { PLANE_ID = 1, PLANE_NAME, PLANE_LINE, PLANE_EVENT_NAME, PLANE_STAT_NAME, PLANE_STAT };
enum { LINE_ID = 1, LINE_NAME, LINE_TIMESTAMP_NS, LINE_EVENT };
enum { EVENT_ID = 1, EVENT_OFFSET_PS, EVENT_DURATION_PS, EVENT_STAT };
enum { STAT_ID = 1, STAT_DOUBLE_VALUE, STAT_UINT_VALUE, STAT_INT_VALUE, STAT_STRING_VALUE };

/* A field with a number; a negative one takes ten bytes. */
void number_put(struct text *message, uint32_t field, int64_t number);

/* A field with a double. */
void double_put(struct text *message, uint32_t field, double number);

/* A field with bytes: a text, or a whole message. */
void string_put(struct text *message, uint32_t field, const char *string);
void bytes_put(struct text *message, uint32_t field, const struct text *bytes);

/* An entry of a map from id to name: PLANE_EVENT_NAME or PLANE_STAT_NAME. */
void name_put(struct text *plane, uint32_t field, int64_t id, const char *name);

/* An event without stats. */
void event_put(struct text *line, int64_t id, int64_t offset_ps, int64_t duration_ps);

/* An event with one stat, a whole number. */
void counted_event_put(struct text *line, int64_t id, const int64_t times_ps[2],
                       const int64_t stat[2]);

/* The fields of a line or a plane that stand before its events or lines. */
void line_begin(struct text *line, int64_t id, const char *name, int64_t timestamp_ns);
void plane_begin(struct text *plane, const char *name);

#endif
