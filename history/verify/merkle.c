/* Recursive as the definition is; the depth is the logarithm of the number of chains. */
#include "history/verify/merkle.h"

#include "history/chain/chain.h"
#include "history/client/client.h"

#include <string.h>

enum { LEAF = 0, NODE = 1, LEAF_COLUMNS = 3 };

static bool leaf_hash(const struct checkpoint_head *head, uint8_t *out, struct err *err)
{
    static const uint8_t tag = LEAF;
    uint8_t entry[SHA256_BYTES];
    struct section_digest digest;
    scoped_row_hash hash = {0};
    if (!hex_read(head->sha256, entry, sizeof entry))
        return err_set(err, ERR_INPUT, "the head of chain %.40s has no hash of 64 hex digits",
                       head->chain);
    if (!row_hash_begin(&hash, err))
        return false;
    row_hash_bytes(&hash, &tag, 1);
    row_hash_row(&hash, LEAF_COLUMNS);
    row_hash_value(&hash, head->chain, strlen(head->chain));
    row_hash_i64(&hash, head->position);
    row_hash_value(&hash, entry, sizeof entry);
    if (!row_hash_end(&hash, &digest, err))
        return false;
    memcpy(out, digest.sha256, SHA256_BYTES);
    return true;
}

static bool node_hash(const uint8_t *left, const uint8_t *right, uint8_t *out, struct err *err)
{
    static const uint8_t tag = NODE;
    scoped_sha256 *state = sha256_new(err);
    if (state == NULL)
        return false;
    sha256_add(state, &tag, 1);
    sha256_add(state, left, SHA256_BYTES);
    sha256_add(state, right, SHA256_BYTES);
    return sha256_finish(state, out, err);
}

bool merkle_root(const struct checkpoint_head *heads, size_t count, uint8_t out[SHA256_BYTES],
                 struct err *err)
{
    uint8_t left[SHA256_BYTES], right[SHA256_BYTES];
    size_t split = 1;
    if (count == 0) {
        scoped_sha256 *state = sha256_new(err);
        return state != NULL && sha256_finish(state, out, err);
    }
    if (count == 1)
        return leaf_hash(heads, out, err);
    while (2 * split < count)
        split *= 2;
    return merkle_root(heads, split, left, err) &&
           merkle_root(heads + split, count - split, right, err) &&
           node_hash(left, right, out, err);
}
