/* The Merkle tree over the heads of chains, after RFC 6962 §2.1: leaves and nodes are hashed apart
 * (0x00 and 0x01 before them), and a tree splits at the largest power of two below its size. For
 * the files of history/ only.
 *
 * A leaf is one row (history/chain/canonical.h): chain, position, entry_sha256.
 */
#ifndef HISTORY_VERIFY_MERKLE_H
#define HISTORY_VERIFY_MERKLE_H

#include "ops/runtime/digest.h"
#include "schema/documents/checkpoint.h"

/* The root over heads[count], in their order; of none it is SHA-256 of nothing. ERR_INPUT: a head
 * whose hash is not 64 hex digits. */
bool merkle_root(const struct checkpoint_head *heads, size_t count, uint8_t out[SHA256_BYTES],
                 struct err *err);

#endif
