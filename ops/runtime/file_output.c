/* Implements outputs: what is no file is written to, a file is replaced by its whole successor. */
#include "ops/runtime/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

enum {
    LINKS_MAX = 40, /* as the kernel follows */
    PART_TRIES = 10,
    PART_RANDOM = 6, /* characters of mkostemp */
};

static const char PART_MARK[] = ".stepledger-part.";

/* Of "a/b" "a/"; of "b" "". NULL beyond the budget. */
static char *folder_of(struct arena *arena, const char *path)
{
    return arena_strndup(arena, path, (size_t)(path_base(path) - path));
}

/* Where a chain of symbolic links ends, there or not; the path itself when it is none. */
static const char *link_end(const char *path, struct arena *arena, struct err *err)
{
    char target[PATH_MAX];
    for (int i = 0; path != NULL && i < LINKS_MAX; i++) {
        ssize_t length = readlink(path, target, sizeof target - 1);
        if (length < 0)
            return path;
        target[length] = '\0';
        path = target[0] == '/' ? arena_strdup(arena, target)
                                : arena_printf(arena, "%s%s", folder_of(arena, path), target);
    }
    if (path == NULL)
        (void)arena_failed(arena, "a path", err);
    else
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
    DIR *entries = folder == NULL ? NULL : opendir(folder[0] == '\0' ? "." : folder);
    if (entries == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        const char *name = entry->d_name;
        if (strncmp(name, base, length) == 0 && strncmp(name + length, PART_MARK, mark) == 0 &&
            strlen(name + length + mark) == PART_RANDOM)
            orphan_remove(dirfd(entries), name);
    }
    (void)closedir(entries);
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
        if (*ret_part == NULL) {
            (void)arena_failed(arena, path, err);
            return -1;
        }
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

/* Of a path below at_fd. */
static bool folder_flush(int at_fd, const char *path, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, strlen(path) + 4096);
    const char *folder = folder_of(&arena, path);
    if (folder == NULL)
        return arena_failed(&arena, path, err);
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

bool file_write_atomic(const char *path, const char *data, size_t length, struct err *err)
{
    scoped_arena arena;
    arena_init(&arena, 64 << 10);
    scoped_file_output output;
    return file_output_open(&output, path, &arena, err) &&
           file_write_all(output.fd, data, length, path, err) && file_output_finish(&output, err);
}
