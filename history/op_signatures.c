/* Fills the dictionary of ops. The ids are asked for first (16 bytes each), since of a known
 * workload nothing is missing and the texts need not travel. */
#include "history/op_signatures.h"

#include "history/connection.h"
#include "history/result.h"
#include "ops/runtime/digest.h"

#include <string.h>

static bool signature_id(const char *signature, struct uuid *ret_id, struct err *err)
{
    uint8_t digest[SHA256_BYTES];
    scoped_sha256 *state = sha256_new(err);
    if (state == NULL)
        return false;
    sha256_add(state, signature, strlen(signature));
    if (!sha256_finish(state, digest, err))
        return false;
    memcpy(ret_id->bytes, digest, sizeof ret_id->bytes);
    return true;
}

/* The texts of the missing ops, column by column. */
struct missing {
    size_t count;
    struct uuid *ids;
    const char **signatures, **names, **categories, **opcodes, **shapes, **paths;
};

static bool missing_alloc(struct missing *missing, size_t count, struct arena *arena,
                          struct err *err)
{
    missing->count = count;
    missing->ids = arena_array(arena, struct uuid, count);
    const char **texts = arena_array(arena, const char *, 6 * count);
    if (missing->ids == NULL || texts == NULL)
        return arena_failed(arena, "new op signatures", err);
    missing->signatures = texts;
    missing->names = texts + count;
    missing->categories = texts + 2 * count;
    missing->opcodes = texts + 3 * count;
    missing->shapes = texts + 4 * count;
    missing->paths = texts + 5 * count;
    return true;
}

static void missing_fill(struct missing *missing, const struct summary *summary,
                         const struct uuid *ids, const PGresult *positions)
{
    for (int i = 0; i < PQntuples(positions); i++) {
        size_t at = (size_t)result_i64(positions, i, 0);
        const struct op_row *op = &summary->ops[at];
        missing->ids[i] = ids[at];
        missing->signatures[i] = op->signature;
        missing->names[i] = op->name;
        missing->categories[i] = op->category;
        missing->opcodes[i] = op->opcode;
        missing->shapes[i] = op->shape_signature;
        missing->paths[i] = op->op_path;
    }
}

static bool rows_digest(const PGresult *rows, struct section_digest *ret_digest, struct err *err)
{
    scoped_row_hash hash = {0};
    if (!row_hash_begin(&hash, err))
        return false;
    for (int row = 0; row < PQntuples(rows); row++)
        row_hash_result(&hash, rows, row);
    return row_hash_end(&hash, ret_digest, err);
}

static bool missing_add(struct db *db, int64_t profile_id, const struct missing *missing,
                        struct arena *arena, PGresult **ret_added, struct err *err)
{
    size_t count = missing->count;
    struct args args = {0};
    args_uuids(&args, arena, missing->ids, count);
    args_texts(&args, arena, missing->signatures, count);
    args_texts(&args, arena, missing->names, count);
    args_texts(&args, arena, missing->categories, count);
    args_texts(&args, arena, missing->opcodes, count);
    args_texts(&args, arena, missing->shapes, count);
    args_texts(&args, arena, missing->paths, count);
    args_i64(&args, profile_id);
    return query_run(db, Q_op_signatures_add, &args, ret_added, err);
}

bool op_signatures_append(struct db *db, int64_t profile_id, const struct summary *summary,
                          struct arena *arena, struct op_dictionary *ret_dictionary,
                          struct err *err)
{
    struct uuid *ids = arena_array(arena, struct uuid, summary->op_count);
    if (ids == NULL)
        return arena_failed(arena, "op signatures", err);
    for (size_t i = 0; i < summary->op_count; i++)
        if (!signature_id(summary->ops[i].signature, &ids[i], err))
            return false;
    *ret_dictionary = (struct op_dictionary){.ids = ids};
    if (summary->op_count == 0)
        return true;
    struct args args = {0};
    args_uuids(&args, arena, ids, summary->op_count);
    scoped_result *positions = NULL;
    if (!query_run(db, Q_op_signatures_missing, &args, &positions, err))
        return false;
    size_t count = (size_t)PQntuples(positions);
    struct missing missing = {0};
    if (count == 0)
        return true;
    if (!missing_alloc(&missing, count, arena, err))
        return false;
    missing_fill(&missing, summary, ids, positions);
    scoped_result *added = NULL;
    return missing_add(db, profile_id, &missing, arena, &added, err) &&
           rows_digest(added, &ret_dictionary->added, err);
}
