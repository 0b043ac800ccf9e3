/* stepledger export: the whole ledger as lines of JSON, for `import` and for other programs.
 *
 * export.v1: the first line names the format, then profiles, verdicts and track records in the
 * order of their ids, then a line of type "end" with their numbers: a file without it is torn.
 * Documents are those that `show` prints. Hashes are not exported: in another ledger the same
 * documents stand under other ids and on other chains. */
#include "history/interchange.h"
#include "history/ledger.h"
#include "ops/cli/commands.h"
#include "ops/cli/connect.h"
#include "ops/runtime/file.h"
#include "ops/runtime/json.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const size_t LINE_BYTES_MAX = (size_t)1 << 30;

struct export
{
    struct db *db;
    const char *path; /* NULL = standard output */
    int fd;
    size_t budget;
    int64_t profiles, verdicts, tracks;
};

/* Takes over the line, which may be NULL for want of memory. */
static bool line_write(const struct export *export, json_t *line, struct err *err)
{
    scoped_json *owned = line;
    scoped_text text;
    text_init(&text, LINE_BYTES_MAX);
    if (owned == NULL)
        return err_set(err, ERR_LIMIT, "no memory for a line of the export");
    json_print(owned, JSON_STYLE_LINE, &text);
    text_addc(&text, '\n');
    if (!text_ok(&text, "a line of the export", err))
        return false;
    return export->path == NULL
               ? cli_write(text.data, text.length, err)
               : file_write_all(export->fd, text.data, text.length, export->path, err);
}

static json_t *events_json(const struct event_list *events)
{
    json_t *list = json_array();
    for (size_t i = 0; list != NULL && i < events->count; i++) {
        const struct profile_event *event = &events->items[i];
        (void)json_array_append_new(
            list, json_pack("{so, so, so}", "branch", json_text(event->branch), "commit",
                            json_text(event->commit), "label", json_text(event->label)));
    }
    return list;
}

static bool profile_export(struct export *export, int64_t id, struct err *err)
{
    char own_run[24];
    struct event_list events;
    struct ledger_profile profile;
    scoped_arena arena;
    arena_init(&arena, export->budget);
    (void)snprintf(own_run, sizeof own_run, "p%" PRId64, id);
    if (!ledger_load_profile(export->db, id, &arena, &profile, err) ||
        !ledger_events(export->db, id, &arena, &events, err))
        return false;
    json_t *document = summary_to_json(&profile.summary, err);
    if (document == NULL)
        return false;
    /* A run that was named by the id has no name of its own. */
    const char *run = strcmp(profile.run, own_run) == 0 ? NULL : profile.run;
    export->profiles++;
    return line_write(export,
                      json_pack("{ss, ss, so, so, so, so, so, so}", "type", "profile", "id",
                                own_run, "project", json_text(profile.project), "workload",
                                json_text(profile.workload), "run", json_text(run),
                                "recorded_at_utc", json_text(profile.recorded_at_utc), "events",
                                events_json(&events), "document", document),
                      err);
}

static bool profiles_export(struct export *export, struct err *err)
{
    for (int64_t after = 0;;) {
        struct id_page page;
        scoped_arena arena;
        arena_init(&arena, export->budget);
        if (!ledger_profile_ids(export->db, after, &arena, &page, err))
            return false;
        for (size_t i = 0; i < page.count; i++)
            if (!profile_export(export, page.items[i], err))
                return false;
        if (page.count == 0)
            return true;
        after = page.items[page.count - 1];
    }
}

static bool verdict_export(struct export *export, int64_t *after, bool *ret_found, struct err *err)
{
    char id[24];
    struct verdict_record record;
    scoped_arena arena;
    arena_init(&arena, export->budget);
    if (!ledger_verdict_after(export->db, *after, &arena, &record, ret_found, err))
        return false;
    if (!*ret_found)
        return true;
    *after = record.id;
    (void)snprintf(id, sizeof id, "v%" PRId64, record.id);
    json_t *document = json_parse(record.document, strlen(record.document), id, err);
    if (document == NULL)
        return false;
    export->verdicts++;
    return line_write(export,
                      json_pack("{ss, ss, so, so, so}", "type", "verdict", "id", id, "request",
                                json_text(record.request), "policy", json_text(record.policy),
                                "document", document),
                      err);
}

static bool verdicts_export(struct export *export, struct err *err)
{
    int64_t after = 0;
    for (bool found = true; found;)
        if (!verdict_export(export, &after, &found, err))
            return false;
    return true;
}

static bool track_export(struct export *export, const struct track_row *row, struct err *err)
{
    json_t *document = json_parse(row->document, strlen(row->document), "a track record", err);
    if (document == NULL)
        return false;
    export->tracks++;
    return line_write(export,
                      json_pack("{ss, so, so, so}", "type", "track", "project",
                                json_text(row->project), "workload", json_text(row->workload),
                                "document", document),
                      err);
}

static bool tracks_export(struct export *export, struct err *err)
{
    for (struct track_query query = {0};;) {
        struct track_page page;
        scoped_arena arena;
        arena_init(&arena, export->budget);
        if (!ledger_tracks(export->db, &query, &arena, &page, err))
            return false;
        for (size_t i = 0; i < page.count; i++)
            if (!track_export(export, &page.items[i], err))
                return false;
        if (page.count == 0)
            return true;
        query.after_id = page.items[page.count - 1].id;
    }
}

static bool ledger_export(struct export *export, struct err *err)
{
    return line_write(export,
                      json_pack("{ss, ss}", "type", "export", "schema_version", "export.v1"),
                      err) &&
           profiles_export(export, err) && verdicts_export(export, err) &&
           tracks_export(export, err) &&
           line_write(export,
                      json_pack("{ss, sI, sI, sI}", "type", "end", "profiles",
                                (json_int_t) export->profiles, "verdicts",
                                (json_int_t) export->verdicts, "tracks",
                                (json_int_t) export->tracks),
                      err);
}

static bool export_to(struct cli *cli, struct err *err)
{
    scoped_db *db = NULL;
    scoped_fd fd = -1;
    struct export export = {.path = cli_text(cli, "output"), .budget = cli_budget(cli)};
    if (!connect_reader(cli, &db, err))
        return false;
    if (export.path != NULL) {
        fd = open(export.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (fd < 0)
            return err_set_errno(err, ERR_INPUT, "cannot write %s", export.path);
    }
    export.db = db;
    export.fd = fd;
    bool done = db_begin_snapshot(db, err) && ledger_export(&export, err);
    db_rollback(db);
    if (done && fd >= 0 && fsync(fd) != 0)
        return err_set_errno(err, ERR_UNAVAILABLE, "cannot write %s", export.path);
    return done;
}

static int run_export(struct cli *cli)
{
    struct err err = {0};
    return export_to(cli, &err) ? EXIT_OK : cli_fail(cli, &err);
}

static const struct cli_option options[] = {
    {"format", CLI_CHOICE, "jsonl", "jsonl", "lines of JSON", false},
    {"output", CLI_TEXT, "FILE", NULL, "write there (default: standard output)", false},
    CLI_DB,
    CLI_END,
};

const struct cli_command cmd_export = {
    .name = "export",
    .line = "write the whole ledger as lines of JSON",
    .operands = "",
    .options = options,
    .details =
        "Profiles, verdicts and track records with their documents, as one snapshot; the last\n"
        "line says how many there are. `stepledger import` reads it into another ledger.\n\n"
        "exit: 0 done · 2 usage · 65 cannot write there · 69 database away · 75 disk full",
    .run = run_export,
};
