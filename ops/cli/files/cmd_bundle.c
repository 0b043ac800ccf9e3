/* stepledger bundle: two summaries, or the profiles of two W&B runs, their comparison, track record
 * and reports in one folder. */
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/cli/files/remote.h"
#include "ops/cli/files/track_of.h"
#include "ops/present/report/report.h"
#include "ops/runtime/file.h"

#include <stdio.h>

enum { FILE_MAX_BYTES = 1 << 30, FILE_COUNT = 6, ANSWER_BYTES = 4096 };

struct bundle {
    struct cli *cli;
    const char *folder;
    struct arena *arena;
    json_t *manifest;
    struct file_output files[FILE_COUNT]; /* beside their names until all are whole */
    size_t file_count;
};

/* Writes one file of the bundle and enters it into the manifest. */
static bool file_add(struct bundle *bundle, const char *key, const char *name,
                     const struct text *content, struct err *err)
{
    char *path = path_join(bundle->arena, bundle->folder, name);
    struct file_output *file = &bundle->files[bundle->file_count];
    if (!text_ok(content, name, err))
        return false;
    bundle->file_count++;
    (void)json_object_set_new(bundle->manifest, key, json_text(path));
    return file_output_open_own(file, path, bundle->arena, err) &&
           file_write_all(file->fd, content->data, content->length, path, err) &&
           file_output_flush(file, err);
}

static bool document_add(struct bundle *bundle, const char *key, const char *name, json_t *root,
                         struct err *err)
{
    scoped_json *document = root;
    if (document == NULL)
        return false;
    scoped_text text;
    text_init(&text, FILE_MAX_BYTES);
    json_print(document, JSON_STYLE_INDENTED, &text);
    text_addc(&text, '\n');
    return file_add(bundle, key, name, &text, err);
}

static bool report_add(struct bundle *bundle, const char *key, const char *name,
                       const struct summary *summary, struct err *err)
{
    scoped_text text;
    text_init(&text, FILE_MAX_BYTES);
    return report_markdown(summary, cli_int(bundle->cli, "top-k"), &text, err) &&
           file_add(bundle, key, name, &text, err);
}

static bool files_add(struct bundle *bundle, const struct pair *pair, struct err *err)
{
    const char *status = NULL;
    json_t *track = track_of(bundle->cli, pair, bundle->arena, &status, err);
    bool written =
        document_add(bundle, "track_path", "track.json", track, err) &&
        document_add(bundle, "compare_path", "compare.json", comparison_to_json(&pair->comparison),
                     err) &&
        document_add(bundle, "before_summary_path", "before.summary.json",
                     summary_to_json(&pair->before), err) &&
        document_add(bundle, "after_summary_path", "after.summary.json",
                     summary_to_json(&pair->after), err) &&
        report_add(bundle, "before_report_path", "before.report.md", &pair->before, err) &&
        report_add(bundle, "after_report_path", "after.report.md", &pair->after, err);
    (void)json_object_set_new(bundle->manifest, "output_dir", json_text(bundle->folder));
    (void)json_object_set_new(bundle->manifest, "status", json_text(status));
    return written;
}

/* A disk that is full was found out before; what still fails tells which files are of now. */
static bool files_name(struct bundle *bundle, struct err *err)
{
    scoped_text named;
    text_init(&named, ANSWER_BYTES);
    for (size_t i = 0; i < bundle->file_count; i++) {
        const char *path = bundle->files[i].path;
        if (!file_output_finish(&bundle->files[i], err))
            return err_prefix(err,
                              "the bundle is not whole, make it again (new already: %s; the other "
                              "files are what they were)",
                              i == 0 ? "nothing" : text_shown(&named));
        text_addf(&named, "%s%s", i == 0 ? "" : ", ", path_base(path));
    }
    return true;
}

/* A summary wins over a run, for each side by itself; the operand is for a side that neither names.
 */
static bool side_load(struct cli *cli, const char *side, const char *operand, struct arena *arena,
                      struct summary *ret_summary, struct err *err)
{
    char by_file[32], by_run[32];
    (void)snprintf(by_file, sizeof by_file, "%s-summary", side);
    (void)snprintf(by_run, sizeof by_run, "%s-run-target", side);
    const char *path = cli_text(cli, by_file), *target = cli_text(cli, by_run);
    const struct reference_scope scope = reference_scope_configured(cli);
    if (path == NULL && target == NULL)
        path = operand;
    if (path != NULL)
        return reference_summary(cli, &scope, path, arena, ret_summary, err);
    if (target == NULL)
        return err_set(err, ERR_INPUT, "give --%s FILE or --%s RUN", by_file, by_run);
    struct profile_files profile;
    struct ingest_options options;
    scoped_remote remote = {0};
    return summarize_options_all(cli, &options, err) && remote_run(cli, target, &remote, err) &&
           summarize_find(cli, remote.path, &profile, err) &&
           summarize_profile(cli, &profile, &options, arena, ret_summary, err) &&
           remote_describe(&remote, arena, ret_summary, err);
}

/* The operands: two summaries, or a verdict, which has both sides. */
static bool sides_named(struct cli *cli, struct arena *arena, struct reference_sides *ret_sides,
                        struct err *err)
{
    int64_t verdict_id;
    if (cli->operand_count == 0)
        return true;
    if (cli->operand_count == 1 && reference_is_id(cli->operands[0], 'v', &verdict_id))
        return reference_sides(cli, verdict_id, arena, ret_sides, err);
    if (cli->operand_count != 2)
        return err_set(err, ERR_USAGE, "give BEFORE and AFTER, or one verdict");
    *ret_sides = (struct reference_sides){cli->operands[0], cli->operands[1]};
    return true;
}

static bool bundle_make(struct cli *cli, struct err *err)
{
    struct arena *arena = &cli->arena;
    struct pair pair = {0};
    struct reference_sides sides = {0};
    struct bundle bundle = {.cli = cli, .arena = arena, .manifest = json_object()};
    scoped_json *manifest = bundle.manifest;
    bundle.folder = path_normal(arena, cli_text(cli, "output-dir"));
    if (!sides_named(cli, arena, &sides, err) ||
        !side_load(cli, "before", sides.before, arena, &pair.before, err) ||
        !side_load(cli, "after", sides.after, arena, &pair.after, err) ||
        !pair_compare(cli, arena, &pair, err) || !file_make_dirs(bundle.folder, err))
        return false;
    bool done = files_add(&bundle, &pair, err) && files_name(&bundle, err);
    for (size_t i = 0; i < bundle.file_count; i++)
        file_output_close(&bundle.files[i]);
    if (!done)
        return false;
    return document_print(cli_text(cli, "output"), json_incref(manifest), err) ||
           err_prefix(err, "the six files of the bundle are written, its manifest is not");
}

static const struct cli_option options[] = {
    {"before-summary", CLI_TEXT, "SUMMARY", NULL, "summary of the baseline"},
    {"after-summary", CLI_TEXT, "SUMMARY", NULL, "summary of the candidate"},
    {"before-run-target", CLI_TEXT, "RUN", NULL, "W&B run of the baseline, as for summarize"},
    {"after-run-target", CLI_TEXT, "RUN", NULL, "W&B run of the candidate"},
    CLI_REMOTE,
    CLI_WARMUP,
    CLI_HOT_OPS,
    CLI_MODE,
    CLI_META,
    CLI_STRICT_INPUT,
    CLI_READING,
    CLI_PROGRESS,
    CLI_STRICT_PROVENANCE,
    CLI_TOP_K,
    CLI_THRESHOLDS,
    CLI_TRACK_RECORD,
    {"output-dir", CLI_TEXT, "DIR", NULL, "folder for the six files"},
    {"output", CLI_TEXT, "FILE", NULL, "write the manifest there and print the path"},
    CLI_DB,
    CLI_DB_READ,
    CLI_END,
};

const struct cli_command cmd_bundle = {
    .name = "bundle",
    .line = "compare two summaries into a folder of documents",
    .operands = "[BEFORE AFTER | VERDICT]",
    .operand_max = 2,
    .options = options,
    .required = "output-dir",
    .details =
        "Writes both summaries, compare.json, track.json and both reports; prints the manifest.\n"
        "Each side is a summary (a file, or what the ledger calls it: p12, a run, a label, a\n"
        "commit; v4 is the two sides of that verdict), or a W&B run whose profile is fetched and\n"
        "summarized first.\n"
        "With --strict-provenance nothing is written when the checks fail. The files take their\n"
        "names when all of them are whole, the manifest last.\n\n"
        "exit: 0 written · 1 error · 2 usage",
    .run = bundle_make,
    .compatible = true,
};
