/* The leaves pass by once: each span of a path grows a tree of its own. */
#include "history/verify/proofs.h"

#include "history/chain/chain.h"
#include "history/client/client.h"
#include "history/verify/verify_run.h"
#include "ops/runtime/json.h"
#include "ops/runtime/text.h"

#include <inttypes.h>
#include <string.h>

/* ---- making ---------------------------------------------------------------------------------- */

struct growing {
    struct tree_span spans[TREE_PATH_MAX];
    struct tree *trees;
    int count;
};

static void leaf_take(void *context, int64_t leaf, const uint8_t entry_sha256[SHA256_BYTES])
{
    struct growing *growing = context;
    for (int i = 0; i < growing->count; i++)
        if (leaf >= growing->spans[i].from && leaf < growing->spans[i].to)
            tree_push(&growing->trees[i], entry_sha256);
}

static bool path_make(struct db *db, struct growing *growing, struct arena *arena,
                      struct proof *proof, struct err *err)
{
    int64_t end;
    const struct leaf_sink sink = {leaf_take, growing};
    size_t count = (size_t)growing->count;
    growing->trees = arena_array(arena, struct tree, count);
    proof->path.items = arena_array(arena, const char *, count);
    if (!tree_leaves_read(db, 0, &sink, &end, err))
        return false;
    if (end < proof->tree_size)
        return err_set(err, ERR_INPUT,
                       "the tree of entries has %" PRId64 " leaves, the checkpoint saw %" PRId64
                       ": run `stepledger verify`",
                       end, proof->tree_size);
    for (size_t i = 0; i < count; i++) {
        uint8_t root[SHA256_BYTES];
        char hex[SHA256_HEX_BYTES];
        tree_root(&growing->trees[i], root);
        text_hex(root, sizeof root, hex);
        proof->path.items[i] = arena_strdup(arena, hex);
    }
    proof->path.count = count;
    return true;
}

static bool tree_is_there(const struct checkpoint *checkpoint, struct err *err)
{
    return checkpoint->tree_size > 0 ||
           err_set(err, ERR_MISSING,
                   "checkpoint %.40s names no tree of entries: it was made by an older stepledger; "
                   "make another with `stepledger checkpoint`",
                   checkpoint->id);
}

static bool kind_of_name(const char *name, enum entry_kind *ret_kind, int64_t *ret_id)
{
    for (int kind = 0; kind < ENTRY_KIND_COUNT; kind++) {
        size_t length = strlen(entry_kinds[kind].prefix);
        *ret_kind = (enum entry_kind)kind;
        if (strncmp(name, entry_kinds[kind].prefix, length) == 0 &&
            text_parse_i64(name + length, ret_id))
            return true;
    }
    return false;
}

bool proof_of_entry(struct db *db, const char *name, const struct checkpoint *checkpoint,
                    struct arena *arena, struct proof *ret_proof, struct err *err)
{
    int64_t id;
    enum entry_kind kind;
    struct growing growing = {0};
    scoped_result *row = NULL;
    struct proof proof = {.schema_version = "proof.v1", .has_entry = true};
    if (!kind_of_name(name, &kind, &id))
        return err_set(err, ERR_USAGE,
                       "\"%.60s\" names no entry: an entry is p12, v3 ..., two checkpoints c3..c9",
                       name);
    if (!tree_is_there(checkpoint, err) ||
        !query_run(db, Q_tree_leaf_find, ARGS(entry_kinds[kind].name, id), &row, err))
        return false;
    if (PQntuples(row) == 0)
        return err_set(err, ERR_MISSING, "the ledger holds no entry of %.60s", name);
    if (result_is_null(row, 0, C_tree_leaf_find_leaf) ||
        result_i64(row, 0, C_tree_leaf_find_leaf) >= checkpoint->tree_size)
        return err_set(err, ERR_MISSING,
                       "checkpoint %.40s was made before %.60s was recorded: make another with "
                       "`stepledger checkpoint`",
                       checkpoint->id, name);
    struct proof_entry *out = &proof.entry;
    out->position = result_i64(row, 0, C_tree_leaf_find_position);
    out->subject_id = result_i64(row, 0, C_tree_leaf_find_subject_id);
    out->supersedes = result_opt_i64(row, 0, C_tree_leaf_find_supersedes);
    out->version = result_i32(row, 0, C_tree_leaf_find_content_version);
    out->content_sha256 = result_hex(row, 0, C_tree_leaf_find_content_sha256, arena);
    out->previous_sha256 = result_hex(row, 0, C_tree_leaf_find_previous_sha256, arena);
    out->recorded_us = result_wall_us(row, 0, C_tree_leaf_find_recorded_at);
    out->chain = result_copy_text(row, 0, C_tree_leaf_find_chain, arena);
    out->kind = result_copy_text(row, 0, C_tree_leaf_find_kind, arena);
    out->recorded_by = result_copy_text(row, 0, C_tree_leaf_find_recorded_by, arena);
    out->on_behalf_of = result_copy_text(row, 0, C_tree_leaf_find_on_behalf_of, arena);
    out->name = arena_strdup(arena, name);
    proof.from = result_i64(row, 0, C_tree_leaf_find_leaf);
    proof.tree_size = checkpoint->tree_size;
    growing.count = tree_inclusion_spans(proof.from, proof.tree_size, growing.spans);
    if (!path_make(db, &growing, arena, &proof, err) || !arena_ok(arena, "a proof", err))
        return false;
    *ret_proof = proof;
    return true;
}

bool proof_of_growth(struct db *db, const struct proof_pair *pair, struct arena *arena,
                     struct proof *ret_proof, struct err *err)
{
    struct growing growing = {0};
    struct proof proof = {.schema_version = "proof.v1",
                          .from = pair->first->tree_size,
                          .tree_size = pair->second->tree_size};
    if (!tree_is_there(pair->first, err) || !tree_is_there(pair->second, err))
        return false;
    if (proof.from > proof.tree_size)
        return err_set(err, ERR_USAGE, "checkpoint %.40s is newer than %.40s: name the older first",
                       pair->first->id, pair->second->id);
    growing.count = tree_consistency_spans(proof.from, proof.tree_size, growing.spans);
    if (!path_make(db, &growing, arena, &proof, err) || !arena_ok(arena, "a proof", err))
        return false;
    *ret_proof = proof;
    return true;
}

bool checkpoint_load(struct db *db, const char *name, struct arena *arena,
                     struct checkpoint *ret_checkpoint, struct err *err)
{
    int64_t id;
    scoped_result *row = NULL;
    if (name[0] != 'c' || !text_parse_i64(name + 1, &id))
        return err_set(err, ERR_USAGE, "\"%.60s\" names no checkpoint (c3)", name);
    if (!query_run(db, Q_checkpoint_load, ARGS(id), &row, err))
        return false;
    if (PQntuples(row) == 0)
        return err_set(err, ERR_MISSING, "the ledger holds no checkpoint %.60s", name);
    scoped_json *root =
        json_parse(result_text(row, 0, C_checkpoint_load_document),
                   (size_t)PQgetlength(row, 0, C_checkpoint_load_document), name, err);
    return root != NULL && checkpoint_from_json(root, name, arena, ret_checkpoint, err);
}

/* ---- checking -------------------------------------------------------------------------------- */

static bool entry_hash(const struct proof_entry *entry, const char *name, uint8_t out[SHA256_BYTES],
                       struct err *err)
{
    uint8_t content[SHA256_BYTES], previous[SHA256_BYTES];
    const struct entry_link link = {
        .chain = entry->chain,
        .kind = entry->kind,
        .position = entry->position,
        .subject_id = entry->subject_id,
        .recorded_us = entry->recorded_us,
        .supersedes = entry->supersedes,
        .version = (int32_t)entry->version,
        .content_sha256 = content,
        .previous_sha256 = previous,
        .recorded_by = entry->recorded_by,
        .on_behalf_of = entry->on_behalf_of,
    };
    int64_t id;
    enum entry_kind kind;
    if (!hex_read(entry->content_sha256, content, sizeof content) ||
        !hex_read(entry->previous_sha256, previous, sizeof previous) ||
        (entry->version != 1 && entry->version != ENTRY_VERSION) ||
        !kind_of_name(entry->name, &kind, &id) || id != entry->subject_id ||
        strcmp(entry_kinds[kind].name, entry->kind) != 0)
        return err_set(err, ERR_INPUT, "%s: its entry is none that a ledger writes", name);
    entry_digest(&link, out);
    return true;
}

bool proof_check(const struct proof *proof, const char *name, const struct checkpoint *checkpoints,
                 size_t count, bool *ret_holds, struct err *err)
{
    uint8_t nodes[TREE_PATH_MAX][SHA256_BYTES], roots[2][SHA256_BYTES], entry[SHA256_BYTES];
    const struct checkpoint *newest = &checkpoints[count - 1];
    const struct tree_path path = {(const uint8_t(*)[SHA256_BYTES])nodes, (int)proof->path.count};
    if (count != (proof->has_entry ? 1 : 2))
        return err_set(err, ERR_USAGE, "%s: give --against %s", name,
                       proof->has_entry ? "once: the checkpoint that it was made for"
                                        : "twice: the older checkpoint, then the newer");
    if (proof->path.count > TREE_PATH_MAX)
        return err_set(err, ERR_INPUT, "%s: a path of %zu hashes", name, proof->path.count);
    for (size_t i = 0; i < proof->path.count; i++)
        if (!hex_read(proof->path.items[i], nodes[i], SHA256_BYTES))
            return err_set(err, ERR_INPUT, "%s: hash %zu of the path has no 64 hex digits", name,
                           i);
    for (size_t i = 0; i < count; i++) {
        if (!tree_is_there(&checkpoints[i], err))
            return false;
        if (!hex_read(checkpoints[i].tree_root_sha256, roots[i], SHA256_BYTES))
            return err_set(err, ERR_INPUT, "checkpoint %.40s: its tree's root has no 64 hex digits",
                           checkpoints[i].id);
    }
    if (newest->tree_size != proof->tree_size ||
        (!proof->has_entry && checkpoints[0].tree_size != proof->from))
        return err_set(err, ERR_INPUT,
                       "%s: it is of a tree of %" PRId64 " entries, checkpoint %.40s of one of "
                       "%" PRId64 ": it was made for another checkpoint",
                       name, proof->tree_size, newest->id, newest->tree_size);
    if (!proof->has_entry) {
        const struct tree_growth growth = {proof->from, proof->tree_size, roots[0], roots[1]};
        *ret_holds = tree_has_grown(&growth, &path);
        return true;
    }
    const struct tree_leaf leaf = {entry, proof->from, proof->tree_size};
    if (!entry_hash(&proof->entry, name, entry, err))
        return false;
    *ret_holds = tree_includes(&leaf, &path, roots[0]);
    return true;
}
