/* Fills the dictionary of ops. The ids are asked for first (16 bytes each), since of a known
 * workload nothing is missing and the texts need not travel. */
#include "history/profiles/op_signatures.h"

#include "history/client/client.h"
#include "ops/runtime/digest.h"

#include <string.h>

void op_dictionary_make(const struct summary *summary, struct arena *arena,
                        struct op_dictionary *ret_dictionary)
{
    size_t count = summary->has_ours ? summary->op_count : 0;
    struct uuid *ids = arena_array(arena, struct uuid, count);
    for (size_t i = 0; i < count; i++) {
        uint8_t digest[SHA256_BYTES];
        scoped_sha256 *state = sha256_new();
        sha256_add(state, summary->ops[i].signature, strlen(summary->ops[i].signature));
        sha256_finish(state, digest);
        memcpy(ids[i].bytes, digest, sizeof ids[i].bytes);
    }
    *ret_dictionary =
        (struct op_dictionary){.summary = summary, .arena = arena, .ids = ids, .count = count};
}

bool op_dictionary_ask(struct op_dictionary *dictionary, struct pipeline *pipeline, struct err *err)
{
    return dictionary->count == 0 ||
           pipeline_add(pipeline, Q_op_signatures_missing,
                        ARGS(arg_uuids(dictionary->arena, dictionary->ids, dictionary->count)),
                        err);
}

void op_dictionary_take(struct op_dictionary *dictionary, const struct pipeline *pipeline)
{
    if (dictionary->count == 0)
        return;
    const PGresult *positions = pipeline_result(pipeline, Q_op_signatures_missing);
    dictionary->missing_count = (size_t)PQntuples(positions);
    dictionary->missing = result_ids(positions, 0, dictionary->arena);
}

bool op_dictionary_add(const struct op_dictionary *dictionary, int64_t profile_id,
                       struct pipeline *pipeline, struct err *err)
{
    /* The texts of the missing ops, column by column. */
    enum { SIGNATURE, NAME, CATEGORY, OPCODE, SHAPE, PATH, TEXTS };
    struct arena *arena = dictionary->arena;
    size_t count = dictionary->missing_count;
    if (count == 0)
        return true;
    struct uuid *ids = arena_array(arena, struct uuid, count);
    const char **texts[TEXTS];
    for (int i = 0; i < TEXTS; i++)
        texts[i] = arena_array(arena, const char *, count);
    for (size_t i = 0; i < count; i++) {
        const struct op_row *op = &dictionary->summary->ops[dictionary->missing[i]];
        ids[i] = dictionary->ids[dictionary->missing[i]];
        texts[SIGNATURE][i] = op->signature;
        texts[NAME][i] = op->name;
        texts[CATEGORY][i] = op->category;
        texts[OPCODE][i] = op->opcode;
        texts[SHAPE][i] = op->shape_signature;
        texts[PATH][i] = op->op_path;
    }
    struct args args = {0};
    (void)ARGS_MORE(&args, arg_uuids(arena, ids, count));
    for (int i = 0; i < TEXTS; i++)
        (void)ARGS_MORE(&args, arg_texts(arena, texts[i], count));
    return pipeline_add(pipeline, Q_op_signatures_add, ARGS_MORE(&args, profile_id), err);
}

struct section_digest op_dictionary_digest(const struct op_dictionary *dictionary,
                                           const struct pipeline *pipeline)
{
    if (dictionary->missing_count == 0)
        return (struct section_digest){0};
    const PGresult *added = pipeline_result(pipeline, Q_op_signatures_add);
    return rows_digest(added, 0, PQntuples(added), (struct column_range){0, PQnfields(added)});
}
