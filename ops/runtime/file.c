/* Implements whole-file reading, folders and path forms on POSIX calls, lines and outputs. */
#include "ops/runtime/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
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
    if (!arena_fits(arena, 1, room + 2))
        return arena_failed(arena, path, err);
    char *data = arena_alloc(arena, room + 2);
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
    char *out = arena_alloc(arena, strlen(path) + 2), *end = out;
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

char *path_absolute(struct arena *arena, const char *path)
{
    char here[PATH_MAX];
    if (path[0] == '/' || getcwd(here, sizeof here) == NULL)
        return path_normal(arena, path);
    return path_normal(arena, path_join(arena, here, path));
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

/* Implements lines as one buffer that doubles. getline would take what the longest line asks for,
 * and a line is as long as the file lets it. */

enum { LINE_MIN_BYTES = 4096 };

static bool line_grow(struct file_lines *lines, struct err *err)
{
    size_t wanted = lines->capacity == 0 ? LINE_MIN_BYTES : 2 * lines->capacity;
    if (!arena_reserve(lines->memory, wanted - lines->capacity))
        return arena_failed(lines->memory, "the line", err) ||
               err_prefix(err, "%s:%zu", lines->path, lines->number);
    lines->line = memory_resize(lines->line, wanted);
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

/* Implements outputs: what is no file is written to, a file is replaced by its whole successor. */

enum {
    LINKS_MAX = 40, /* as the kernel follows */
    PART_TRIES = 10,
    PART_RANDOM = 6, /* characters of mkostemp */
};

static const char PART_MARK[] = ".stepledger-part.";

/* Of "a/b" "a/"; of "b" "". */
static char *folder_of(struct arena *arena, const char *path)
{
    return arena_strndup(arena, path, (size_t)(path_base(path) - path));
}

/* Where a chain of symbolic links ends, there or not; the path itself when it is none. */
static const char *link_end(const char *path, struct arena *arena, struct err *err)
{
    char target[PATH_MAX];
    for (int i = 0; i < LINKS_MAX; i++) {
        ssize_t length = readlink(path, target, sizeof target - 1);
        if (length < 0)
            return path;
        target[length] = '\0';
        path = target[0] == '/' ? arena_strdup(arena, target)
                                : arena_printf(arena, "%s%s", folder_of(arena, path), target);
    }
    (void)err_set(err, ERR_INPUT, "'%s' is a symbolic link without an end", path);
    return NULL;
}

/* The mode of what is replaced, else that of a new file. */
static void mode_set(int fd, const struct stat *replaced)
{
    mode_t mask = umask(0);
    (void)umask(mask);
    (void)fchmod(fd, replaced != NULL ? replaced->st_mode & 0777 : 0666 & ~mask);
}

/* A part that nobody holds, of a writer that was killed. */
static void orphan_remove(int folder, const char *name)
{
    struct stat named, held;
    scoped_fd fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &held) == 0 &&
        S_ISREG(held.st_mode) && fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
        named.st_ino == held.st_ino)
        (void)unlinkat(folder, name, 0);
}

static void orphans_remove(const char *path, struct arena *arena)
{
    const char *base = path_base(path), *folder = folder_of(arena, path);
    size_t length = strlen(base), mark = sizeof PART_MARK - 1;
    scoped_folder *entries = opendir(folder[0] == '\0' ? "." : folder);
    if (entries == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        const char *name = entry->d_name;
        if (strncmp(name, base, length) == 0 && strncmp(name + length, PART_MARK, mark) == 0 &&
            strlen(name + length + mark) == PART_RANDOM)
            orphan_remove(dirfd(entries), name);
    }
}

/* Held until it is closed, so that others can tell it from an orphan; false: one of them took it
 * for such before it was. */
static bool part_hold(int fd, const char *part)
{
    struct stat info;
    if ((flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) ||
        (fstat(fd, &info) == 0 && info.st_nlink == 0)) {
        (void)unlink(part);
        (void)close(fd);
        return false;
    }
    return true;
}

int file_part_open(const char *path, struct arena *arena, char **ret_part, struct err *err)
{
    orphans_remove(path, arena);
    for (int i = 0; i < PART_TRIES; i++) {
        *ret_part = arena_printf(arena, "%s%sXXXXXX", path, PART_MARK);
        int fd = mkostemp(*ret_part, O_CLOEXEC); /* O_EXCL: nothing that is there, no link */
        if (fd < 0)
            break;
        if (!part_hold(fd, *ret_part))
            continue;
        mode_set(fd, NULL);
        return fd;
    }
    *ret_part = NULL;
    (void)err_set_errno(err, ERR_INPUT, "cannot write beside '%s'", path);
    return -1;
}

/* What has no content of its own; a file that was opened already is written where it is open. */
static bool is_stream(const char *path, bool exists, const struct stat *info)
{
    static const char *const opened[] = {"/dev/fd/", "/dev/std", "/proc/"};
    bool is_open = false;
    for (size_t i = 0; i < sizeof opened / sizeof opened[0]; i++)
        is_open |= strncmp(path, opened[i], strlen(opened[i])) == 0;
    return is_open || (exists && !S_ISREG(info->st_mode));
}

bool file_output_open(struct file_output *output, const char *path, struct arena *arena,
                      struct err *err)
{
    struct stat info;
    *output = (struct file_output){.path = path, .fd = -1};
    bool exists = stat(path, &info) == 0;
    if (!exists && errno != ENOENT)
        return err_set_errno(err, ERR_INPUT, "cannot write '%s'", path);
    if (exists && S_ISDIR(info.st_mode))
        return err_set(err, ERR_INPUT, "'%s' is a folder, not a file", path);
    if (is_stream(path, exists, &info)) {
        output->fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC | (exists ? O_TRUNC : 0));
        return output->fd >= 0 || err_set_errno(err, ERR_INPUT, "cannot write to '%s'", path);
    }
    output->target = link_end(path, arena, err);
    if (output->target == NULL)
        return false;
    output->fd = file_part_open(output->target, arena, &output->part, err);
    if (output->fd >= 0 && exists)
        mode_set(output->fd, &info);
    return output->fd >= 0;
}

bool file_output_open_own(struct file_output *output, const char *path, struct arena *arena,
                          struct err *err)
{
    struct stat info;
    *output = (struct file_output){.path = path, .target = path, .fd = -1};
    if (lstat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return err_set(err, ERR_INPUT, "'%s' is a folder, not a file", path);
    output->fd = file_part_open(path, arena, &output->part, err);
    return output->fd >= 0;
}

/* Of a path below at_fd. */
static bool folder_flush(int at_fd, const char *path, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, strlen(path) + 4096);
    const char *folder = folder_of(&arena, path);
    scoped_fd fd =
        openat(at_fd, folder[0] == '\0' ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return (fd >= 0 && (fsync(fd) == 0 || errno == EINVAL)) ||
           err_set_errno(err, ERR_UNAVAILABLE, "cannot flush the folder of '%s'", path);
}

bool file_folder_flush(const char *path, struct err *err)
{
    return folder_flush(AT_FDCWD, path, err);
}

bool file_part_settle(int fd, int at_fd, const char *part, const char *path, struct err *err)
{
    if (fsync(fd) != 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot flush '%s'", path);
    if (renameat(at_fd, part, at_fd, path) != 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot replace '%s'", path);
    return folder_flush(at_fd, path, err);
}

bool file_output_flush(struct file_output *output, struct err *err)
{
    return output->part == NULL || fsync(output->fd) == 0 ||
           err_set_errno(err, ERR_UNAVAILABLE, "cannot flush '%s'", output->path);
}

bool file_output_finish(struct file_output *output, struct err *err)
{
    if (output->part != NULL &&
        !file_part_settle(output->fd, AT_FDCWD, output->part, output->target, err))
        return false;
    output->part = NULL;
    return true;
}

void file_output_close(struct file_output *output)
{
    if (output->part != NULL)
        (void)unlink(output->part);
    fd_cleanup(&output->fd);
    *output = (struct file_output){.fd = -1};
}

static bool file_write(bool (*open)(struct file_output *output, const char *path,
                                    struct arena *arena, struct err *err),
                       const char *path, const char *data, size_t length, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, 64 << 10);
    scoped_file_output output;
    return open(&output, path, &arena, err) && file_write_all(output.fd, data, length, path, err) &&
           file_output_finish(&output, err);
}

bool file_write_atomic(const char *path, const char *data, size_t length, struct err *err)
{
    return file_write(file_output_open, path, data, length, err);
}

bool file_write_own(const char *path, const char *data, size_t length, struct err *err)
{
    return file_write(file_output_open_own, path, data, length, err);
}
