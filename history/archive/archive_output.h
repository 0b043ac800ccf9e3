/* The file that an archive is written to, for history/archive/archive_write.c only. It has its name
 * only when it is whole. */
#ifndef HISTORY_ARCHIVE_ARCHIVE_OUTPUT_H
#define HISTORY_ARCHIVE_ARCHIVE_OUTPUT_H

#include "history/archive/archive.h"
#include "ops/runtime/text.h"

#include <jansson.h>

struct archive_output {
    const char *path, *part; /* part: where it is until then */
    int fd;
    struct text buffer;
};

/* Starts the file; the paths live in the arena. ERR_INPUT. archive_output_close must follow. */
bool archive_output_open(struct archive_output *output, const char *path, struct arena *arena,
                         struct err *err);

/* Closes it, and removes what did not get its name. */
void archive_output_close(struct archive_output *output);

/* Appends bytes; a line of JSON (takes it over; NULL: there was no memory for it). */
bool archive_output_bytes(struct archive_output *output, const void *bytes, size_t length,
                          struct err *err);
bool archive_output_line(struct archive_output *output, json_t *line, struct err *err);

/* Flushes it to the disk, reads it again, and gives it its name. A file of that name stays what it
 * is, and is taken when it holds the same. ERR_INPUT otherwise. */
bool archive_output_finish(struct archive_output *output, struct archive_file *ret_file,
                           struct err *err);

#endif
