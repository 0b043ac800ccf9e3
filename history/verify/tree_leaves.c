/* A page of leaves at a time. */
#include "history/verify/tree_leaves.h"

#include "history/client/client.h"

#include <inttypes.h>

enum { LEAF_PAGE = 10000 };

bool tree_leaves_read(struct db *db, int64_t from, const struct leaf_sink *sink, int64_t *ret_end,
                      struct err *err)
{
    int64_t next = from;
    for (int rows = LEAF_PAGE; rows == LEAF_PAGE;) {
        scoped_result *page = NULL;
        if (!query_run(db, Q_tree_leaves, ARGS(next, arg_i64(LEAF_PAGE)), &page, err))
            return false;
        rows = PQntuples(page);
        for (int row = 0; row < rows; row++, next++) {
            size_t length;
            const uint8_t *sha256 = result_bytes(page, row, C_tree_leaves_entry_sha256, &length);
            if (result_i64(page, row, C_tree_leaves_leaf) != next || length != SHA256_BYTES)
                return err_set(err, ERR_INPUT,
                               "leaf %" PRId64 " of the tree of entries is missing: tree_ranges or "
                               "an entry was changed",
                               next);
            if (!sink->take(sink->context, next, sha256, err))
                return false;
        }
    }
    *ret_end = next;
    return true;
}
