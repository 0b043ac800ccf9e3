/* stepledger db backup: the embedded ledger as it is now, in a folder. */
#include "history/cluster/cluster.h"
#include "ops/cli/operand/operand.h"
#include "ops/cli/service/db_actions.h"
#include "ops/flow/trust/trust.h"
#include "ops/runtime/file.h"
#include "ops/runtime/text_harmless.h"

#include <inttypes.h>
#include <string.h>

enum { NOTE_BYTES_MAX = 256 << 20, ANSWER_BYTES = 64 << 10 };

static bool answer_print(const struct backup *backup, const struct backup_note *note,
                         struct err *err)
{
    int64_t entries = 0;
    scoped_text out;
    char shown[FORMAT_COUNTED_BYTES], chains[FORMAT_COUNTED_BYTES], files[FORMAT_COUNTED_BYTES];
    for (size_t i = 0; i < note->head_count; i++)
        entries += note->heads[i].position;
    text_init(&out, ANSWER_BYTES);
    harmless_line(&out, "backup   %s", backup->path);
    text_addf(&out, "begun    %s\nholds    %s on %s, %s%s at least\n", note->begun_at_utc,
              format_counted(entries, "entry", shown),
              format_counted((int64_t)note->head_count, "chain", chains),
              note->checkpoint_id == NULL ? "no checkpoint" : "checkpoint ",
              note->checkpoint_id == NULL ? "" : note->checkpoint_id);
    text_addf(&out, "size     %s, %" PRId64 " MiB\nsha256   %s%s\n",
              format_counted(note->file_count, "file", files), note->byte_count >> 20, note->sha256,
              note->signature == NULL ? "" : " (signed)");
    return text_ok(&out, "the answer", err) && cli_write(out.data, out.length, err);
}

static bool backup_make(struct cli *cli, struct backup *backup, struct err *err)
{
    scoped_db *db = NULL;
    struct backup_note note;
    if (!connect_ledger(cli, &db, err) ||
        !backup_open(backup, cli->operands[1], &cli->arena, err) ||
        !backup_note_begin(db, &cli->arena, &note, err) || !backup_take(backup, &note, err))
        return false;
    /* Its hash, and a signature when a key is configured. */
    struct arena *arena = &cli->arena;
    struct seal seal = {0};
    scoped_text statement;
    char sha256[SHA256_HEX_BYTES];
    const char *key = conf_text(&cli->conf, CONF_checkpoint_key);
    text_init(&statement, NOTE_BYTES_MAX);
    backup_note_statement(&note, &statement);
    if (!text_ok(&statement, "the note of the backup", err) ||
        (key[0] != '\0' && !seal_make(key, &statement, arena, &seal, err)))
        return false;
    sha256_hex(statement.data, statement.length, sha256);
    note.sha256 = arena_strdup(arena, sha256);
    note.signature = seal.signature;
    note.public_key = seal.public_key;
    scoped_text text;
    text_init(&text, NOTE_BYTES_MAX);
    const char *path = path_join(backup->arena, backup->part, backup_note_name);
    scoped_json *root = record_to_json(&backup_note_record, &note, err);
    if (root == NULL)
        return false;
    json_print(root, JSON_STYLE_INDENTED, &text);
    text_addc(&text, '\n');
    if (!text_ok(&text, "the note of the backup", err) ||
        !file_write_atomic(path, text.data, text.length, err))
        return false;
    return backup_finish(backup, err) &&
           ((backup_memory_write(backup, &note, err) && answer_print(backup, &note, err)) ||
            err_prefix(err, "the backup '%s' is whole", backup->path));
}

bool db_backup(struct cli *cli, struct err *err)
{
    struct backup backup = {.lock_fd = -1};
    bool done = backup_make(cli, &backup, err);
    backup_close(&backup);
    return done;
}
