/* The leaves of the ledger's Merkle tree in the database, for the files of history/ only. */
#ifndef HISTORY_VERIFY_TREE_LEAVES_H
#define HISTORY_VERIFY_TREE_LEAVES_H

#include "history/client/client.h"
#include "history/verify/tree.h"

struct leaf_sink {
    bool (*take)(void *context, int64_t leaf, const uint8_t entry_sha256[SHA256_BYTES],
                 struct err *err);
    void *context;
};

/* Hands over the leaves from one on, one after the other. *ret_end: behind the last one that is
 * there. ERR_INPUT: the order has a hole, or an entry that it names is gone. */
bool tree_leaves_read(struct db *db, int64_t from, const struct leaf_sink *sink, int64_t *ret_end,
                      struct err *err);

#endif
