/* The note of a backup: backup.v1. What the backup is of and how far every chain of the ledger had
 * come when it began: a ledger that is restored from it holds at least that. It seals the backup:
 * PostgreSQL's manifest has the hash of each file, the note the hash of the manifest and its own.
 */
#ifndef SCHEMA_DOCUMENTS_BACKUP_NOTE_H
#define SCHEMA_DOCUMENTS_BACKUP_NOTE_H

#include "ops/runtime/text.h"
#include "schema/documents/checkpoint.h"

struct backup_note {
    const char *schema_version; /* "backup.v1" */
    const char *begun_at_utc;
    const char *stepledger_version, *server_version;
    int64_t migration; /* the last one of the ledger's schema */
    int64_t file_count, byte_count;
    const char *manifest_sha256;        /* hex, of data/backup_manifest */
    const char *checkpoint_id;          /* the newest one; NULL: there was none */
    const char *checkpoint_root_sha256; /* its root, hex; NULL */
    struct checkpoint_head *heads;      /* in the byte order of names */
    size_t head_count;
    const char *sha256;     /* hex, of the statement */
    const char *signature;  /* base64 of an Ed25519 signature over the statement; NULL */
    const char *public_key; /* base64 of the 32 bytes of its key; NULL */
};

/* The table of its members, which the JSON schema is checked against. */
extern const struct record backup_note_record;

/* What is hashed and signed: every member above `sha256`, each on a line. */
void backup_note_statement(const struct backup_note *note, struct text *out);

/* ERR_INPUT names the member that is wrong; whether the hash fits is checked too. */
bool backup_note_from_json(const json_t *root, const char *name, struct arena *arena,
                           struct backup_note *ret_note, struct err *err);

#endif
