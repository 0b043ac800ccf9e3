/* Makes the tree over all entries again, in the order in which checkpoints saw them, and compares
 * its root with what each said when it was of that size. */
#include "history/verify/verify_run.h"

#include "history/client/client.h"
#include "history/verify/checkpoints.h"

#include <inttypes.h>
#include <string.h>

/* A page of leaves at a time. */
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
            sink->take(sink->context, next, sha256);
        }
    }
    *ret_end = next;
    return true;
}

struct growing {
    struct verify_run *run;
    const struct verify_against *said;
    struct tree tree;
};

static void root_note(struct verify_run *run, const struct checkpoint *checkpoint, const char *what)
{
    static const struct verify_place place = {.chain = "ledger"};
    verify_note(run, &place, "checkpoint %.40s saw another tree of %" PRId64 " entries: %s",
                checkpoint->id, checkpoint->tree_size, what);
}

static void leaf_take(void *context, int64_t leaf, const uint8_t entry_sha256[SHA256_BYTES])
{
    struct growing *growing = context;
    (void)leaf;
    tree_push(&growing->tree, entry_sha256);
    for (size_t i = 0; i < growing->said->count; i++) {
        uint8_t made[SHA256_BYTES], said[SHA256_BYTES];
        const struct checkpoint *checkpoint = &growing->said->items[i];
        if (checkpoint->tree_size != growing->tree.size)
            continue;
        tree_root(&growing->tree, made);
        if (!hex_read(checkpoint->tree_root_sha256, said, sizeof said) ||
            memcmp(made, said, sizeof said) != 0)
            root_note(growing->run, checkpoint, "entries or their order were changed");
    }
}

bool verify_tree(struct verify_run *run, const struct checkpoint *last,
                 const struct verify_against *said, struct err *err)
{
    static const struct verify_place place = {.chain = "ledger"};
    int64_t end = 0;
    struct err fault = {0};
    struct growing growing = {.run = run, .said = said};
    const struct leaf_sink sink = {leaf_take, &growing};
    if (!tree_leaves_read(run->db, 0, &sink, &end, &fault)) {
        if (fault.kind != ERR_INPUT) {
            *err = fault;
            return false;
        }
        verify_note(run, &place, "%s", fault.text);
        return true;
    }
    for (size_t i = 0; i < said->count; i++)
        if (said->items[i].tree_size > end)
            root_note(run, &said->items[i], "there are fewer now");
    if (end > (last == NULL ? 0 : last->tree_size))
        verify_note(run, &place,
                    "the tree of entries has leaves behind those of the last checkpoint: "
                    "tree_ranges was changed");
    return true;
}
