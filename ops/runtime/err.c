/* Implements the error value: formats once, truncates with care, never allocates. */
#include "ops/runtime/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char *const kind_names[ERR_KIND_COUNT] = {
    [ERR_NONE] = "none",
    [ERR_INPUT] = "input",
    [ERR_LIMIT] = "limit",
    [ERR_CONFLICT] = "conflict",
    [ERR_UNAVAILABLE] = "unavailable",
    [ERR_BUG] = "bug",
    [ERR_USAGE] = "usage",
    [ERR_MISSING] = "missing",
    [ERR_FULL] = "full",
    [ERR_IO] = "io",
};

__attribute__((format(printf, 3, 0))) static void err_fill(struct err *err, enum err_kind kind,
                                                           const char *format, va_list args)
{
    err->kind = kind;
    err->sqlstate[0] = '\0';
    (void)vsnprintf(err->text, sizeof err->text, format, args);
}

bool err_set(struct err *err, enum err_kind kind, const char *format, ...)
{
    if (err == NULL)
        return false;
    va_list args;
    va_start(args, format);
    err_fill(err, kind, format, args);
    va_end(args);
    return false;
}

static enum err_kind kind_of_errno(enum err_kind kind, int number)
{
    switch (number) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG: /* the shell's limit (ulimit -f) */
    case EMFILE:
    case ENFILE:
        return ERR_FULL;
    case ENOENT:
        return ERR_MISSING;
    case EIO:
    case EREMOTEIO:
    case ESTALE:
    case ENOTCONN: /* whoever serves the mounted folder is gone */
    case ECONNABORTED:
    case ETIMEDOUT:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ENETUNREACH:
        return kind == ERR_INPUT ? ERR_IO : kind;
    default:
        return kind;
    }
}

bool err_set_errno(struct err *err, enum err_kind kind, const char *format, ...)
{
    int number = errno;
    if (err == NULL)
        return false;
    va_list args;
    va_start(args, format);
    err_fill(err, kind_of_errno(kind, number), format, args);
    va_end(args);
    size_t used = strlen(err->text);
    (void)snprintf(err->text + used, sizeof err->text - used, ": %s", strerror(number));
    return false;
}

bool err_prefix(struct err *err, const char *format, ...)
{
    if (err == NULL)
        return false;
    char old[sizeof err->text];
    memcpy(old, err->text, sizeof old);
    va_list args;
    va_start(args, format);
    (void)vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    size_t used = strlen(err->text);
    (void)snprintf(err->text + used, sizeof err->text - used, ": %s", old);
    return false;
}

const char *err_kind_name(enum err_kind kind)
{
    return kind >= 0 && kind < ERR_KIND_COUNT ? kind_names[kind] : "unknown";
}
