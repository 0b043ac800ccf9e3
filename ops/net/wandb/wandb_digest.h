/* What W&B calls a digest: of a file, and of an artifact. Pure.
 *
 * MD5 is a content address here. A file's digest is standard base64 of its raw MD5; an artifact's
 * is hex MD5 over a header line and one line `path:digest` per entry, in byte order of the paths.
 */
#ifndef OPS_NET_WANDB_WANDB_DIGEST_H
#define OPS_NET_WANDB_WANDB_DIGEST_H

#include "ops/runtime/arena.h"
#include "ops/runtime/digest.h"
#include "ops/runtime/err.h"

#include <stddef.h>
#include <stdint.h>

struct wandb_entry {
    const char *path;   /* logical, UTF-8 */
    const char *digest; /* base64 */
};

/* The digest of bytes. ERR_BUG. */
bool wandb_file_digest(const void *bytes, size_t length, char out[MD5_BASE64_BYTES],
                       struct err *err);

/* The digest of an artifact with these entries, in any order. ERR_BUG. */
bool wandb_artifact_digest(const struct wandb_entry *entries, size_t count, struct arena *arena,
                           char out[MD5_HEX_BYTES], struct err *err);

#endif
