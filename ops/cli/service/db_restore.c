/* stepledger db restore: the embedded ledger from a backup, which is verified before it takes the
 * place of what is there. */
#include "history/cluster/cluster.h"
#include "history/migrate/migrate.h"
#include "history/verify/verify.h"
#include "ops/cli/operand/operand.h"
#include "ops/cli/service/db_actions.h"
#include "ops/flow/trust/trust.h"
#include "ops/runtime/text_harmless.h"

#include <inttypes.h>
#include <string.h>

enum { STATEMENT_BYTES_MAX = 256 << 20, ANSWER_BYTES = 1 << 20 };

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

static bool answer_print(struct cli *cli, const struct restore *restore,
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

bool db_restore(struct cli *cli, struct err *err)
{
    struct backup_note note;
    struct verify_report *report;
    struct restore restore = {.lock_fd = -1};
    scoped_text statement;
    text_init(&statement, STATEMENT_BYTES_MAX);
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
    return done && answer_print(cli, &restore, &note, report, err);
}
