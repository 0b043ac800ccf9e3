/* Secrets by reference: the configuration holds where a secret is, never the secret itself.
 *
 * "env:NAME", "file:/PATH" and "credential:NAME" (of systemd, below $CREDENTIALS_DIRECTORY) are the
 * forms; a literal is taken only where the caller says so (a URL that is no secret). The bytes live
 * outside the arenas, so that they can be wiped. No message here ever quotes them.
 */
#ifndef OPS_NET_SECRET_H
#define OPS_NET_SECRET_H

#include "ops/runtime/err.h"

#include <stdbool.h>
#include <stddef.h>

enum { SECRET_MAX_BYTES = 8 << 10 };

/* The forms, for messages. */
#define SECRET_FORMS "env:NAME, file:/PATH or credential:NAME"

struct secret {
    char *text; /* NUL-terminated, no control characters, not empty */
    size_t length;
};

enum secret_literal { SECRET_LITERAL_REFUSED, SECRET_LITERAL_ALLOWED };

/* Reads what the reference names; what ("url", "secret") is for messages. ERR_USAGE: the reference
 * is malformed, or a literal that is not allowed; ERR_MISSING: no such variable or file; ERR_INPUT:
 * the file is readable by others, is no regular file, is empty, too long (8 KiB) or holds control
 * characters. One final newline of a file is trimmed. */
bool secret_read(const char *reference, const char *what, enum secret_literal literal,
                 struct secret *ret_secret, struct err *err);

/* It says where a secret is kept and is not the secret. */
bool secret_is_reference(const char *value);

/* Overwrites and frees; accepts a zeroed struct. */
void secret_done(struct secret *secret);

#define scoped_secret __attribute__((cleanup(secret_done))) struct secret

#endif
