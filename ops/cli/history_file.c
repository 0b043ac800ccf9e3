/* Appends to a JSONL history. */
#include "ops/cli/history_file.h"

#include "ops/runtime/file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

enum { RECORD_MAX_BYTES = 256 << 20 };

static bool make_folder(const char *path, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, strlen(path) + 8192);
    char *folder = arena_strdup(&arena, path);
    if (folder == NULL)
        return arena_failed(&arena, path, err);
    char *slash = strrchr(folder, '/');
    if (slash == NULL || slash == folder)
        return true;
    *slash = '\0';
    return file_make_dirs(folder, err);
}

/* true when the file does not end in a line break. */
static bool is_torn(int fd, off_t size)
{
    char last = '\n';
    return size > 0 && pread(fd, &last, 1, size - 1) == 1 && last != '\n';
}

/* A record is there whole and for good, or not at all. */
static bool line_write(int fd, const struct text *line, const char *path, struct err *err)
{
    return file_write_all(fd, line->data, line->length, path, err) &&
           (fsync(fd) == 0 || err_set_errno(err, ERR_UNAVAILABLE, "cannot flush '%s'", path)) &&
           file_folder_flush(path, err);
}

bool history_file_append(const char *path, const json_t *record, struct err *err)
{
    scoped_text line;
    text_init(&line, RECORD_MAX_BYTES);
    scoped_fd fd = -1;
    if (!make_folder(path, err))
        return false;
    fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0 || flock(fd, LOCK_EX) != 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot open the history '%s'", path);
    struct stat info;
    if (fstat(fd, &info) != 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot look at the history '%s'", path);
    if (is_torn(fd, info.st_size))
        text_addc(&line, '\n');
    json_print(record, JSON_STYLE_LINE, &line);
    text_addc(&line, '\n');
    if (!text_ok(&line, "the record", err))
        return false;
    if (line_write(fd, &line, path, err))
        return true;
    (void)!ftruncate(fd, info.st_size);
    return false;
}
