/* Fuzz target: the wire format in memory and through a file window. Both readers walk the same
 * bytes and must agree on where each field ends and which bytes are no message at all.
 */
#include "ingest/wire/cursor.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool promise)
{
    if (!promise)
        abort();
}

/* Where the first field from `at` on ends; -1 when there is none. */
static int64_t memory_field_end(const uint8_t *data, size_t size, int64_t at)
{
    uint32_t tag;
    const uint8_t *p = tag_read(data + at, data + size, &tag);
    if (p != NULL)
        p = wire_skip(p, data + size, tag);
    require(p == NULL || (p > data + at && p <= data + size));
    return p == NULL ? -1 : p - data;
}

static int64_t file_field_end(struct cursor *cursor)
{
    uint32_t tag;
    struct err err;
    if (cursor_tag(cursor, &tag, &err) && cursor_skip_field(cursor, tag, &err))
        return cursor_offset(cursor);
    require(err.kind == ERR_INPUT);
    return -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[32];
    int fd = memfd_create("wire", MFD_CLOEXEC);
    require(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    scoped_input input = {.fd = -1};
    scoped_cursor cursor;
    struct err err;
    require(input_open(path, &input, &err));
    cursor_init(&cursor, &input, 1 << 20);
    cursor_seek(&cursor, 0, (int64_t)size);
    int64_t at = 0;
    while (at >= 0 && !cursor_at_end(&cursor)) {
        int64_t next = file_field_end(&cursor);
        require(next == memory_field_end(data, size, at));
        at = next;
    }
    (void)close(fd);
    return 0;
}
