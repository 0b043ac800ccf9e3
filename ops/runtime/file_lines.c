/* Implements lines as one buffer that doubles. getline would take what the longest line asks for,
 * and a line is as long as the file lets it. */
#include "ops/runtime/file.h"

#include <stdlib.h>

enum { LINE_MIN_BYTES = 4096 };

static bool line_grow(struct file_lines *lines, struct err *err)
{
    size_t wanted = lines->capacity == 0 ? LINE_MIN_BYTES : 2 * lines->capacity;
    if (!arena_reserve(lines->memory, wanted - lines->capacity))
        return arena_failed(lines->memory, "the line", err) ||
               err_prefix(err, "%s:%zu", lines->path, lines->number);
    char *grown = realloc(lines->line, wanted);
    if (grown == NULL) {
        arena_release(lines->memory, wanted - lines->capacity);
        return err_set_memory(err, "no memory for %s:%zu", lines->path, lines->number);
    }
    lines->line = grown;
    lines->capacity = wanted;
    return true;
}

bool file_lines_next(struct file_lines *lines, bool *ret_found, struct err *err)
{
    int c = 0;
    lines->length = 0;
    lines->number++;
    while (c != '\n' && (c = getc_unlocked(lines->stream)) != EOF) {
        if (lines->length + 1 >= lines->capacity && !line_grow(lines, err))
            return false;
        lines->line[lines->length++] = (char)c;
    }
    if (ferror(lines->stream))
        return err_set_errno(err, ERR_INPUT, "cannot read %s", lines->path);
    *ret_found = lines->length > 0;
    if (*ret_found)
        lines->line[lines->length] = '\0';
    else
        lines->number--;
    return true;
}

void file_lines_rewind(struct file_lines *lines)
{
    rewind(lines->stream);
    lines->number = 0;
}

void file_lines_done(struct file_lines *lines)
{
    if (lines->memory != NULL)
        arena_release(lines->memory, lines->capacity);
    free(lines->line);
    lines->line = NULL;
    lines->capacity = 0;
}
