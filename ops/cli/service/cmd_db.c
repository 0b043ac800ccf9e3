/* stepledger db: the embedded PostgreSQL cluster by hand. */
#include "history/cluster/cluster.h"
#include "history/migrate/migrate.h"
#include "history/verify/verify.h"
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/flow/trust/trust.h"
#include "ops/runtime/file.h"
#include "ops/runtime/text_harmless.h"

#include <inttypes.h>
#include <string.h>

enum { ANSWER_BYTES = 1 << 20, NOTE_BYTES_MAX = 256 << 20 };

static bool print_status(struct cli *cli, const struct cluster_status *status, struct err *err)
{
    scoped_text out;
    text_init(&out, ANSWER_BYTES);
    struct backup_memory last;
    if (!backup_memory_read(&cli->arena, &last, err))
        return false;
    text_addf(&out, "state    %s\n",
              !status->exists   ? "not made yet (`stepledger db start` makes it)"
              : status->running ? "running"
                                : "stopped");
    if (status->running)
        text_addf(&out, "process  %ld\n", (long)status->pid);
    harmless_line(&out, "data     %s", status->data_dir);
    harmless_line(&out, "socket   %s", status->socket_dir);
    harmless_line(&out, "log      %s", status->log_file);
    harmless_line(&out, "url      %s", status->url);
    if (last.path != NULL)
        harmless_line(&out, "backup   %s (%s)", last.path, last.begun_at_utc);
    return text_ok(&out, "the status", err) && cli_write(out.data, out.length, err);
}

static bool db_start(struct cli *cli, struct err *err)
{
    struct cluster_status status;
    return cluster_ensure(&cli->arena, &status, err) && print_status(cli, &status, err);
}

static bool db_stop(struct cli *cli, struct err *err)
{
    (void)cli;
    return cluster_stop(err);
}

static bool db_status(struct cli *cli, struct err *err)
{
    struct cluster_status status;
    return cluster_inspect(&cli->arena, &status, err) && print_status(cli, &status, err);
}

static bool db_url(struct cli *cli, struct err *err)
{
    struct cluster_status status;
    if (!cluster_inspect(&cli->arena, &status, err))
        return false;
    const char *line = arena_printf(&cli->arena, "%s\n", status.url);
    return cli_write(line, strlen(line), err);
}

/* ---- backup --------------------------------------------------------------------------------- */

static bool backup_print(const struct backup *backup, const struct backup_note *note,
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
    scoped_json *root = record_to_json(&backup_note_record, &note);
    json_print(root, JSON_STYLE_INDENTED, &text);
    text_addc(&text, '\n');
    if (!text_ok(&text, "the note of the backup", err) ||
        !file_write_atomic(path, text.data, text.length, err))
        return false;
    return backup_finish(backup, err) &&
           ((backup_memory_write(backup, &note, err) && backup_print(backup, &note, err)) ||
            err_prefix(err, "the backup '%s' is whole", backup->path));
}

static bool db_backup(struct cli *cli, struct err *err)
{
    struct backup backup = {.lock_fd = -1};
    bool done = backup_make(cli, &backup, err);
    backup_close(&backup);
    return done;
}

/* ---- restore -------------------------------------------------------------------------------- */

/* The copy is brought to our schema and verified in whole, against where the note says that every
 * chain was. */
static bool copy_verify(struct cli *cli, const struct restore *restore,
                        const struct backup_note *note, struct verify_report **ret_report,
                        struct err *err)
{
    scoped_db *owner = NULL, *db = NULL;
    struct migration_report migrated;
    struct checkpoint noted = {
        .id = "of the backup's note", .heads = note->heads, .head_count = note->head_count};
    const struct verify_against against = {&noted, 1};
    return db_open_raw(restore->owner_url, &owner, err) && migrate_run(owner, &migrated, err) &&
           db_open(restore->url, &db, err) &&
           ledger_verify(db, &against, &cli->arena, ret_report, err);
}

static bool findings_refuse(const struct cli *cli, const struct verify_report *report,
                            struct err *err)
{
    char findings[FORMAT_COUNTED_BYTES];
    if (report->finding_count == 0 || cli_given(cli, "despite-findings"))
        return true;
    return err_set(
        err, ERR_INPUT,
        "`verify` has %s in the ledger of '%s', the first: %.400s. Nothing was replaced; "
        "--despite-findings restores it all the same",
        format_counted(report->finding_count, "finding", findings), cli->operands[1],
        report->findings[0].what);
}

/* What this machine remembers of the ledger that was here. */
static bool memory_tell(struct cli *cli, struct db *db, enum seen_kind kind, struct text *out,
                        struct err *err)
{
    struct seen seen;
    const char *fault = NULL;
    if (!seen_read(&cli->conf, db, kind, &cli->arena, &seen, err))
        return false;
    if (seen.found && !ledger_holds(db, &seen.checkpoint, &cli->arena, &fault, err))
        return false;
    if (fault != NULL)
        harmless_line(out,
                      "! this machine has seen %.40s of %.40s, which the restored ledger does not "
                      "hold: `verify` will say that it was rolled back. When that is meant, "
                      "remove %s",
                      seen.checkpoint.id, seen.checkpoint.recorded_at_utc, seen.path);
    return true;
}

static bool restored_print(struct cli *cli, const struct restore *restore,
                           const struct backup_note *note, const struct verify_report *report,
                           struct err *err)
{
    scoped_text out;
    scoped_db *db = NULL;
    struct err trouble = {0};
    char entries[FORMAT_COUNTED_BYTES], chains[FORMAT_COUNTED_BYTES];
    text_init(&out, ANSWER_BYTES);
    harmless_line(&out, "restored %s, begun %s", cli->operands[1], note->begun_at_utc);
    harmless_line(&out, "data     %s", restore->place.data);
    text_addf(&out, "holds    %s on %s: ", format_counted(report->entry_count, "entry", entries),
              format_counted(report->chain_count, "chain", chains));
    if (report->finding_count == 0)
        text_add(&out, "clean\n");
    else
        text_addf(&out, "%" PRId64 " of `verify`'s findings\n", report->finding_count);
    if (restore->old_home != NULL)
        harmless_line(&out, "old one  %s (kept; remove it when nobody needs it)",
                      restore->old_home);
    if (!connect_ledger(cli, &db, &trouble) || !memory_tell(cli, db, SEEN_NEWEST, &out, &trouble) ||
        !memory_tell(cli, db, SEEN_VERIFIED, &out, &trouble))
        harmless_line(&out, "! %s", trouble.text);
    return text_ok(&out, "the answer", err) && cli_write(out.data, out.length, err);
}

static bool db_restore(struct cli *cli, struct err *err)
{
    struct backup_note note;
    struct verify_report *report;
    struct restore restore = {.lock_fd = -1};
    scoped_text statement;
    text_init(&statement, NOTE_BYTES_MAX);
    if (!restore_note_read(cli->operands[1], &cli->arena, &note, err))
        return false;
    const struct seal seal = {note.signature, note.public_key};
    backup_note_statement(&note, &statement);
    if (!text_ok(&statement, "the note of the backup", err) ||
        !seal_check(&cli->conf, "the backup's note", &statement, &seal, err))
        return false;
    bool done = restore_open(&restore, cli_given(cli, "replace"), &cli->arena, err) &&
                restore_copy(&restore, cli->operands[1], &note, err) &&
                copy_verify(cli, &restore, &note, &report, err) &&
                findings_refuse(cli, report, err) && restore_finish(&restore, err);
    restore_close(&restore);
    return done && restored_print(cli, &restore, &note, report, err);
}

/* ---- the command ---------------------------------------------------------------------------- */

static const struct action {
    const char *name;
    bool (*run)(struct cli *cli, struct err *err);
    size_t operands;
    bool of_embedded; /* refused where another database is configured */
} actions[] = {
    {"start", db_start, 1, false}, {"stop", db_stop, 1, false},    {"status", db_status, 1, false},
    {"url", db_url, 1, false},     {"backup", db_backup, 2, true}, {"restore", db_restore, 2, true},
};

static bool action_check(const struct cli *cli, const struct action *action, struct err *err)
{
    if (action->of_embedded && connect_configured(cli) != NULL)
        return err_set(err, ERR_USAGE,
                       "`db %s` is for the embedded database, and another one is configured: back "
                       "that one up with its own means, pg_basebackup or pg_dump "
                       "(STEPLEDGER_DB= for the embedded one)",
                       action->name);
    if (cli->operand_count < action->operands)
        return err_set(err, ERR_USAGE, "`db %s` needs the folder of the backup", action->name);
    return cli->operand_count == action->operands ||
           err_set(err, ERR_USAGE, "`db %s` takes nothing like '%s'", action->name,
                   cli->operands[action->operands]);
}

static bool db(struct cli *cli, struct err *err)
{
    const char *wanted = cli->operands[0];
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++)
        if (strcmp(actions[i].name, wanted) == 0)
            return action_check(cli, &actions[i], err) && actions[i].run(cli, err);
    return err_set(err, ERR_USAGE,
                   "unknown action '%s': start, stop, status, url, backup or restore", wanted);
}

static const struct cli_option options[] = {
    {"replace", CLI_FLAG, NULL, NULL, "restore: move the ledger that is there aside"},
    {"despite-findings", CLI_FLAG, NULL, NULL, "restore: also what `verify` finds something in"},
    {"db", CLI_TEXT, "CONNINFO", NULL, "of no use here: this is about the embedded database"},
    CLI_END,
};

const struct cli_command cmd_db = {
    .name = "db",
    .line = "start, stop, show, back up, restore the embedded PostgreSQL",
    .operands = "start|stop|status|url|backup DIR|restore DIR",
    .operand_min = 1,
    .operand_max = 2,
    .options = options,
    .details =
        "The embedded cluster serves every command when no --db, STEPLEDGER_DB or `db =\n"
        "…` names another database. It listens on a Unix socket only and is started on\n"
        "demand; `stop` ends it in order. `url` prints what psql and other clients\n"
        "connect to.\n\n"
        "`backup DIR` writes the ledger as it is now to a new folder, while others work on:\n"
        "all that was acknowledged before it began is in it. Its note, backup.json, says how\n"
        "far every chain is, and is signed when checkpoint_key is configured. Under its name a\n"
        "backup is whole and verified; the folder in which it lies must be there.\n\n"
        "`restore DIR` makes the ledger of a backup that of this data home (XDG_DATA_HOME).\n"
        "It copies, runs and verifies the backup first. A ledger that is there is refused, or\n"
        "with --replace moved aside and kept; the answer says where. It says, too, when this\n"
        "machine has seen more of the ledger than the backup holds.\n\n"
        "exit: 0 done · 2 usage, another database is configured · 6 no such folder or backup ·\n"
        "      65 the folder is taken, a ledger is there, the backup is not what was taken, or\n"
        "      `verify` finds something in it · 69 PostgreSQL is missing, of another major\n"
        "      version, or does not start · 75 disk full, or another command is making that\n"
        "      backup",
    .run = db,
};
