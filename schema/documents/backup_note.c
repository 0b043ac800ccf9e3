/* The JSON form of a backup's note, as tables of members. */
#include "schema/documents/backup_note.h"

#include "ops/runtime/digest.h"

#include <inttypes.h>
#include <string.h>

enum { STATEMENT_BYTES_MAX = 256 << 20 };

static const struct member note_members[] = {
    M_FIELDS(backup_note, schema_version, begun_at_utc, stepledger_version, server_version,
             migration, file_count, byte_count, manifest_sha256),
    M_FIELDS_NULLABLE(backup_note, checkpoint_id, checkpoint_root_sha256),
    M_LIST("heads", backup_note, heads, head_count, checkpoint_head, checkpoint_head_record),
    M_TEXT(backup_note, sha256),
    M_FIELDS_NULLABLE(backup_note, signature, public_key),
};
const struct record backup_note_record = RECORD_OF_VERSION(backup_note, note_members, "backup.v1");

static const char *or_none(const char *text)
{
    return text == NULL ? "none" : text;
}

void backup_note_statement(const struct backup_note *note, struct text *out)
{
    text_addf(out, "%s\n%s\n%s\n%s\n%" PRId64 "\n%" PRId64 "\n%" PRId64 "\n%s\n%s\n%s\n",
              note->schema_version, note->begun_at_utc, note->stepledger_version,
              note->server_version, note->migration, note->file_count, note->byte_count,
              note->manifest_sha256, or_none(note->checkpoint_id),
              or_none(note->checkpoint_root_sha256));
    for (size_t i = 0; i < note->head_count; i++)
        text_addf(out, "%s %" PRId64 " %s\n", note->heads[i].chain, note->heads[i].position,
                  note->heads[i].sha256);
}

bool backup_note_from_json(const json_t *root, const char *name, struct arena *arena,
                           struct backup_note *ret_note, struct err *err)
{
    struct backup_note note;
    if (!record_from_json(&backup_note_record, root, name, arena, &note, err))
        return false;
    scoped_text statement;
    char sha256[SHA256_HEX_BYTES];
    text_init(&statement, STATEMENT_BYTES_MAX);
    backup_note_statement(&note, &statement);
    if (!text_ok(&statement, name, err))
        return false;
    sha256_hex(statement.data, statement.length, sha256);
    if (strcmp(sha256, note.sha256) != 0)
        return err_set(err, ERR_INPUT, "%s: its hash is not that of what it says: it was changed",
                       name);
    *ret_note = note;
    return true;
}
