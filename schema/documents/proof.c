/* The JSON form of a proof, as tables of members. */
#include "schema/documents/proof.h"

#include <string.h>

static const struct member entry_members[] = {
    M_FIELDS(proof_entry, name, chain, kind, position, subject_id),
    M_OPT_INT(proof_entry, supersedes, M_NULLABLE),
    M_FIELDS(proof_entry, version, content_sha256, previous_sha256, recorded_us),
    M_FIELDS_NULLABLE(proof_entry, recorded_by, on_behalf_of),
};
static const struct record entry_record = RECORD_OF(proof_entry, entry_members);

static const struct member proof_members[] = {
    M_TEXT(proof, schema_version),
    M_RECORD("entry", proof, entry, proof_entry, entry_record, M_OPTIONAL,
             .flag_offset = FIELD_AT(struct proof, has_entry, bool)),
    M_FIELDS(proof, from, tree_size, path),
};
const struct record proof_record = RECORD_OF_VERSION(proof, proof_members, "proof.v1");

json_t *proof_to_json(const struct proof *proof)
{
    return record_to_json(&proof_record, proof);
}

bool proof_from_json(const json_t *root, const char *name, struct arena *arena,
                     struct proof *ret_proof, struct err *err)
{
    return record_from_json(&proof_record, root, name, arena, ret_proof, err);
}
