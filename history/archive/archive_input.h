/* The bytes of an archive, read once from front to end and hashed on the way, for
 * history/archive/archive_read.c only. */
#ifndef HISTORY_ARCHIVE_ARCHIVE_INPUT_H
#define HISTORY_ARCHIVE_ARCHIVE_INPUT_H

#include "ops/runtime/digest.h"
#include "ops/runtime/text.h"

#include <stdio.h>

enum { ARCHIVE_LINE_BYTES_MAX = 65536 };

struct archive_input { /* start with {0} */
    const char *path;
    FILE *stream;
    struct sha256 *hash;
    int64_t offset; /* bytes read so far */
};

/* ERR_MISSING, ERR_INPUT. archive_input_close accepts a zeroed one. */
bool archive_input_open(struct archive_input *input, const char *path, struct err *err);
void archive_input_close(struct archive_input *input);

/* A line without its newline, at most ARCHIVE_LINE_BYTES_MAX. ERR_INPUT at the end of the file. */
bool archive_input_line(struct archive_input *input, struct text *ret_line, struct err *err);

/* Exactly so many bytes. */
bool archive_input_bytes(struct archive_input *input, void *ret_bytes, size_t length,
                         struct err *err);

/* Nothing follows; the hash of the whole file. */
bool archive_input_end(struct archive_input *input, uint8_t ret_sha256[SHA256_BYTES],
                       struct err *err);

/* ERR_INPUT with the place in the file. */
bool archive_input_fault(const struct archive_input *input, struct err *err, const char *format,
                         ...) __attribute__((format(printf, 3, 4)));

#define scoped_archive_input __attribute__((cleanup(archive_input_close))) struct archive_input

#endif
