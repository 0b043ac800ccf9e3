/* Fills the dictionary of ops. The ids are asked for first (16 bytes each), since of a known
 * workload nothing is missing and the texts need not travel. */
#include "history/profiles/op_signatures.h"

#include "history/client/client.h"
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

bool op_dictionary_make(const struct summary *summary, struct arena *arena,
                        struct op_dictionary *ret_dictionary, struct err *err)
{
    size_t count = summary->has_ours ? summary->op_count : 0;
    struct uuid *ids = arena_array(arena, struct uuid, count);
    if (ids == NULL)
        return arena_failed(arena, "op signatures", err);
    for (size_t i = 0; i < count; i++)
        if (!signature_id(summary->ops[i].signature, &ids[i], err))
            return false;
    *ret_dictionary = (struct op_dictionary){.summary = summary, .arena = arena, .ids = ids};
    return true;
}

static bool is_empty(const struct op_dictionary *dictionary)
{
    return !dictionary->summary->has_ours || dictionary->summary->op_count == 0;
}

bool op_dictionary_ask(struct op_dictionary *dictionary, struct pipeline *pipeline, struct err *err)
{
    if (is_empty(dictionary))
        return true;
    return pipeline_add(
        pipeline, Q_op_signatures_missing,
        ARGS(arg_uuids(dictionary->arena, dictionary->ids, dictionary->summary->op_count)), err);
}

bool op_dictionary_take(struct op_dictionary *dictionary, const struct pipeline *pipeline,
                        struct err *err)
{
    if (is_empty(dictionary))
        return true;
    const PGresult *positions = pipeline_result(pipeline, Q_op_signatures_missing);
    size_t count = (size_t)PQntuples(positions);
    dictionary->missing = arena_array(dictionary->arena, size_t, count);
    if (dictionary->missing == NULL)
        return arena_failed(dictionary->arena, "new op signatures", err);
    for (size_t i = 0; i < count; i++)
        dictionary->missing[i] = (size_t)result_i64(positions, (int)i, 0);
    dictionary->missing_count = count;
    return true;
}

/* The texts of the missing ops, column by column. */
struct missing {
    struct uuid *ids;
    const char **signatures, **names, **categories, **opcodes, **shapes, **paths;
};

bool op_dictionary_add(const struct op_dictionary *dictionary, int64_t profile_id,
                       struct pipeline *pipeline, struct err *err)
{
    struct missing missing = {0};
    struct arena *arena = dictionary->arena;
    size_t count = dictionary->missing_count;
    if (count == 0)
        return true;
    missing.ids = arena_array(arena, struct uuid, count);
    const char **texts = arena_array(arena, const char *, 6 * count);
    if (missing.ids == NULL || texts == NULL)
        return arena_failed(arena, "new op signatures", err);
    missing.signatures = texts;
    missing.names = texts + count;
    missing.categories = texts + 2 * count;
    missing.opcodes = texts + 3 * count;
    missing.shapes = texts + 4 * count;
    missing.paths = texts + 5 * count;
    for (size_t i = 0; i < dictionary->missing_count; i++) {
        size_t at = dictionary->missing[i];
        const struct op_row *op = &dictionary->summary->ops[at];
        missing.ids[i] = dictionary->ids[at];
        missing.signatures[i] = op->signature;
        missing.names[i] = op->name;
        missing.categories[i] = op->category;
        missing.opcodes[i] = op->opcode;
        missing.shapes[i] = op->shape_signature;
        missing.paths[i] = op->op_path;
    }
    return pipeline_add(
        pipeline, Q_op_signatures_add,
        ARGS(arg_uuids(arena, missing.ids, count), arg_texts(arena, missing.signatures, count),
             arg_texts(arena, missing.names, count), arg_texts(arena, missing.categories, count),
             arg_texts(arena, missing.opcodes, count), arg_texts(arena, missing.shapes, count),
             arg_texts(arena, missing.paths, count), profile_id),
        err);
}

bool op_dictionary_digest(const struct op_dictionary *dictionary, const struct pipeline *pipeline,
                          struct section_digest *ret_digest, struct err *err)
{
    scoped_row_hash hash = {0};
    *ret_digest = (struct section_digest){0};
    if (dictionary->missing_count == 0)
        return true;
    const PGresult *added = pipeline_result(pipeline, Q_op_signatures_add);
    if (!row_hash_begin(&hash, err))
        return false;
    for (int row = 0; row < PQntuples(added); row++)
        row_hash_result(&hash, added, row);
    return row_hash_end(&hash, ret_digest, err);
}
