/* Implements the output of archives: buffered, flushed, read again, and only then in its place. */
#include "history/archive/archive_output.h"

#include "history/archive/archive_read.h"
#include "ops/runtime/file.h"
#include "ops/runtime/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

enum { BUFFER_BYTES = 1 << 18 };

bool archive_output_open(struct archive_output *output, const char *path, struct arena *arena,
                         struct err *err)
{
    char *part;
    *output = (struct archive_output){.path = path};
    text_init(&output->buffer, BUFFER_BYTES);
    output->fd = file_part_open(path, arena, &part, err);
    output->part = part;
    return output->fd >= 0;
}

void archive_output_close(struct archive_output *output)
{
    text_done(&output->buffer);
    if (output->fd >= 0 && close(output->fd) == 0)
        (void)unlink(output->part);
}

static bool buffer_flush(struct archive_output *output, struct err *err)
{
    struct text *buffer = &output->buffer;
    if (!text_ok(buffer, "a part of the archive", err) ||
        !file_write_all(output->fd, text_string(buffer), buffer->length, output->part, err))
        return false;
    buffer->length = 0;
    return true;
}

bool archive_output_bytes(struct archive_output *output, const void *bytes, size_t length,
                          struct err *err)
{
    if (output->buffer.length + length > BUFFER_BYTES && !buffer_flush(output, err))
        return false;
    if (length > BUFFER_BYTES)
        return file_write_all(output->fd, bytes, length, output->part, err);
    text_addn(&output->buffer, bytes, length);
    return true;
}

bool archive_output_line(struct archive_output *output, json_t *line, struct err *err)
{
    scoped_json *owned = line;
    scoped_text text;
    text_init(&text, BUFFER_BYTES);
    if (owned == NULL)
        return err_set_memory(err, "no memory for a line of the archive");
    json_print(owned, JSON_STYLE_LINE, &text);
    text_addc(&text, '\n');
    return text_ok(&text, "a line of the archive", err) &&
           archive_output_bytes(output, text_string(&text), text.length, err);
}

/* Forgotten by the kernel, so that reading it again reads the disk. */
static bool part_settle(const struct archive_output *output, struct err *err)
{
    if (fsync(output->fd) != 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot flush %s", output->part);
    (void)posix_fadvise(output->fd, 0, 0, POSIX_FADV_DONTNEED);
    return true;
}

/* What is there already may be all that is left of another month. */
static bool part_name(const struct archive_output *output, const struct archive_file *file,
                      struct err *err)
{
    struct archive_file held;
    if (renameat2(AT_FDCWD, output->part, AT_FDCWD, output->path, RENAME_NOREPLACE) == 0 ||
        (errno == EINVAL && link(output->part, output->path) == 0)) /* a network's file system */
        return true;
    if (errno != EEXIST)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot write %s", output->path);
    return (archive_read(output->path, NULL, &held, NULL) &&
            memcmp(held.sha256, file->sha256, SHA256_BYTES) == 0) ||
           err_set(err, ERR_INPUT,
                   "%s is there already and holds something else: name another file", output->path);
}

bool archive_output_finish(struct archive_output *output, struct archive_file *ret_file,
                           struct err *err)
{
    return buffer_flush(output, err) && part_settle(output, err) &&
           archive_read(output->part, NULL, ret_file, err) && part_name(output, ret_file, err) &&
           file_folder_flush(output->path, err);
}
