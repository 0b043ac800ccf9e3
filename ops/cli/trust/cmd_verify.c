/* stepledger verify: whether the ledger is what was recorded. */
#include "history/archive/archive.h"
#include "history/verify/verify.h"
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/flow/trust/trust.h"
#include "ops/runtime/text_harmless.h"

#include <inttypes.h>
#include <string.h>

enum { CHECKPOINT_MAX_BYTES = 1 << 30, REPORT_MAX_BYTES = 1 << 20 };

struct verified {
    struct verify_report *report;
    struct archive_list archives; /* of months that left the ledger */
    bool *read;                   /* per archive: its file was given and is what it was */
};

static int64_t kept_count(const struct verify_report *report)
{
    return report->finding_count < VERIFY_FINDINGS_MAX ? report->finding_count
                                                       : VERIFY_FINDINGS_MAX;
}

static json_t *archives_json(const struct verified *verified)
{
    json_t *list = json_array();
    for (size_t i = 0; i < verified->archives.count; i++) {
        char hex[SHA256_HEX_BYTES];
        const struct archive *archive = &verified->archives.items[i];
        text_hex(archive->file_sha256, SHA256_BYTES, hex);
        (void)json_array_append_new(
            list, json_pack("{so, so, ss, sI, sb}", "month", json_text(archive->month), "file",
                            json_text(archive->file_name), "sha256", hex, "profiles",
                            (json_int_t)archive->profile_count, "verified", verified->read[i]));
    }
    return list;
}

static json_t *report_json(const struct verified *verified)
{
    const struct verify_report *report = verified->report;
    json_t *findings = json_array();
    for (int64_t i = 0; i < kept_count(report); i++) {
        const struct verify_finding *finding = &report->findings[i];
        (void)json_array_append_new(
            findings,
            json_pack("{so, so, so, so}", "chain", json_text(finding->chain), "position",
                      finding->chain == NULL ? json_null() : json_integer(finding->position),
                      "entry", json_text(finding->entry), "what", json_text(finding->what)));
    }
    return json_pack("{ss, sb, sI, sI, sI, sI, so, so}", "schema_version", "verify.v1", "clean",
                     report->finding_count == 0, "entry_count", (json_int_t)report->entry_count,
                     "chain_count", (json_int_t)report->chain_count, "subject_count",
                     (json_int_t)report->subject_count, "finding_count",
                     (json_int_t)report->finding_count, "findings", findings, "archives",
                     archives_json(verified));
}

static void findings_text(const struct verify_report *report, struct text *out)
{
    char findings[FORMAT_COUNTED_BYTES];
    text_addf(out, "%s, the first bad entry first\n",
              format_counted(report->finding_count, "finding", findings));
    for (int64_t i = 0; i < kept_count(report); i++) {
        const struct verify_finding *finding = &report->findings[i];
        if (finding->chain != NULL)
            text_addf(out, "%s %" PRId64 " ", finding->chain, finding->position);
        if (finding->entry != NULL)
            text_addf(out, "(%s) ", finding->entry);
        harmless_line(out, "%s", finding->what);
    }
}

static void archive_text(const struct archive *archive, bool was_read, struct text *out)
{
    char hex[SHA256_HEX_BYTES];
    char profiles[FORMAT_COUNTED_BYTES];
    text_hex(archive->file_sha256, SHA256_BYTES, hex);
    harmless_line(out, "%s: the contents of %s are in %s (sha256 %s): %s", archive->month,
                  format_counted(archive->profile_count, "profile", profiles), archive->file_name,
                  hex, was_read ? "verified" : "not looked at (--archive FILE)");
}

static bool checkpoint_read(struct cli *cli, const char *path, struct arena *arena,
                            struct checkpoint *out, struct err *err)
{
    scoped_json *root = json_read_file(path, CHECKPOINT_MAX_BYTES, err);
    if (root == NULL || !checkpoint_from_json(root, path, arena, out, err))
        return err->kind == ERR_INPUT && err_prefix(err, "no checkpoint (take another copy of it)");
    return checkpoint_check(out, err) && checkpoint_seal_check(&cli->conf, out, err);
}

/* The files of --against. */
static bool against_read(struct cli *cli, struct arena *arena, struct verify_against *ret_against,
                         struct err *err)
{
    const struct cli_value *paths = cli_value(cli, "against");
    struct checkpoint *items = arena_array(arena, struct checkpoint, paths->count);
    for (size_t i = 0; i < paths->count; i++)
        if (!checkpoint_read(cli, paths->list[i], arena, &items[i], err))
            return false;
    *ret_against = (struct verify_against){items, paths->count};
    return true;
}

/* The files of --archive; each that is whole settles its month. */
static bool archives_verify(struct cli *cli, struct db *db, struct arena *arena,
                            struct verified *verified, struct err *err)
{
    const struct cli_value *paths = cli_value(cli, "archive");
    struct archive_list *archives = &verified->archives;
    if (!archive_list(db, arena, archives, err))
        return false;
    verified->read = arena_array(arena, bool, archives->count);
    for (size_t i = 0; i < paths->count; i++) {
        struct archive_file file;
        int64_t before = verified->report->finding_count;
        if (!archive_verify(db, paths->list[i], arena, verified->report, &file, err))
            return false;
        bool good = verified->report->finding_count == before;
        for (size_t k = 0; good && k < archives->count; k++)
            verified->read[k] |= strcmp(archives->items[k].month, file.month) == 0;
    }
    return true;
}

/* ---- proofs ---------------------------------------------------------------------------------- */

enum { PROOF_MAX_BYTES = 1 << 20, SENTENCE_BYTES = 4096 };

/* "c3..c9" */
static bool growth_prove(struct db *db, const char *name, const char *dots, struct arena *arena,
                         struct proof *out, struct err *err)
{
    struct checkpoint first, second;
    const char *older = arena_strndup(arena, name, (size_t)(dots - name));
    const struct proof_pair pair = {&first, &second};
    return checkpoint_load(db, older, arena, &first, err) &&
           checkpoint_load(db, dots + strlen(".."), arena, &second, err) &&
           proof_of_growth(db, &pair, arena, out, err);
}

static bool entry_prove(struct db *db, const char *name, const struct verify_against *against,
                        struct arena *arena, struct proof *out, struct err *err)
{
    bool found = against->count > 0;
    struct checkpoint last;
    if (against->count > 1)
        return err_set(err, ERR_USAGE, "option --proof: give --against once");
    if (found)
        last = against->items[0];
    else if (!checkpoint_last(db, arena, &last, &found, err))
        return false;
    if (!found)
        return err_set(err, ERR_MISSING,
                       "the ledger has no checkpoint to prove it by: run `stepledger checkpoint`");
    return proof_of_entry(db, name, &last, arena, out, err);
}

/* Writes the proof that --proof asks for: of an entry, for the checkpoint of --against or the
 * ledger's last one; or of two checkpoints ("c3..c9"). */
static bool verify_proof_write(struct cli *cli, const struct verify_against *against,
                               struct arena *arena, struct err *err)
{
    struct proof proof;
    scoped_db *db = NULL;
    scoped_transaction *open = NULL;
    const char *name = cli_text(cli, "proof"), *dots = strstr(name, "..");
    return connect_reader(cli, &db, err) && snapshot_open(db, &open, err) &&
           (dots != NULL ? growth_prove(db, name, dots, arena, &proof, err)
                         : entry_prove(db, name, against, arena, &proof, err)) &&
           document_print(cli_text(cli, "output"), proof_to_json(&proof), err);
}

/* Whether the proof of --check-proof holds for the checkpoints of --against; says so. Needs no
 * ledger. */
static bool verify_proof_check(struct cli *cli, const struct verify_against *against,
                               struct arena *arena, struct err *err)
{
    bool holds;
    struct proof proof;
    const char *path = cli_text(cli, "check-proof");
    scoped_text sentence;
    text_init(&sentence, SENTENCE_BYTES);
    if (against->count == 0)
        return err_set(err, ERR_USAGE, "option --check-proof: name the checkpoint with --against");
    scoped_json *root = json_read_file(path, PROOF_MAX_BYTES, err);
    if (root == NULL || !proof_from_json(root, path, arena, &proof, err) ||
        !proof_check(&proof, path, against->items, against->count, &holds, err))
        return false;
    cli->code = holds ? EXIT_OK : EXIT_FAILED;
    const struct checkpoint *newest = &against->items[against->count - 1];
    const struct proof_entry *entry = &proof.entry;
    if (proof.has_entry)
        text_addf(&sentence,
                  "%.40s (%.40s %" PRId64 ", content sha256 %s) is %s what checkpoint %.40s of "
                  "%.40s saw\n",
                  entry->name, entry->chain, entry->position, entry->content_sha256,
                  holds ? "in" : "NOT proven to be in", newest->id, newest->recorded_at_utc);
    else
        text_addf(&sentence,
                  "the %" PRId64 " entries of checkpoint %.40s are %s the %" PRId64
                  " of checkpoint %.40s\n",
                  proof.from, against->items[0].id,
                  holds ? "the first of" : "NOT proven to be the first of", proof.tree_size,
                  newest->id);
    return text_ok(&sentence, "the answer", err) &&
           cli_write(text_string(&sentence), sentence.length, err);
}

/* ---- the command ----------------------------------------------------------------------------- */

static bool verify(struct cli *cli, struct err *err)
{
    struct arena *arena = &cli->arena;
    scoped_db *db = NULL;
    struct verify_against against;
    struct verified verified = {0};
    if (!against_read(cli, arena, &against, err))
        return false;
    if (cli_given(cli, "check-proof"))
        return verify_proof_check(cli, &against, arena, err);
    if (cli_given(cli, "proof"))
        return verify_proof_write(cli, &against, arena, err);
    if (!connect_reader(cli, &db, err))
        return false;
    const struct verifying verifying = {&cli->conf, db, arena};
    if (!verifying_run(&verifying, &against, &verified.report, err) ||
        !archives_verify(cli, db, arena, &verified, err))
        return false;
    cli->code = verified.report->finding_count == 0 ? EXIT_OK : EXIT_FAILED;
    if (strcmp(cli_text(cli, "format"), "json") == 0)
        return document_print(NULL, report_json(&verified), err);
    scoped_text out;
    text_init(&out, REPORT_MAX_BYTES);
    const struct verify_report *report = verified.report;
    char entries[FORMAT_COUNTED_BYTES], chains[FORMAT_COUNTED_BYTES];
    text_addf(&out, "%s on %s: ", format_counted(report->entry_count, "entry", entries),
              format_counted(report->chain_count, "chain", chains));
    if (report->finding_count == 0)
        text_add(&out, "clean\n");
    else
        findings_text(report, &out);
    for (size_t i = 0; i < verified.archives.count; i++)
        archive_text(&verified.archives.items[i], verified.read[i], &out);
    return text_ok(&out, "the report", err) && cli_write(text_string(&out), out.length, err);
}

static const struct cli_option options[] = {
    {"against", CLI_LIST, "FILE", NULL, "a checkpoint that was kept elsewhere"},
    {"archive", CLI_LIST, "FILE", NULL, "a month that left the ledger: verify its file, too"},
    {"proof", CLI_TEXT, "ENTRY", NULL, "write the proof of p12, or of two checkpoints: c3..c9"},
    {"check-proof", CLI_TEXT, "FILE", NULL, "check a proof against --against; needs no ledger"},
    {"output", CLI_TEXT, "FILE", NULL, "write the proof there and print the path"},
    {"format", CLI_CHOICE, "text|json", "text", "what to print"},
    CLI_DB,
    CLI_DB_READ,
    CLI_END,
};

const struct cli_command cmd_verify = {
    .name = "verify",
    .line = "find what was changed in the ledger behind its back",
    .operands = "",
    .options = options,
    .details =
        "Reads every entry with all its rows again, hashes them and walks the chains. Finds\n"
        "entries that were changed, put in, taken out or moved, and, by a checkpoint, a tail\n"
        "that was cut; names the first bad entry. The newest checkpoint that this machine has\n"
        "seen is kept in state_dir, so that a ledger that was rolled back is found. Months that\n"
        "left the ledger are verified by the hashes that stayed; --archive verifies the rows in\n"
        "their files.\n\n"
        "A checkpoint names the root of a Merkle tree over all entries (RFC 9162). --proof p12\n"
        "writes the path from that entry to the root of the last checkpoint, or of --against;\n"
        "--proof c3..c9 that the tree of the one is the beginning of the other's. --check-proof\n"
        "FILE --against CHECKPOINT (given twice for two) needs nothing but these files.\n\n"
        "exit: 0 clean · 1 something was found, or is not proven · 2 usage · 6 no such file or\n"
        "entry · 65 a checkpoint or proof that is not whole · 69 database away",
    .run = verify,
};
