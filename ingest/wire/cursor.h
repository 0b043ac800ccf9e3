/* A cursor over one message of an open file, through a bounded read window.
 *
 * pread, not mmap: mapped pages would count as ours, and a file that shrinks would kill the
 * process. A message may be larger than the window; one field that must be contiguous may not be
 * larger than max_bytes. Every failure names the file and the byte.
 */
#ifndef INGEST_WIRE_CURSOR_H
#define INGEST_WIRE_CURSOR_H

#include "ingest/wire/varint.h"
#include "ops/runtime/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct input {
    int fd; /* -1 when closed */
    const char *path;
    int64_t size_bytes;
};

struct cursor {
    const struct input *input;
    uint8_t *buffer; /* VARINT_WORD_BYTES more than its capacity are readable */
    size_t capacity, filled;
    size_t max_bytes;       /* the window never grows beyond */
    int64_t base;           /* place in the file of buffer[0] */
    const uint8_t *p, *end; /* what is left of the message in the window */
    int64_t limit;          /* place in the file where the message ends */
    bool ran_out;           /* the last failure was a message that ends too early */
    int64_t texts_cut;      /* by proto_field_copy */
};

/* ERR_MISSING, ERR_INPUT (a directory, not readable, a pipe). path must outlive the input. */
bool input_open(const char *path, struct input *ret_input, struct err *err);
void input_close(struct input *input);

/* Prepares a cursor over nothing. cursor_done accepts a zeroed cursor. */
void cursor_init(struct cursor *cursor, const struct input *input, int64_t max_bytes);
void cursor_done(struct cursor *cursor);

/* Moves to the message at [offset, limit) of the file; what the window already holds is kept. */
void cursor_seek(struct cursor *cursor, int64_t offset, int64_t limit);

/* Makes at least `count` bytes lie at cursor->p. ERR_INPUT when the message has fewer left,
 * ERR_LIMIT beyond max_bytes. */
bool cursor_fill(struct cursor *cursor, size_t count, struct err *err);

/* The slow path of cursor_varint. */
bool cursor_varint_slow(struct cursor *cursor, uint64_t *ret_value, struct err *err);

/* ERR_INPUT "<path>: byte N: <what>"; returns false. */
bool cursor_malformed(const struct cursor *cursor, const char *what, struct err *err);

/* Skips count bytes of the message. */
bool cursor_skip(struct cursor *cursor, uint64_t count, struct err *err);

/* Skips the value behind a tag, unknown groups included. */
bool cursor_skip_field(struct cursor *cursor, uint32_t tag, struct err *err);

/* Reads a tag. */
bool cursor_tag(struct cursor *cursor, uint32_t *ret_tag, struct err *err);

/* Reads a length and checks that the message holds so many bytes. */
bool cursor_length(struct cursor *cursor, uint64_t *ret_length, struct err *err);

static inline int64_t cursor_offset(const struct cursor *cursor)
{
    return cursor->base + (cursor->p - cursor->buffer);
}

static inline bool cursor_at_end(const struct cursor *cursor)
{
    return cursor->p == cursor->end && cursor_offset(cursor) >= cursor->limit;
}

static inline bool cursor_need(struct cursor *cursor, size_t count, struct err *err)
{
    return (size_t)(cursor->end - cursor->p) >= count || cursor_fill(cursor, count, err);
}

static inline bool cursor_varint(struct cursor *cursor, uint64_t *ret_value, struct err *err)
{
    if (cursor->p < cursor->end && *cursor->p < VARINT_MORE) {
        *ret_value = *cursor->p++;
        return true;
    }
    return cursor_varint_slow(cursor, ret_value, err);
}

/* Narrows the cursor to the next `length` bytes, which cursor_length has checked; returns what
 * cursor_leave takes to widen it again. */
int64_t cursor_enter(struct cursor *cursor, uint64_t length);
void cursor_leave(struct cursor *cursor, int64_t outer_limit);

static inline void input_cleanup(struct input *input)
{
    input_close(input);
}
#define scoped_input __attribute__((cleanup(input_cleanup))) struct input
#define scoped_cursor __attribute__((cleanup(cursor_done))) struct cursor

#endif
