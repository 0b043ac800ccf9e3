/* The error value of the whole program.
 *
 * A function that can fail returns bool and takes `struct err *err` last; false means *err is
 * filled. The kind says what the caller can do, the text is fit to be shown as it stands: what
 * failed, where, which value, what to do. Nothing here logs or exits: commands and worker loops do,
 * once per failure.
 */
#ifndef OPS_RUNTIME_ERR_H
#define OPS_RUNTIME_ERR_H

#include <stdbool.h>

enum err_kind {
    ERR_NONE = 0,
    ERR_INPUT,       /* the input is bad: reject it, never retry */
    ERR_LIMIT,       /* over a configured bound */
    ERR_CONFLICT,    /* another worker won, or the state moved on */
    ERR_UNAVAILABLE, /* a server or peer is away: retry with backoff */
    ERR_BUG,         /* an invariant of ours is broken */
    ERR_USAGE,       /* the command line or configuration is wrong */
    ERR_MISSING,     /* something that was asked for by name does not exist */
    ERR_FULL,        /* a resource of this machine ran out (disk, descriptors): try again later */
    ERR_IO,          /* a disk or file server failed at what is there: another time it may not */
    ERR_KIND_COUNT
};

struct err {
    enum err_kind kind;
    char sqlstate[6]; /* five characters when PostgreSQL said no, else empty */
    char text[1000];
};

/* Fills *err (which may be NULL) and returns false, so that `return err_set(...)` is the whole
 * failure path. */
bool err_set(struct err *err, enum err_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same, with ": <strerror(errno)>" appended; ENOSPC, EDQUOT, EMFILE and ENFILE become ERR_FULL,
 * ENOENT ERR_MISSING; where a file would be ERR_INPUT, EIO and what file servers say when they are
 * away become ERR_IO. */
bool err_set_errno(struct err *err, enum err_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "<text>: " before the message of *err; returns false. */
bool err_prefix(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Lower-case name of a kind for logs and JSON: "input", "limit", ... */
const char *err_kind_name(enum err_kind kind);

#endif
