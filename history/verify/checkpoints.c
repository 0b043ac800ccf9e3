/* Makes checkpoints. The heads are read after the chain "ledger" was taken, so checkpoints come one
 * after the other; what others append meanwhile is the next one's. The order of leaves is the
 * server's to continue, and it grows the tree; a checkpoint that is none is passed over. */
#include "history/verify/checkpoints.h"

#include "history/chain/chain.h"
#include "history/client/client.h"
#include "ops/runtime/clock.h"
#include "ops/runtime/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const size_t DOCUMENT_BYTES_MAX = (size_t)256 << 20;
static const char LEDGER_CHAIN[] = "ledger";
enum { CHECKPOINT_PAGE = 20, CHECKPOINT_NAME_BYTES = 24 };

/* ---- the Merkle tree over the heads of chains ------------------------------------------------ */

/* After RFC 6962 §2.1: leaves and nodes are hashed apart (0x00 and 0x01 before them), and a tree
 * splits at the largest power of two below its size. A leaf is one row (history/chain/canonical.h):
 * chain, position, entry_sha256. */
enum { LEAF_COLUMNS = 3 };

static bool leaf_hash(const struct checkpoint_head *head, uint8_t *out, struct err *err)
{
    static const uint8_t tag = 0;
    uint8_t entry[SHA256_BYTES];
    struct row_hash hash;
    if (!hex_read(head->sha256, entry, sizeof entry))
        return err_set(err, ERR_INPUT, "the head of chain %.40s has no hash of 64 hex digits",
                       head->chain);
    row_hash_begin(&hash);
    row_hash_bytes(&hash, &tag, 1);
    row_hash_row(&hash, LEAF_COLUMNS);
    row_hash_value(&hash, head->chain, strlen(head->chain));
    row_hash_i64(&hash, head->position);
    row_hash_value(&hash, entry, sizeof entry);
    memcpy(out, row_hash_end(&hash).sha256, SHA256_BYTES);
    return true;
}

/* The root over heads[count], in their order; of none it is SHA-256 of nothing. Recursive as the
 * definition is; the depth is the logarithm of the number of chains. ERR_INPUT: a head whose hash
 * is not 64 hex digits. */
static bool merkle_root(const struct checkpoint_head *heads, size_t count,
                        uint8_t out[SHA256_BYTES], struct err *err)
{
    uint8_t left[SHA256_BYTES], right[SHA256_BYTES];
    size_t split = 1;
    if (count == 0) {
        tree_root(&(struct tree){0}, out);
        return true;
    }
    if (count == 1)
        return leaf_hash(heads, out, err);
    while (2 * split < count)
        split *= 2;
    if (!merkle_root(heads, split, left, err) ||
        !merkle_root(heads + split, count - split, right, err))
        return false;
    tree_node(left, right, out);
    return true;
}

/* ---- reading and making ---------------------------------------------------------------------- */

/* By a statement with the columns of chain_heads.sql. */
static bool heads_read(struct db *db, enum query_id id, struct arena *arena, struct checkpoint *out,
                       struct err *err)
{
    scoped_result *rows = NULL;
    if (!query_run(db, id, NULL, &rows, err))
        return false;
    out->head_count = (size_t)PQntuples(rows);
    out->heads = arena_array(arena, struct checkpoint_head, out->head_count);
    for (int row = 0; row < PQntuples(rows); row++) {
        out->heads[row] = (struct checkpoint_head){
            .chain = result_copy_text(rows, row, C_chain_heads_chain, arena),
            .position = result_i64(rows, row, C_chain_heads_position),
            .sha256 = result_hex(rows, row, C_chain_heads_entry_sha256, arena),
        };
        if (!arena_ok(arena, "the heads of chains", err))
            return false;
    }
    return true;
}

bool checkpoint_heads_read(struct db *db, struct arena *arena, struct checkpoint *out,
                           struct err *err)
{
    return heads_read(db, Q_chain_heads, arena, out, err);
}

/* ERR_INPUT: it is none, or not the one of its row. */
static bool row_read(const PGresult *rows, int row, struct arena *arena, struct checkpoint *out,
                     struct err *err)
{
    size_t length;
    char name[CHECKPOINT_NAME_BYTES], hex[SHA256_HEX_BYTES];
    const uint8_t *root = result_bytes(rows, row, C_checkpoint_page_root_sha256, &length);
    (void)snprintf(name, sizeof name, "c%" PRId64, result_i64(rows, row, C_checkpoint_page_id));
    scoped_json *json =
        json_parse(result_text(rows, row, C_checkpoint_page_document),
                   (size_t)PQgetlength(rows, row, C_checkpoint_page_document), name, err);
    if (json == NULL || !checkpoint_from_json(json, name, arena, out, err) ||
        !checkpoint_check(out, err))
        return false;
    if (length == SHA256_BYTES)
        text_hex(root, length, hex);
    return (length == SHA256_BYTES && strcmp(hex, out->root_sha256) == 0 &&
            strcmp(name, out->id) == 0) ||
           err_set(err, ERR_INPUT, "%s: its row and its document (%.40s, root %.12s...) differ",
                   name, out->id, out->root_sha256);
}

static bool checkpoints_read(struct db *db, int64_t after, int64_t before, int64_t limit,
                             PGresult **ret_rows, struct err *err)
{
    return query_run(db, Q_checkpoint_page, ARGS(after, before, limit), ret_rows, err);
}

bool checkpoint_last(struct db *db, struct arena *arena, struct checkpoint *ret_checkpoint,
                     bool *ret_found, struct err *err)
{
    *ret_found = false;
    for (int64_t before = INT64_MAX;;) {
        struct err fault = {0};
        struct checkpoint checkpoint = {0};
        scoped_result *rows = NULL;
        if (!checkpoints_read(db, 0, before, 1, &rows, err))
            return false;
        if (PQntuples(rows) == 0)
            return true;
        before = result_i64(rows, 0, C_checkpoint_page_id);
        if (row_read(rows, 0, arena, &checkpoint, &fault)) {
            *ret_found = true;
            *ret_checkpoint = checkpoint;
            return true;
        }
        if (fault.kind != ERR_INPUT) {
            *err = fault;
            return false;
        }
    }
}

bool checkpoints_broken(struct db *db, int64_t after, const struct checkpoint_sink *sink,
                        struct err *err)
{
    int rows_read = CHECKPOINT_PAGE;
    for (int64_t before = INT64_MAX; rows_read == CHECKPOINT_PAGE;) {
        scoped_result *rows = NULL;
        if (!checkpoints_read(db, after, before, CHECKPOINT_PAGE, &rows, err))
            return false;
        rows_read = PQntuples(rows);
        for (int row = 0; row < rows_read; row++) {
            struct err fault = {0};
            struct checkpoint checkpoint;
            scoped_arena arena;
            arena_init(&arena, DOCUMENT_BYTES_MAX);
            before = result_i64(rows, row, C_checkpoint_page_id);
            if (row_read(rows, row, &arena, &checkpoint, &fault))
                continue;
            if (fault.kind != ERR_INPUT) {
                *err = fault;
                return false;
            }
            sink->take(sink->context, before, result_text(rows, row, C_checkpoint_page_recorded_by),
                       fault.text);
        }
    }
    return true;
}

/* The tree over all entries as it was then; ERR_INPUT: its root is not that of its peaks. */
static bool checkpoint_tree(const struct checkpoint *checkpoint, struct tree *ret_tree,
                            struct err *err)
{
    uint8_t root[SHA256_BYTES], said[SHA256_BYTES];
    struct tree tree = {.size = checkpoint->tree_size,
                        .peak_count = tree_peak_count(checkpoint->tree_size)};
    bool fits = checkpoint->tree_root_sha256 == NULL
                    ? tree.size == 0
                    : tree.size > 0 && hex_read(checkpoint->tree_root_sha256, said, sizeof said);
    fits = fits && checkpoint->tree_peaks.count == (size_t)tree.peak_count;
    for (int i = 0; fits && i < tree.peak_count; i++)
        fits = hex_read(checkpoint->tree_peaks.items[i], tree.peaks[i], SHA256_BYTES);
    if (fits && tree.size > 0) {
        tree_root(&tree, root);
        fits = memcmp(root, said, sizeof said) == 0;
    }
    if (!fits)
        return err_set(err, ERR_INPUT,
                       "checkpoint %.40s: its tree's root is not that of its peaks: it was changed",
                       checkpoint->id);
    *ret_tree = tree;
    return true;
}

bool checkpoint_check(const struct checkpoint *checkpoint, struct err *err)
{
    struct tree tree;
    uint8_t root[SHA256_BYTES];
    char hex[SHA256_HEX_BYTES];
    if (!merkle_root(checkpoint->heads, checkpoint->head_count, root, err))
        return false;
    text_hex(root, sizeof root, hex);
    if (!checkpoint_tree(checkpoint, &tree, err))
        return false;
    return strcmp(hex, checkpoint->root_sha256) == 0 ||
           err_set(
               err, ERR_INPUT,
               "checkpoint %.40s: its root %.12s... is not that of its heads (%.12s...): it was "
               "changed",
               checkpoint->id, checkpoint->root_sha256, hex);
}

/* true when the heads are those of the last checkpoint, but for that checkpoint's own entry. */
static bool heads_unchanged(const struct checkpoint *now, const struct checkpoint *last)
{
    size_t k = 0;
    for (size_t i = 0; i < now->head_count; i++) {
        const struct checkpoint_head *head = &now->heads[i];
        bool same = k < last->head_count && strcmp(last->heads[k].chain, head->chain) == 0;
        if (strcmp(head->chain, LEDGER_CHAIN) == 0) {
            if (head->position != (same ? last->heads[k].position : 0) + 1)
                return false;
        } else if (!same || last->heads[k].position != head->position) {
            return false;
        }
        k += same;
    }
    return k == last->head_count;
}

/* As the server grew it, which takes no other with a checkpoint. */
static bool tree_grow(struct db *db, struct arena *arena, struct checkpoint *out, struct err *err)
{
    struct tree tree = {0};
    scoped_result *peaks = NULL;
    if (!query_run(db, Q_tree_grow, NULL, &peaks, err))
        return false;
    for (; tree.peak_count < PQntuples(peaks); tree.peak_count++) {
        size_t length;
        const uint8_t *peak = result_bytes(peaks, tree.peak_count, C_tree_grow_peak, &length);
        tree.size = result_i64(peaks, tree.peak_count, C_tree_grow_leaves);
        if (length != SHA256_BYTES || tree.peak_count > TREE_LEVELS_MAX)
            return err_set(err, ERR_BUG, "the tree of entries has peaks that are none");
        memcpy(tree.peaks[tree.peak_count], peak, SHA256_BYTES);
    }
    char hex[SHA256_HEX_BYTES];
    uint8_t root[SHA256_BYTES];
    tree_root(&tree, root);
    text_hex(root, sizeof root, hex);
    out->tree_size = tree.size;
    out->tree_root_sha256 = tree.size == 0 ? NULL : arena_strdup(arena, hex);
    out->tree_peaks.count = (size_t)tree.peak_count;
    out->tree_peaks.items = arena_array(arena, const char *, out->tree_peaks.count);
    for (int i = 0; i < tree.peak_count; i++) {
        text_hex(tree.peaks[i], SHA256_BYTES, hex);
        out->tree_peaks.items[i] = arena_strdup(arena, hex);
    }
    return true;
}

static bool checkpoint_store(struct db *db, const struct checkpoint *checkpoint, struct err *err)
{
    int64_t id, added_id;
    uint8_t root[SHA256_BYTES];
    scoped_text document;
    text_init(&document, DOCUMENT_BYTES_MAX);
    scoped_json *json = checkpoint_to_json(checkpoint);
    json_print(json, JSON_STYLE_LINE, &document);
    if (!text_ok(&document, "the checkpoint", err))
        return false;
    if (!text_parse_i64(checkpoint->id + 1, &id) ||
        !hex_read(checkpoint->root_sha256, root, sizeof root))
        return err_set(err, ERR_BUG, "a checkpoint without id or root");
    if (!query_number(db, Q_checkpoint_add,
                      ARGS(arg_bytes(root, sizeof root), text_string(&document)), &added_id, err))
        return false;
    if (added_id != id)
        return err_set(err, ERR_BUG, "%s was written under another number", checkpoint->id);
    return chain_append_stored(db, ENTRY_CHECKPOINT, id, err);
}

bool checkpoint_append(struct db *db, const struct checkpoint_signer *signer, struct arena *arena,
                       struct checkpoint *ret_checkpoint, bool *ret_new, struct err *err)
{
    bool found;
    int64_t now_us;
    struct checkpoint last = {0}, made = {0};
    scoped_transaction *open = NULL;
    if (!transaction_open(db, &open, err) || !chain_take(db, LEDGER_CHAIN, &now_us, err) ||
        !checkpoint_last(db, arena, &last, &found, err) ||
        !checkpoint_heads_read(db, arena, &made, err))
        return false;
    bool serves = found && (signer == NULL || last.signature != NULL);
    *ret_new = !serves || !heads_unchanged(&made, &last);
    if (!*ret_new) {
        if (!transaction_close(&open, err))
            return false;
        *ret_checkpoint = last;
        return true;
    }
    /* The heads with which the server began this checkpoint. */
    uint8_t root[SHA256_BYTES];
    char hex[SHA256_HEX_BYTES], recorded_at[CLOCK_ISO_BYTES];
    int64_t id;
    if (!heads_read(db, Q_checkpoint_begin, arena, &made, err) ||
        !query_number(db, Q_checkpoint_reserve, NULL, &id, err) ||
        !merkle_root(made.heads, made.head_count, root, err))
        return false;
    text_hex(root, sizeof root, hex);
    clock_iso(now_us, recorded_at);
    made.schema_version = "checkpoint.v1";
    made.id = arena_printf(arena, "c%" PRId64, id);
    made.root_sha256 = arena_strdup(arena, hex);
    made.recorded_at_utc = arena_strdup(arena, recorded_at);
    if (!tree_grow(db, arena, &made, err) ||
        (signer != NULL && !signer->sign(signer->context, arena, &made, err)) ||
        !checkpoint_store(db, &made, err) || !transaction_close(&open, err))
        return false;
    *ret_checkpoint = made;
    return true;
}
