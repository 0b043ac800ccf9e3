/* See gzip_writer.h. By isa-l's level 1: what is written is long and repeats itself, and packing it
 * must not take longer than making it. */
#include "ingest/wire/gzip_writer.h"

#include "ops/runtime/arena.h"
#include "ops/runtime/file.h"

#include <isa-l/igzip_lib.h>
#include <stdlib.h>

enum { OUT_BYTES = 64 * 1024, LEVEL = 1 };

void gzip_writer_init(struct gzip_writer *writer, int fd, const char *name)
{
    *writer = (struct gzip_writer){.fd = fd, .name = name};
    writer->stream = memory_alloc(sizeof *writer->stream);
    writer->level = memory_alloc(ISAL_DEF_LVL1_DEFAULT);
    writer->out = memory_alloc(OUT_BYTES);
    isal_deflate_init(writer->stream);
    writer->stream->gzip_flag = IGZIP_GZIP;
    writer->stream->level = LEVEL;
    writer->stream->level_buf = writer->level;
    writer->stream->level_buf_size = ISAL_DEF_LVL1_DEFAULT;
}

void gzip_writer_done(struct gzip_writer *writer)
{
    free(writer->stream);
    free(writer->level);
    free(writer->out);
    *writer = (struct gzip_writer){0};
}

/* Compresses all that the stream was given, and writes what comes of it. */
static bool out_write(struct gzip_writer *writer, struct err *err)
{
    struct isal_zstream *stream = writer->stream;
    do {
        stream->next_out = writer->out;
        stream->avail_out = OUT_BYTES;
        int state = isal_deflate(stream);
        if (state != COMP_OK)
            return err_set(err, ERR_BUG, "isa-l cannot compress for '%s' (%d)", writer->name,
                           state);
        if (!file_write_all(writer->fd, writer->out, OUT_BYTES - stream->avail_out, writer->name,
                            err))
            return false;
    } while (stream->avail_out == 0);
    return true;
}

bool gzip_writer_add(struct gzip_writer *writer, const void *bytes, size_t length, struct err *err)
{
    writer->stream->next_in = (uint8_t *)(uintptr_t)bytes; /* read only; isa-l lacks the const */
    writer->stream->avail_in = (uint32_t)length;
    return length == 0 || out_write(writer, err);
}

bool gzip_writer_finish(struct gzip_writer *writer, struct err *err)
{
    writer->stream->end_of_stream = 1;
    writer->stream->avail_in = 0;
    return out_write(writer, err);
}
