/* Implements the input of archives on a buffered stream. */
#include "history/archive/archive_input.h"

#include "ops/runtime/file.h"

#include <inttypes.h>
#include <stdarg.h>

enum { FAULT_BYTES = 400 };

bool archive_input_fault(const struct archive_input *input, struct err *err, const char *format,
                         ...)
{
    char what[FAULT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return err_set(err, ERR_INPUT, "%s: before byte %" PRId64 ": %s", input->path, input->offset,
                   what);
}

bool archive_input_open(struct archive_input *input, const char *path, struct err *err)
{
    input->path = path;
    input->stream = file_stream(path, err);
    if (input->stream == NULL)
        return false;
    input->hash = sha256_new(err);
    return input->hash != NULL;
}

void archive_input_close(struct archive_input *input)
{
    if (input->stream != NULL)
        (void)fclose(input->stream);
    sha256_free(input->hash);
    *input = (struct archive_input){0};
}

static bool input_ended(const struct archive_input *input, struct err *err)
{
    if (ferror(input->stream))
        return err_set_errno(err, ERR_INPUT, "cannot read %s", input->path);
    return archive_input_fault(input, err, "the archive ends here: it is torn");
}

bool archive_input_line(struct archive_input *input, struct text *ret_line, struct err *err)
{
    int c;
    ret_line->length = 0;
    while ((c = getc_unlocked(input->stream)) != EOF && c != '\n') {
        if (ret_line->length == ARCHIVE_LINE_BYTES_MAX)
            return archive_input_fault(input, err, "a line has more than %d bytes",
                                       ARCHIVE_LINE_BYTES_MAX);
        text_addc(ret_line, (char)c);
    }
    if (!text_ok(ret_line, "a line of the archive", err))
        return false;
    sha256_add(input->hash, text_string(ret_line), ret_line->length);
    input->offset += (int64_t)ret_line->length;
    if (c == EOF)
        return input_ended(input, err);
    sha256_add(input->hash, "\n", 1);
    input->offset++;
    return true;
}

bool archive_input_bytes(struct archive_input *input, void *ret_bytes, size_t length,
                         struct err *err)
{
    size_t got = fread(ret_bytes, 1, length, input->stream);
    sha256_add(input->hash, ret_bytes, got);
    input->offset += (int64_t)got;
    return got == length || input_ended(input, err);
}

bool archive_input_end(struct archive_input *input, uint8_t ret_sha256[SHA256_BYTES],
                       struct err *err)
{
    if (getc_unlocked(input->stream) != EOF)
        return archive_input_fault(input, err, "something follows the end");
    return sha256_finish(input->hash, ret_sha256, err);
}
