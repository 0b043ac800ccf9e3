/* Writes export.v1: the first line names the format, then profiles, verdicts, decisions
 * about them, moves of alerts, receipts of messages and track records in the order of their ids,
 * then a line of type "end" with their numbers and hashes, which `import` asks for
 * (schema/documents/export_end.h). Documents are those that `show` prints; one that left the ledger
 * with its month is null, and `archive` says where it is; one that was stored so that it cannot be
 * read is null, and `unreadable` says why. Hashes of entries are not exported: in
 * another ledger the same documents stand under other ids and on other chains. */
#include "ops/cli/archive/export_lines.h"

#include "history/alert/alert.h"
#include "history/archive/archive.h"
#include "history/profiles/profiles.h"
#include "history/reading/reading.h"
#include "history/reports/reports.h"
#include "ops/cli/archive/export.h"
#include "ops/runtime/json.h"
#include "ops/runtime/log.h"
#include "schema/documents/verdict.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct profile_parts {
    char own_run[24];
    struct profile_recorded recorded;
    struct event_list events;
    struct amendment_list amendments;
    struct superseded_list superseded;
    struct host_record_list hosts;
    json_t *document, *archive;
    const char *unreadable;
};

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

/* Those of before know the ids alone. */
static json_t *ids_json(const struct superseded_list *superseded)
{
    json_t *list = json_array();
    for (size_t i = 0; list != NULL && i < superseded->count; i++)
        (void)json_array_append_new(list, json_text(superseded->items[i].profile));
    return list;
}

static json_t *superseded_json(const struct superseded_list *superseded)
{
    json_t *list = json_array();
    for (size_t i = 0; list != NULL && i < superseded->count; i++) {
        const struct superseded_profile *item = &superseded->items[i];
        (void)json_array_append_new(list, json_pack("{so, so, so, so}", "profile",
                                                    json_text(item->profile), "reason",
                                                    json_text(item->reason), "recorded_at_utc",
                                                    json_text(item->origin.recorded_at_utc), "by",
                                                    json_text(item->origin.by)));
    }
    return list;
}

static json_t *amendments_json(const struct amendment_list *amendments)
{
    json_t *list = json_array();
    for (size_t i = 0; list != NULL && i < amendments->count; i++) {
        const struct recorded_amendment *item = &amendments->items[i];
        const struct amendment *amendment = &item->amendment;
        (void)json_array_append_new(
            list,
            json_pack("{ss, so, so, so, so, so, sI, so, so, so}", "action",
                      amend_action_names[amendment->action], "workload",
                      json_text(amendment->workload), "branch", json_text(amendment->branch),
                      "commit", json_text(amendment->commit), "run", json_text(amendment->run),
                      "label", json_text(amendment->label), "events_before",
                      (json_int_t)item->events_before, "reason", json_text(amendment->reason),
                      "recorded_at_utc", json_text(item->origin.recorded_at_utc), "by",
                      json_text(item->origin.by)));
    }
    return list;
}

/* Documents are text here: they are those of files, and are never read one by one. */
static json_t *hosts_json(const struct host_record_list *hosts)
{
    json_t *list = json_array();
    for (size_t i = 0; list != NULL && i < hosts->count; i++)
        (void)json_array_append_new(list,
                                    json_pack("{so, so}", "job", json_text(hosts->items[i].job),
                                              "document", json_text(hosts->items[i].document)));
    return list;
}

/* The document, or JSON's null and where it is; new references. */
static bool document_load(struct export *export, int64_t id, struct arena *arena,
                          struct profile_parts *parts, struct err *err)
{
    bool archived;
    struct archive archive;
    if (!archive_of_profile(export->db, id, arena, &archive, &archived, err))
        return false;
    if (archived) {
        parts->document = json_null();
        /* What is left of a profile whose document went into an archive. */
        char hex[SHA256_HEX_BYTES];
        text_hex(archive.file_sha256, SHA256_BYTES, hex);
        parts->archive = json_pack("{so, so, ss}", "month", json_text(archive.month), "file",
                                   json_text(archive.file_name), "sha256", hex);
        return true;
    }
    struct ledger_profile profile;
    parts->unreadable = parts->recorded.unreadable;
    if (parts->unreadable == NULL &&
        !ledger_load_stored(export->db, id, arena, &profile, &parts->unreadable, err))
        return false;
    if (parts->unreadable != NULL)
        log_event(LOG_WARN, LOG_profile_left_out, "profile", parts->own_run, "why",
                  parts->unreadable, NULL);
    parts->document =
        parts->unreadable != NULL ? json_null() : summary_to_json(&profile.summary, err);
    parts->archive = json_null();
    return parts->document != NULL;
}

static bool profile_export(struct export *export, int64_t id, struct err *err)
{
    struct profile_parts parts = {0};
    scoped_arena arena;
    arena_init_within(&arena, export->memory);
    (void)snprintf(parts.own_run, sizeof parts.own_run, "p%" PRId64, id);
    if (!ledger_events(export->db, id, &arena, &parts.events, err) ||
        !ledger_recorded(export->db, id, &arena, &parts.recorded, err) ||
        !ledger_amendments(export->db, id, &arena, &parts.amendments, err) ||
        !ledger_superseded(export->db, id, &arena, &parts.superseded, err) ||
        !ledger_hosts_kept(export->db, id, &arena, &parts.hosts, err) ||
        !document_load(export, id, &arena, &parts, err))
        return false;
    const struct profile_recorded *recorded = &parts.recorded;
    /* A run that was named by the id has no name of its own. */
    const char *run = strcmp(recorded->run, parts.own_run) == 0 ? NULL : recorded->run;
    export->manifest.end.profiles++;
    return export_line(
        export,
        json_pack("{ss, ss, so, so, so, so, so, so, so, so, so, so, so, so, so*}", "type",
                  "profile", "id", parts.own_run, "project", json_text(recorded->project),
                  "workload", json_text(recorded->workload), "run", json_text(run),
                  "recorded_at_utc", json_text(recorded->origin.recorded_at_utc), "by",
                  json_text(recorded->origin.by), "events", events_json(&parts.events),
                  "amendments", amendments_json(&parts.amendments), "supersedes",
                  ids_json(&parts.superseded), "superseded", superseded_json(&parts.superseded),
                  "hosts", hosts_json(&parts.hosts), "document", parts.document, "archive",
                  parts.archive, "unreadable",
                  parts.unreadable != NULL ? json_text(parts.unreadable) : NULL),
        err);
}

static bool profiles_export(struct export *export, struct err *err)
{
    for (int64_t after = 0;;) {
        struct id_page page;
        scoped_arena arena;
        arena_init_within(&arena, export->memory);
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

/* Who judges may store a verdict that is none: it is left out, with its name. */
static bool verdict_read(const struct verdict_record *record, const char *id, struct arena *arena,
                         json_t **ret_document, const char **ret_unreadable, struct err *err)
{
    struct err why = {0};
    struct verdict verdict;
    json_t *document = json_parse(record->document, strlen(record->document), id, &why);
    if (document != NULL && verdict_from_json(document, id, arena, &verdict, &why)) {
        *ret_document = document;
        *ret_unreadable = NULL;
        return true;
    }
    json_decref(document);
    if (why.kind != ERR_INPUT) {
        *err = why;
        return false;
    }
    log_event(LOG_WARN, LOG_verdict_left_out, "verdict", id, "why", why.text, NULL);
    *ret_document = json_null();
    *ret_unreadable = arena_strdup(arena, why.text);
    return *ret_unreadable != NULL || arena_failed(arena, "a verdict", err);
}

static bool verdict_export(struct export *export, int64_t *after, bool *ret_found, struct err *err)
{
    char id[24];
    struct verdict_record record;
    scoped_arena arena;
    arena_init_within(&arena, export->memory);
    if (!ledger_verdict_after(export->db, *after, &arena, &record, ret_found, err))
        return false;
    if (!*ret_found)
        return true;
    *after = record.id;
    (void)snprintf(id, sizeof id, "v%" PRId64, record.id);
    json_t *document;
    const char *unreadable;
    if (!verdict_read(&record, id, &arena, &document, &unreadable, err))
        return false;
    export->manifest.end.verdicts++;
    return export_line(export,
                       json_pack("{ss, ss, so, so, so, so, so, so*}", "type", "verdict", "id", id,
                                 "request", json_text(record.request), "policy",
                                 json_text(record.policy), "recorded_at_utc",
                                 json_text(record.origin.recorded_at_utc), "by",
                                 json_text(record.origin.by), "document", document, "unreadable",
                                 unreadable != NULL ? json_text(unreadable) : NULL),
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
    struct err why = {0};
    json_t *document = json_parse(row->document, strlen(row->document), "a track record", &why);
    if (document == NULL && why.kind == ERR_INPUT) {
        log_event(LOG_WARN, LOG_input_warning, "file", "a track record", "why", why.text, NULL);
        return true;
    }
    if (document == NULL) {
        *err = why;
        return false;
    }
    export->manifest.end.tracks++;
    return export_recorded(export,
                           json_pack("{ss, so, so, so}", "type", "track", "project",
                                     json_text(row->project), "workload", json_text(row->workload),
                                     "document", document),
                           &row->origin, err);
}

static bool tracks_after(struct db *db, int64_t after_id, struct arena *arena,
                         struct track_page *ret_page, struct err *err)
{
    return ledger_tracks(db, &(struct track_query){.after_id = after_id}, arena, ret_page, err);
}
EXPORT_PAGES(tracks_export, track_page, tracks_after, track_export)

/* ---- moves of alerts and receipts ------------------------------------------------------------ */

static bool move_write(struct export *export, const struct alert_move_row *row, struct err *err)
{
    export->manifest.end.decisions++;
    return export_recorded(
        export,
        json_pack("{ss, so, so, so, so, so, so, so, si, so, so}", "type", "alert_move", "project",
                  json_text(row->project), "workload", json_text(row->workload), "branch",
                  json_text(row->branch), "verdict", export_name('v', row->verdict_id), "from",
                  json_text(row->from), "to", json_text(row->to), "action", json_text(row->action),
                  "good_count", row->good_count, "reason", json_text(row->reason), "until_utc",
                  json_text(row->until_utc)),
        &row->origin, err);
}

EXPORT_PAGES(moves_write, alert_move_page, alert_moves_after, move_write)

static bool delivery_write(struct export *export, const struct delivery_row *row, struct err *err)
{
    export->manifest.end.deliveries++;
    return export_line(
        export,
        json_pack("{ss, sI, so, so, so, si, so, so, so, so, so}", "type", "delivery", "message",
                  (json_int_t)row->message, "destination", json_text(row->destination),
                  "dedupe_key", json_text(row->dedupe_key), "verdict",
                  row->verdict_id.set ? export_name('v', row->verdict_id.value) : json_null(),
                  "attempt", row->attempt, "outcome", json_text(row->outcome), "http_status",
                  row->http_status.set ? json_integer((json_int_t)row->http_status.value)
                                       : json_null(),
                  "reason", json_text(row->reason), "remote_ref", json_text(row->remote_ref),
                  "recorded_at_utc", json_text(row->recorded_at_utc)),
        err);
}

EXPORT_PAGES(deliveries_write, delivery_page, deliveries_after, delivery_write)

/* Writes moves of alerts and receipts of messages, each in the order in which they were appended.
 */
static bool export_alerts(struct export *export, struct err *err)
{
    return moves_write(export, err) && deliveries_write(export, err);
}

/* ---- decisions ------------------------------------------------------------------------------- */

static bool decision_write(struct export *export, json_t *line, const struct origin *origin,
                           struct err *err)
{
    export->manifest.end.decisions++;
    return export_recorded(export, line, origin, err);
}

static bool acceptance_write(struct export *export, const struct acceptance_row *row,
                             struct err *err)
{
    return decision_write(export,
                          json_pack("{ss, so, so, so}", "type", "acceptance", "verdict",
                                    export_name('v', row->entry.verdict_id), "change_key",
                                    json_text(row->entry.change_key), "reason",
                                    json_text(row->entry.reason)),
                          &row->entry.origin, err);
}
EXPORT_PAGES(acceptances_write, acceptance_page, acceptances_after, acceptance_write)

static bool rebaseline_write(struct export *export, const struct rebaseline_row *entry,
                             struct err *err)
{
    return decision_write(export,
                          json_pack("{ss, so, so}", "type", "rebaseline", "after",
                                    export_name('p', entry->after_profile_id), "reason",
                                    json_text(entry->reason)),
                          &entry->origin, err);
}
EXPORT_PAGES(rebaselines_write, rebaseline_page, rebaselines_after, rebaseline_write)

static bool change_point_write(struct export *export, const struct change_point_entry *point,
                               struct err *err)
{
    return decision_write(
        export,
        json_pack("{ss, so, so, ss, so, so, so, so}", "type", "change_point", "profile",
                  export_name('p', point->at_profile_id), "measure", json_text(point->measure),
                  "status", change_point_status_names[point->status], "before",
                  json_number(point->before), "after", json_number(point->after), "method",
                  json_text(point->method), "evidence", json_text(point->evidence)),
        &point->origin, err);
}
EXPORT_PAGES(change_points_write, change_point_page, change_points_after, change_point_write)

static bool report_write(struct export *export, const struct report_row *report, struct err *err)
{
    return decision_write(
        export, json_pack("{ss, so}", "type", "report", "document", json_text(report->document)),
        &report->origin, err);
}
EXPORT_PAGES(reports_write, report_page, ledger_reports_after, report_write)

/* Writes acceptances, re-baselines, change points and reports, each in the order in which they were
 * appended: the last about a thing decides. */
static bool export_decisions(struct export *export, struct err *err)
{
    return acceptances_write(export, err) && rebaselines_write(export, err) &&
           change_points_write(export, err) && reports_write(export, err);
}

/* ---- all of it ------------------------------------------------------------------------------- */

bool export_lines(struct export *export, struct err *err)
{
    bool done = export_line(export,
                            json_pack("{ss, ss, sb}", "type", "export", "schema_version",
                                      "export.v1", "tells_alert_moves", 1),
                            err) &&
                profiles_export(export, err) && verdicts_export(export, err) &&
                export_decisions(export, err) && export_alerts(export, err) &&
                tracks_export(export, err) && export_end_line(export, err);
    export_done(export);
    return done;
}
