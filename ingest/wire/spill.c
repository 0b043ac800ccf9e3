#include "ingest/wire/spill.h"

#include "ops/runtime/arena.h"
#include "ops/runtime/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPILL_BUFFER_BYTES = 64 * 1024 };

void spill_init(struct spill *spill)
{
    *spill = (struct spill){.fd = -1};
}

void spill_done(struct spill *spill)
{
    if (spill->fd >= 0)
        (void)close(spill->fd);
    free(spill->buffer);
    spill_init(spill);
}

static const char *folder_of(void)
{
    const char *folder = getenv("TMPDIR");
    return folder == NULL || *folder == '\0' ? "/tmp" : folder;
}

static bool spill_open(struct spill *spill, struct err *err)
{
    const char *folder = folder_of();
    char path[4096];
    if (snprintf(path, sizeof path, "%s/stepledger-XXXXXX", folder) >= (int)sizeof path)
        return err_set(err, ERR_INPUT, "TMPDIR is too long");
    spill->buffer = memory_alloc(SPILL_BUFFER_BYTES);
    spill->fd = mkostemp(path, O_CLOEXEC);
    if (spill->fd < 0)
        return err_set_errno(err, ERR_FULL, "cannot make a temporary file in '%s' (set TMPDIR)",
                             folder);
    (void)unlink(path);
    return true;
}

bool spill_flush(struct spill *spill, struct err *err)
{
    bool written = spill->filled == 0 || file_write_all(spill->fd, spill->buffer, spill->filled,
                                                        "the temporary file", err);
    spill->filled = 0;
    return written || err_prefix(err, "in '%.200s' (set TMPDIR)", folder_of());
}

bool spill_write(struct spill *spill, const void *bytes, size_t length, struct err *err)
{
    if (spill->fd < 0 && !spill_open(spill, err))
        return false;
    const char *p = bytes;
    while (length > 0) {
        size_t room = SPILL_BUFFER_BYTES - spill->filled;
        size_t part = length < room ? length : room;
        memcpy(spill->buffer + spill->filled, p, part);
        spill->filled += part;
        spill->size_bytes += (int64_t)part;
        p += part;
        length -= part;
        if (spill->filled == SPILL_BUFFER_BYTES && !spill_flush(spill, err))
            return false;
    }
    return true;
}

bool spill_read(const struct spill *spill, int64_t offset, void *bytes, size_t length,
                struct err *err)
{
    char *p = bytes;
    while (length > 0) {
        ssize_t got = pread(spill->fd, p, length, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return err_set_errno(err, ERR_FULL, "cannot read the temporary file back");
        p += got;
        offset += got;
        length -= (size_t)got;
    }
    return true;
}
