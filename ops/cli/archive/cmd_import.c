/* stepledger import: documents of files into the ledger. */
#include "history/archive/archive.h"
#include "ops/cli/cli.h"
#include "ops/cli/operand/operand.h"
#include "ops/cli/archive/import.h"
#include "ops/runtime/file.h"
#include "ops/runtime/log.h"

#include <stdio.h>
#include <string.h>

enum { SUMMARY_MAX_BYTES = 512 << 20, NAME_BYTES = 600 };

/* A line without its end that is no JSON was torn when its writer was killed: it is left out. */
static bool line_take(struct import *import, const struct file_lines *lines,
                      const struct import_seal *seal, struct err *err)
{
    char name[NAME_BYTES];
    if (strspn(lines->line, " \t\r\n") == lines->length)
        return true;
    (void)snprintf(name, sizeof name, "%s:%zu", lines->path, lines->number);
    if (!import_seal_line(seal, lines, err))
        return err_prefix(err, "%s", name);
    scoped_json *root = json_parse(lines->line, lines->length, name, err);
    import->documents += root != NULL;
    if (root != NULL)
        return import_line(import, root, name, err);
    if (lines->line[lines->length - 1] == '\n' || err->kind != ERR_INPUT)
        return false;
    log_event(LOG_WARN, LOG_input_warning, "file", lines->path, "why",
              "the last line is torn and was left out", NULL);
    return true;
}

static bool lines_import(struct import *import, struct file_lines *lines,
                         const struct import_seal *seal, struct err *err)
{
    for (bool found = true; found;) {
        if (!file_lines_next(lines, &found, err) ||
            (found && !line_take(import, lines, seal, err)) ||
            !arena_ok(import->arena, "what an export holds", err))
            return false;
    }
    if (import->documents == 0)
        return err_set(err, ERR_INPUT,
                       "%s holds no whole document: it is empty, or all of it is torn. Write it "
                       "again",
                       lines->path);
    return lines->number >= seal->count ||
           err_set(err, ERR_INPUT,
                   "%s ends behind line %zu, of %zu when it was checked, a moment ago: somebody is "
                   "changing it. Import it again when it is whole",
                   lines->path, lines->number, seal->count);
}

/* With --unsealed what is wrong with the seal is said, and the lines are taken as they are. */
static bool seal_check(struct import *import, struct file_lines *lines,
                       struct import_seal *ret_seal, struct err *err)
{
    struct err fault = {0}, taken;
    bool done = import_seal_check(lines, &import->cli->conf, import->arena, ret_seal, &fault);
    import->takes_lines = import->takes_unsealed || (done && ret_seal->is_export);
    if (!done && fault.kind == ERR_INPUT && import->takes_unsealed) {
        (void)err_set(&taken, fault.kind, "%s. It is taken as it is", fault.text);
        log_event(LOG_WARN, LOG_input_warning, "file", lines->path, "why", taken.text, NULL);
        return true;
    }
    if (!done && fault.kind == ERR_INPUT)
        return err_set(err, fault.kind, "%s. Nothing of it was imported", fault.text);
    *err = fault;
    return done;
}

static bool file_import(struct import *import, const char *path, struct err *err)
{
    struct import_seal seal;
    import->pair_count = 0;
    import->series = import->reports = 0;
    import->keeps_numbers = false;
    import->documents = 0;
    scoped_stream *stream = file_stream(path, err);
    if (stream == NULL)
        return false;
    if (fseeko(stream, 0, SEEK_SET) != 0)
        return err_set(err, ERR_INPUT,
                       "%s can be read only once, and an import reads twice: write it to a file "
                       "first",
                       path);
    scoped_file_lines lines = {.stream = stream, .path = path, .memory = import->memory};
    if (!seal_check(import, &lines, &seal, err))
        return false;
    /* A document that is printed over several lines: its first line alone is no JSON. */
    char start[3] = "";
    size_t length = fread(start, 1, sizeof start - 1, stream);
    rewind(stream);
    if (length != 2 || start[0] != '{' || (start[1] != '\n' && start[1] != '\r'))
        return lines_import(import, &lines, &seal, err);
    scoped_json *root = json_read_file(path, SUMMARY_MAX_BYTES, err);
    return root != NULL && import_line(import, root, path, err);
}

static bool files_import(struct cli *cli, struct import *import, struct err *err)
{
    scoped_db *db = NULL;
    if (!connect_ledger(cli, &db, err))
        return false;
    import->db = db;
    for (size_t i = 0; i < cli->operand_count; i++) {
        int64_t id;
        const char *conninfo, *path = cli->operands[i];
        struct archive_file file;
        scoped_db *owner = NULL;
        /* A month that left the ledger comes back: its owner's work. */
        bool is_month = archive_recognize(path);
        import->months += is_month;
        if (!(is_month ? connect_owner(cli, &conninfo, err) && db_open(conninfo, &owner, err) &&
                             archive_attach(owner, path, &file, &id, err)
                       : file_import(import, path, err)))
            return false;
    }
    return document_print(
        NULL,
        json_pack("{ss, sI, sI, sI, sI, sI, sI, sI, sI}", "schema_version", "import.v1", "profiles",
                  (json_int_t)import->profiles, "verdicts", (json_int_t)import->verdicts, "tracks",
                  (json_int_t)import->tracks, "known", (json_int_t)import->known, "months",
                  (json_int_t)import->months, "left_out", (json_int_t)import->left_out, "decisions",
                  (json_int_t)import->decisions, "deliveries", (json_int_t)import->deliveries),
        err);
}

static const char *name_or_null(const struct cli *cli, const char *option, enum conf_key key)
{
    const char *given = cli_text(cli, option);
    const char *name = given != NULL ? given : conf_text(&cli->conf, key);
    return name[0] == '\0' ? NULL : name;
}

static bool import_files(struct cli *cli, struct err *err)
{
    struct import import = {
        .cli = cli,
        .identity = {.project = name_or_null(cli, "project", CONF_project),
                     .workload = name_or_null(cli, "workload", CONF_workload),
                     .branch = cli_text(cli, "branch"),
                     .commit = cli_text(cli, "commit")},
        .memory = cli->memory,
        .arena = &cli->arena,
        .takes_unsealed = cli_given(cli, "unsealed"),
    };
    bool done = files_import(cli, &import, err);
    import_done(&import);
    if (strcmp(err->sqlstate, "23514") == 0) /* a CHECK: no value that an export would hold */
        err->kind = ERR_INPUT;
    return done;
}

static const struct cli_option options[] = {
    CLI_PROJECT,
    CLI_WORKLOAD,
    {"branch", CLI_TEXT, "B", NULL, "branch of summaries"},
    {"commit", CLI_TEXT, "SHA", NULL, "commit of summaries"},
    {"unsealed", CLI_FLAG, NULL, NULL, "take exports whose manifest does not vouch for them"},
    CLI_DB,
    CLI_END,
};

const struct cli_command cmd_import = {
    .name = "import",
    .line = "read exports, summaries and track histories into the ledger",
    .operands = "FILE...",
    .operand_min = 1,
    .operand_max = -1,
    .options = options,
    .details =
        "FILE is what `export` wrote, a profile_summary.v1, or a JSONL history of `track`; the\n"
        "last two need --project and --workload. What is known already is not stored again. A\n"
        "history's torn last line is left out, and said. The archive of a month that left this\n"
        "ledger (`export --month --detach`) brings it back; that needs the role that owns the\n"
        "ledger.\n\n"
        "In an empty ledger series, profiles, verdicts and reports of an export have the numbers\n"
        "that they had, so that each report and verdict is made again there. In one that holds\n"
        "more, or where an import was killed, numbers may be gone: from there on they are\n"
        "numbered anew, which is said once a file; what was recorded stays as it was, with the\n"
        "numbers of the ledger that made it.\n\n"
        "An export is read whole before any of it is stored: one that was changed or cut off,\n"
        "that has no manifest (older programs wrote none), or, with checkpoint_trust configured,\n"
        "is not signed by that key, is refused. --unsealed takes it as it is, and says what is\n"
        "wrong with it.\n\n"
        "exit: 0 done · 2 usage · 6 no such file · 65 input rejected (what came before it is\n"
        "stored) · 69 database away · 75 disk full",
    .run = import_files,
};
