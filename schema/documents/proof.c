/* The JSON form of a proof, as tables of members. */
#include "schema/documents/proof.h"

#include <string.h>

static const struct member entry_members[] = {
    M_TEXT(proof_entry, name),
    M_TEXT(proof_entry, chain),
    M_TEXT(proof_entry, kind),
    M_INT(proof_entry, position),
    M_INT(proof_entry, subject_id),
    M_OPT_INT(proof_entry, supersedes, M_NULLABLE),
    M_INT(proof_entry, version),
    M_TEXT(proof_entry, content_sha256),
    M_TEXT(proof_entry, previous_sha256),
    M_INT(proof_entry, recorded_us),
    M_TEXT(proof_entry, recorded_by, M_NULLABLE),
    M_TEXT(proof_entry, on_behalf_of, M_NULLABLE),
};
static const struct record entry_record = RECORD_OF(proof_entry, entry_members);

static const struct member proof_members[] = {
    M_TEXT(proof, schema_version),
    M_RECORD("entry", proof, entry, proof_entry, entry_record, M_OPTIONAL,
             .flag_offset = FIELD_AT(struct proof, has_entry, bool)),
    M_INT(proof, from),
    M_INT(proof, tree_size),
    M_TEXTS(proof, path),
};
const struct record proof_record = RECORD_OF(proof, proof_members);

json_t *proof_to_json(const struct proof *proof, struct err *err)
{
    return record_to_json(&proof_record, proof, err);
}

bool proof_from_json(const json_t *root, const char *name, struct arena *arena,
                     struct proof *ret_proof, struct err *err)
{
    struct proof proof = {0};
    if (!record_read(&proof_record, root, name, arena, &proof, err))
        return false;
    if (strcmp(proof.schema_version, "proof.v1") != 0)
        return err_set(err, ERR_INPUT, "%s: schema_version is \"%.40s\", not proof.v1", name,
                       proof.schema_version);
    *ret_proof = proof;
    return true;
}
