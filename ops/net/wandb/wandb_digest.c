/* Implements the digest rules; vectors of the service's own tests are in
 * tests/unit/wandb_digest_test.c. */
#include "ops/net/wandb/wandb_digest.h"
#include "ops/runtime/text.h"

#include <stdlib.h>
#include <string.h>

static const char header[] = "wandb-artifact-manifest-v1\n";

bool wandb_file_digest(const void *bytes, size_t length, char out[MD5_BASE64_BYTES],
                       struct err *err)
{
    uint8_t raw[MD5_BYTES];
    if (!md5_of(bytes, length, raw, err))
        return false;
    base64_encode(raw, sizeof raw, out);
    return true;
}

/* strcmp compares bytes as unsigned: the order of UTF-8 is that of code points. */
static int path_order(const void *a, const void *b)
{
    return strcmp(((const struct wandb_entry *)a)->path, ((const struct wandb_entry *)b)->path);
}

bool wandb_artifact_digest(const struct wandb_entry *entries, size_t count, struct arena *arena,
                           char out[MD5_HEX_BYTES], struct err *err)
{
    struct wandb_entry *sorted = arena_array(arena, struct wandb_entry, count + 1);
    if (count > 0)
        memcpy(sorted, entries, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, path_order);
    scoped_md5 *state = md5_new(err);
    if (state == NULL)
        return false;
    md5_add(state, header, sizeof header - 1);
    for (size_t i = 0; i < count; i++) {
        md5_add(state, sorted[i].path, strlen(sorted[i].path));
        md5_add(state, ":", 1);
        md5_add(state, sorted[i].digest, strlen(sorted[i].digest));
        md5_add(state, "\n", 1);
    }
    uint8_t raw[MD5_BYTES];
    md5_finish(state, raw);
    text_hex(raw, sizeof raw, out);
    return true;
}
