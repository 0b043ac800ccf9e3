/* Windows over a file: the only place of the XPlane reader that reads bytes. */
#include "ingest/wire/cursor.h"
#include "ingest/wire/limits.h"
#include "ops/runtime/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

bool input_open(const char *path, struct input *ret_input, struct err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return err_set_errno(err, ERR_INPUT, "cannot open '%s'", path);
    struct stat info;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        (void)close(fd);
        return err_set(err, ERR_INPUT,
                       "'%s' is not a regular file: it was not opened; give the file itself", path);
    }
    *ret_input = (struct input){fd, path, (int64_t)info.st_size};
    return true;
}

void input_close(struct input *input)
{
    if (input->fd > 0)
        (void)close(input->fd);
    input->fd = -1;
}

void cursor_init(struct cursor *cursor, const struct input *input, int64_t max_bytes)
{
    uint8_t *buffer = memory_zalloc(1, WINDOW_BYTES + VARINT_WORD_BYTES);
    *cursor = (struct cursor){.input = input,
                              .buffer = buffer,
                              .capacity = WINDOW_BYTES,
                              .max_bytes = (size_t)max_bytes,
                              .p = buffer,
                              .end = buffer};
}

void cursor_done(struct cursor *cursor)
{
    free(cursor->buffer);
    *cursor = (struct cursor){0};
}

bool cursor_malformed(const struct cursor *cursor, const char *what, struct err *err)
{
    return err_set(err, ERR_INPUT, "'%s', byte %lld: %s", cursor->input->path,
                   (long long)cursor_offset(cursor), what);
}

/* Ends the readable part at the window's end or at the message's, whichever comes first. */
static void set_end(struct cursor *cursor)
{
    int64_t window_end = cursor->base + (int64_t)cursor->filled;
    int64_t end = cursor->limit < window_end ? cursor->limit : window_end;
    cursor->end = cursor->buffer + (end - cursor->base);
}

void cursor_seek(struct cursor *cursor, int64_t offset, int64_t limit)
{
    if (offset < cursor->base || offset > cursor->base + (int64_t)cursor->filled) {
        cursor->base = offset;
        cursor->filled = 0;
    }
    cursor->p = cursor->buffer + (offset - cursor->base);
    cursor->limit = limit;
    set_end(cursor);
}

int64_t cursor_enter(struct cursor *cursor, uint64_t length)
{
    int64_t outer_limit = cursor->limit;
    cursor->limit = cursor_offset(cursor) + (int64_t)length;
    set_end(cursor);
    return outer_limit;
}

void cursor_leave(struct cursor *cursor, int64_t outer_limit)
{
    cursor->limit = outer_limit;
    set_end(cursor);
}

static bool window_grow(struct cursor *cursor, size_t count, struct err *err)
{
    if (count <= cursor->capacity)
        return true;
    if (count > cursor->max_bytes)
        return limit_exceeded("max_string_bytes", (int64_t)cursor->max_bytes, cursor->input->path,
                              err);
    size_t capacity = cursor->capacity;
    while (capacity < count)
        capacity *= 2;
    size_t used = (size_t)(cursor->p - cursor->buffer);
    cursor->buffer = memory_resize(cursor->buffer, capacity + VARINT_WORD_BYTES);
    cursor->capacity = capacity;
    cursor->p = cursor->buffer + used;
    set_end(cursor);
    return true;
}

/* Moves what is left to the window's start and reads behind it. */
static bool window_read(struct cursor *cursor, size_t count, struct err *err)
{
    size_t used = (size_t)(cursor->p - cursor->buffer);
    size_t kept = cursor->filled - used;
    memmove(cursor->buffer, cursor->p, kept);
    cursor->base += (int64_t)used;
    cursor->filled = kept;
    cursor->p = cursor->buffer;
    while (cursor->filled < count) {
        ssize_t got = pread(cursor->input->fd, cursor->buffer + cursor->filled,
                            cursor->capacity - cursor->filled,
                            (off_t)(cursor->base + (int64_t)cursor->filled));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return err_set_errno(err, ERR_INPUT, "cannot read '%s' at byte %lld",
                                 cursor->input->path, (long long)cursor_offset(cursor));
        if (got == 0)
            return cursor_malformed(cursor, "the file became shorter while it was read", err);
        cursor->filled += (size_t)got;
    }
    set_end(cursor);
    return true;
}

bool cursor_fill(struct cursor *cursor, size_t count, struct err *err)
{
    if ((int64_t)count > cursor->limit - cursor_offset(cursor)) {
        cursor->ran_out = true;
        return cursor_malformed(cursor, "a message ends too early", err);
    }
    cursor->ran_out = false;
    return window_grow(cursor, count, err) && window_read(cursor, count, err);
}

bool cursor_varint_slow(struct cursor *cursor, uint64_t *ret_value, struct err *err)
{
    int64_t left = cursor->limit - cursor_offset(cursor);
    size_t most = left < VARINT_MAX_BYTES ? (size_t)left : VARINT_MAX_BYTES;
    if (most == 0 || (size_t)(cursor->end - cursor->p) < most) {
        if (!cursor_fill(cursor, most == 0 ? 1 : most, err))
            return false;
    }
    const uint8_t *p = varint_read(cursor->p, cursor->end, ret_value);
    if (p == NULL) {
        cursor->ran_out = most < VARINT_MAX_BYTES;
        return cursor_malformed(cursor, "a number has no end", err);
    }
    cursor->p = p;
    return true;
}

bool cursor_skip(struct cursor *cursor, uint64_t count, struct err *err)
{
    if (count <= (uint64_t)(cursor->end - cursor->p)) {
        cursor->p += count;
        return true;
    }
    int64_t offset = cursor_offset(cursor);
    if (count > (uint64_t)(cursor->limit - offset)) {
        cursor->ran_out = true;
        return cursor_malformed(cursor, "a field runs past the end of its message", err);
    }
    cursor_seek(cursor, offset + (int64_t)count, cursor->limit);
    return true;
}

bool cursor_tag(struct cursor *cursor, uint32_t *ret_tag, struct err *err)
{
    uint64_t value;
    if (!cursor_varint(cursor, &value, err))
        return false;
    cursor->ran_out = false;
    if (value > UINT32_MAX || tag_field((uint32_t)value) == 0)
        return cursor_malformed(cursor, "no field has such a number", err);
    *ret_tag = (uint32_t)value;
    return true;
}

bool cursor_length(struct cursor *cursor, uint64_t *ret_length, struct err *err)
{
    if (!cursor_varint(cursor, ret_length, err))
        return false;
    if (*ret_length > (uint64_t)(cursor->limit - cursor_offset(cursor))) {
        cursor->ran_out = true;
        return cursor_malformed(cursor, "a field runs past the end of its message", err);
    }
    return true;
}

static bool scalar_skip(struct cursor *cursor, uint32_t tag, struct err *err)
{
    uint64_t value;
    switch (tag_type(tag)) {
    case WIRE_VARINT:
        return cursor_varint(cursor, &value, err);
    case WIRE_FIXED64:
        return cursor_skip(cursor, 8, err);
    case WIRE_FIXED32:
        return cursor_skip(cursor, 4, err);
    case WIRE_BYTES:
        return cursor_length(cursor, &value, err) && cursor_skip(cursor, value, err);
    default:
        cursor->ran_out = false;
        return cursor_malformed(cursor, "no field has such a type", err);
    }
}

bool cursor_skip_field(struct cursor *cursor, uint32_t tag, struct err *err)
{
    uint32_t open[GROUP_MAX_DEPTH];
    size_t depth = 0;
    for (;;) {
        if (tag_type(tag) == WIRE_GROUP) {
            if (depth == GROUP_MAX_DEPTH)
                return cursor_malformed(cursor, "groups are nested too deeply", err);
            open[depth++] = tag_field(tag);
        } else if (tag_type(tag) == WIRE_GROUP_END && depth > 0) {
            if (open[--depth] != tag_field(tag))
                return cursor_malformed(cursor, "a group ends that was not begun", err);
        } else if (!scalar_skip(cursor, tag, err)) {
            return false;
        }
        if (depth == 0)
            return true;
        if (!cursor_tag(cursor, &tag, err))
            return false;
    }
}
