/* Implements whole-file reading, folders and path forms on POSIX calls. */
#include "ops/runtime/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool file_read_some(int fd, void *data, size_t room, const char *name, size_t *ret_count,
                    struct err *err)
{
    ssize_t got;
    do
        got = read(fd, data, room);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return err_set_errno(err, ERR_INPUT, "cannot read '%s'", name);
    *ret_count = (size_t)got;
    return true;
}

bool file_read_all(int fd, const char *path, size_t max_bytes, char *data, size_t *ret_length,
                   struct err *err)
{
    size_t length = 0;
    for (;;) {
        size_t got;
        if (!file_read_some(fd, data + length, max_bytes + 1 - length, path, &got, err))
            return false;
        if (got == 0)
            break;
        length += got;
        if (length > max_bytes)
            return err_set(err, ERR_LIMIT, "'%s' is larger than the limit of %zu bytes", path,
                           max_bytes);
    }
    data[length] = '\0';
    *ret_length = length;
    return true;
}

/* A pipe is waited for, but not for ever: who made it may have forgotten to write. */
static bool pipe_wait(int fd, const char *path, struct err *err)
{
    enum { WRITER_MS = 20000 };
    int ready;
    struct pollfd wanted = {.fd = fd, .events = POLLIN};
    do
        ready = poll(&wanted, 1, WRITER_MS);
    while (ready < 0 && errno == EINTR);
    if (ready < 0)
        return err_set_errno(err, ERR_INPUT, "cannot wait for '%s'", path);
    return ready > 0 || err_set(err, ERR_INPUT, "'%s' is a pipe that nobody wrote to for %d s",
                                path, WRITER_MS / 1000);
}

bool file_open(const char *path, int *ret_fd, struct err *err)
{
    struct stat info;
    scoped_fd fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return err_set_errno(err, ERR_INPUT, "cannot open '%s'", path);
    if (fstat(fd, &info) != 0)
        return err_set_errno(err, ERR_INPUT, "cannot look at '%s'", path);
    if (S_ISDIR(info.st_mode))
        return err_set(err, ERR_INPUT, "'%s' is a directory, not a file", path);
    if (S_ISFIFO(info.st_mode) && !pipe_wait(fd, path, err))
        return false;
    if (fcntl(fd, F_SETFL, 0) != 0)
        return err_set_errno(err, ERR_INPUT, "cannot look at '%s'", path);
    *ret_fd = fd;
    fd = -1;
    return true;
}

FILE *file_stream(const char *path, struct err *err)
{
    scoped_fd fd = -1;
    if (!file_open(path, &fd, err))
        return NULL;
    FILE *stream = fdopen(fd, "r");
    if (stream == NULL)
        (void)err_set_errno(err, ERR_INPUT, "cannot read '%s'", path);
    else
        fd = -1;
    return stream;
}

bool file_read(const char *path, size_t max_bytes, struct arena *arena, char **ret_data,
               size_t *ret_length, struct err *err)
{
    struct stat info;
    scoped_fd fd = -1;
    if (!file_open(path, &fd, err))
        return false;
    if (fstat(fd, &info) != 0)
        return err_set_errno(err, ERR_INPUT, "cannot look at '%s'", path);
    size_t room = max_bytes;
    if (S_ISREG(info.st_mode) && (uintmax_t)info.st_size < max_bytes)
        room = (size_t)
                   info.st_size; /* a file that grows meanwhile is over this limit: said, not cut */
    char *data = arena_alloc(arena, room + 2);
    if (data == NULL)
        return arena_failed(arena, path, err);
    size_t length = 0;
    if (!file_read_all(fd, path, room, data, &length, err))
        return false;
    *ret_data = data;
    if (ret_length != NULL)
        *ret_length = length;
    return true;
}

bool file_write_all(int fd, const void *data, size_t length, const char *name, struct err *err)
{
    const char *p = data;
    while (length > 0) {
        ssize_t put = write(fd, p, length);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return err_set_errno(err, ERR_UNAVAILABLE, "cannot write '%s'", name);
        p += put;
        length -= (size_t)put;
    }
    return true;
}

/* No folder was asked for by name, so none is missing: the file system has no place for it. */
static bool folder_refused(const char *path, struct err *err)
{
    if (err != NULL && !err_set_errno(err, ERR_UNAVAILABLE, "cannot make the folder '%s'", path) &&
        err->kind == ERR_MISSING)
        err->kind = ERR_UNAVAILABLE;
    return false;
}

bool file_make_dirs(const char *path, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, 2 * strlen(path) + 8192);
    char *partial = arena_strdup(&arena, path);
    if (partial == NULL)
        return arena_failed(&arena, path, err);
    for (char *p = partial + 1;; p++) {
        if (*p != '/' && *p != '\0')
            continue;
        char saved = *p;
        *p = '\0';
        if (mkdir(partial, 0777) != 0 && errno != EEXIST)
            return folder_refused(partial, err);
        *p = saved;
        if (saved == '\0')
            break;
    }
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return err_set(err, ERR_INPUT, "'%s' exists and is not a folder", path);
    return true;
}

char *path_normal(struct arena *arena, const char *path)
{
    char *out = arena_alloc(arena, strlen(path) + 2);
    if (out == NULL)
        return NULL;
    char *end = out;
    bool absolute = path[0] == '/';
    if (absolute)
        *end++ = '/';
    for (const char *p = path; *p != '\0';) {
        size_t part = strcspn(p, "/");
        if (part > 0 && !(part == 1 && p[0] == '.')) {
            if (end > out && end[-1] != '/')
                *end++ = '/';
            memcpy(end, p, part);
            end += part;
        }
        p += part;
        p += strspn(p, "/");
    }
    if (end == out)
        *end++ = '.';
    *end = '\0';
    return out;
}

char *path_join(struct arena *arena, const char *folder, const char *name)
{
    size_t length = strlen(folder);
    const char *slash = length > 0 && folder[length - 1] != '/' ? "/" : "";
    return arena_printf(arena, "%s%s%s", folder, slash, name);
}

const char *path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}
