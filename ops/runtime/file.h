/* Files: whole reads with a limit, atomic writes, paths. */
#ifndef OPS_RUNTIME_FILE_H
#define OPS_RUNTIME_FILE_H

#include "ops/runtime/arena.h"
#include "ops/runtime/err.h"

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

/* Opens for reading; a named pipe is waited for, for 20 s. ERR_MISSING; ERR_INPUT: a directory, not
 * readable, a pipe that nobody writes to. */
bool file_open(const char *path, int *ret_fd, struct err *err);

/* The same as a stream, which the caller closes; NULL with an error. */
FILE *file_stream(const char *path, struct err *err);

/* Reads a whole file of at most max_bytes into the arena, NUL-terminated. ERR_LIMIT, or what
 * file_open says. ret_length may be NULL. */
bool file_read(const char *path, size_t max_bytes, struct arena *arena, char **ret_data,
               size_t *ret_length, struct err *err);

/* Reads up to `room` bytes more of a descriptor, over interruptions; *ret_count is 0 at its end.
 * ERR_INPUT names it. */
bool file_read_some(int fd, void *data, size_t room, const char *name, size_t *ret_count,
                    struct err *err);

/* Reads what is left of a descriptor into `data`, which has room for max_bytes + 1 bytes, and ends
 * it with NUL. ERR_LIMIT beyond max_bytes, ERR_INPUT; both name the path. */
bool file_read_all(int fd, const char *path, size_t max_bytes, char *data, size_t *ret_length,
                   struct err *err);

/* The lines of a stream that somebody else wrote, one after the other: each is whole in memory, and
 * counts against a budget. Zeroed but for its first members it stands before line 1. */
struct file_lines {
    FILE *stream; /* the caller's */
    const char *path;
    struct arena *memory; /* of the budget */
    char *line;           /* with its end, and NUL behind it */
    size_t length, capacity;
    size_t number; /* of the line, from 1 */
};

/* The next line; *ret_found false behind the last one. ERR_INPUT names the path, ERR_LIMIT beyond
 * the budget the line too. */
bool file_lines_next(struct file_lines *lines, bool *ret_found, struct err *err);

/* Goes back to before line 1. */
void file_lines_rewind(struct file_lines *lines);

/* Frees what was read; the stream stays open. */
void file_lines_done(struct file_lines *lines);

/* What a command writes to a path that somebody named. What is no file (a device, a FIFO, what
 * /dev/stdout and the like stand for) is written to; a file is replaced when its successor is whole
 * and on the disk: the old content or the new, never a part. A symbolic link stays, and what it
 * names is replaced. The successor is a new file beside it that no other writer has, with the mode
 * of what it replaces. Makes no folders. */
struct file_output {
    const char *path;
    const char *target; /* where the links of path end */
    char *part;         /* until it has its name; NULL: written as it is */
    int fd;
};

/* The names live in the arena. ERR_INPUT, ERR_MISSING (its folder), ERR_FULL. */
bool file_output_open(struct file_output *output, const char *path, struct arena *arena,
                      struct err *err);
/* The same under a name of ours in a folder that others may write to: what has the name already, a
 * link or a FIFO too, is replaced itself. */
bool file_output_open_own(struct file_output *output, const char *path, struct arena *arena,
                          struct err *err);
/* Flushes it, so that of several outputs all are on the disk before one has its name. */
bool file_output_flush(struct file_output *output, struct err *err);
/* Flushes it and gives it its name. */
bool file_output_finish(struct file_output *output, struct err *err);
/* Closes it, and removes what did not get its name; after a failed open too. */
void file_output_close(struct file_output *output);

/* A new, empty file beside `path`, PATH.stepledger-part.XXXXXX; -1 with ERR_INPUT or ERR_FULL. What
 * writers of the same path left there that were killed is removed: a part is locked as long as its
 * writer has it open. */
int file_part_open(const char *path, struct arena *arena, char **ret_part, struct err *err);

/* How every file of ours takes the place of another: flushes the part, names it, flushes the
 * folder. Both names are below at_fd, or AT_FDCWD. After a failure the part may be there still.
 * ERR_UNAVAILABLE, ERR_FULL. */
bool file_part_settle(int fd, int at_fd, const char *part, const char *path, struct err *err);

/* Flushes the folder of a path: a new name lasts from then on. ERR_UNAVAILABLE. */
bool file_folder_flush(const char *path, struct err *err);

/* All of an output at once. */
bool file_write_atomic(const char *path, const char *data, size_t length, struct err *err);

/* The same by file_output_open_own. */
bool file_write_own(const char *path, const char *data, size_t length, struct err *err);

/* mkdir -p with mode 0777 & ~umask. ERR_UNAVAILABLE: it cannot be made there; ERR_INPUT: something
 * else has that name; ERR_FULL. */
bool file_make_dirs(const char *path, struct err *err);

/* Python's os.path normal form of PurePath: `./a//b/.` -> `a/b`, `a/../b` stays. */
char *path_normal(struct arena *arena, const char *path);

/* The same from the root on, by the present folder; links are not followed, so that names stay.
 * As given where the present folder is gone. */
char *path_absolute(struct arena *arena, const char *path);

/* "a" + "b" -> "a/b". */
char *path_join(struct arena *arena, const char *folder, const char *name);

/* The part after the last '/'. */
const char *path_base(const char *path);

/* Writes all bytes to a descriptor, through short writes and EINTR. ERR_FULL on a full disk; `name`
 * is for the message. */
bool file_write_all(int fd, const void *data, size_t length, const char *name, struct err *err);

static inline void fd_cleanup(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
}
static inline void stream_cleanup(FILE **stream)
{
    if (*stream != NULL)
        (void)fclose(*stream);
}
static inline void folder_cleanup(DIR **folder)
{
    if (*folder != NULL)
        (void)closedir(*folder);
}
#define scoped_file_lines __attribute__((cleanup(file_lines_done))) struct file_lines
#define scoped_file_output __attribute__((cleanup(file_output_close))) struct file_output
#define scoped_fd __attribute__((cleanup(fd_cleanup))) int
#define scoped_stream __attribute__((cleanup(stream_cleanup))) FILE
#define scoped_folder __attribute__((cleanup(folder_cleanup))) DIR

#endif
