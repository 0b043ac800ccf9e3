/* A temporary file without a name: what does not fit in memory goes there and comes back.
 *
 * It lies in $TMPDIR, else in /tmp, and vanishes with the process, however that ends. Not a file
 * until the first byte is written.
 */
#ifndef INGEST_WIRE_SPILL_H
#define INGEST_WIRE_SPILL_H

#include "ops/runtime/err.h"

#include <stddef.h>
#include <stdint.h>

struct spill {
    int fd;             /* -1 until something was written */
    int64_t size_bytes; /* flushed or not */
    char *buffer;
    size_t filled;
};

/* No file yet. spill_done accepts what spill_init made, and forgets the file. */
void spill_init(struct spill *spill);
void spill_done(struct spill *spill);

/* Appends. ERR_FULL on a full disk. */
bool spill_write(struct spill *spill, const void *bytes, size_t length, struct err *err);

/* Writes out what is buffered; needed before reading. */
bool spill_flush(struct spill *spill, struct err *err);

/* Reads length bytes at offset. */
bool spill_read(const struct spill *spill, int64_t offset, void *bytes, size_t length,
                struct err *err);

#endif
