/* What is written to a descriptor compressed with gzip, as it comes.
 */
#ifndef INGEST_WIRE_GZIP_WRITER_H
#define INGEST_WIRE_GZIP_WRITER_H

#include "ops/runtime/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct isal_zstream;

struct gzip_writer {
    int fd;           /* the caller's */
    const char *name; /* of it, for messages */
    struct isal_zstream *stream;
    uint8_t *level, *out;
};

/* Begins one gzip member; the same bytes give the same file.
 * gzip_writer_done accepts a zeroed writer. */
void gzip_writer_init(struct gzip_writer *writer, int fd, const char *name);
void gzip_writer_done(struct gzip_writer *writer);

/* Adds bytes. ERR_FULL on a full disk, ERR_IO. */
bool gzip_writer_add(struct gzip_writer *writer, const void *bytes, size_t length, struct err *err);

/* Ends the member. */
bool gzip_writer_finish(struct gzip_writer *writer, struct err *err);

#define scoped_gzip_writer __attribute__((cleanup(gzip_writer_done))) struct gzip_writer

#endif
