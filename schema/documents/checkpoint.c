/* The JSON form of a checkpoint, as tables of members. */
#include "schema/documents/checkpoint.h"

#include "schema/documents/record.h"

#include <inttypes.h>
#include <string.h>

static const struct member head_members[] = {
    M_FIELDS(checkpoint_head, chain, position, sha256),
};
const struct record checkpoint_head_record = RECORD_OF(checkpoint_head, head_members);

static const struct member checkpoint_members[] = {
    M_FIELDS(checkpoint, schema_version, id, recorded_at_utc, root_sha256),
    M_LIST("heads", checkpoint, heads, head_count, checkpoint_head, checkpoint_head_record),
    M_INT(checkpoint, tree_size, M_OPTIONAL),
    M_TEXT(checkpoint, tree_root_sha256, M_NULLABLE),
    M_TEXTS(checkpoint, tree_peaks, M_OPTIONAL),
    M_FIELDS_NULLABLE(checkpoint, signature, public_key),
};
const struct record checkpoint_record =
    RECORD_OF_VERSION(checkpoint, checkpoint_members, "checkpoint.v1");

json_t *checkpoint_to_json(const struct checkpoint *checkpoint)
{
    return record_to_json(&checkpoint_record, checkpoint);
}

void checkpoint_statement(const struct checkpoint *checkpoint, struct text *out)
{
    text_addf(out, "%s\n%s\n%s\n%s\n", checkpoint->schema_version, checkpoint->id,
              checkpoint->recorded_at_utc, checkpoint->root_sha256);
    if (checkpoint->tree_root_sha256 != NULL)
        text_addf(out, "%" PRId64 " %s\n", checkpoint->tree_size, checkpoint->tree_root_sha256);
}

bool checkpoint_from_json(const json_t *root, const char *name, struct arena *arena,
                          struct checkpoint *ret_checkpoint, struct err *err)
{
    return record_from_json(&checkpoint_record, root, name, arena, ret_checkpoint, err);
}
