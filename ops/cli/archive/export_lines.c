/* Writes export.v1: the first line names the format, then series, profiles, verdicts, decisions
 * about them, moves of alerts, receipts of messages and track records in the order of their ids,
 * then a line of type "end" with their numbers and hashes, which `import` asks for
 * (schema/documents/export_end.h). Documents are those that `show` prints; one that left the ledger
 * with its month is null, and `archive` says where it is; one that was stored so that it cannot be
 * read is null, and `unreadable` says why. Hashes of entries are not exported: in
 * another ledger the same documents stand under other ids and on other chains. */
#include "ops/cli/archive/export.h"

#include "history/alert/alert.h"
#include "history/archive/archive.h"
#include "history/profiles/profiles.h"
#include "history/reading/reading.h"
#include "history/reports/reports.h"
#include "ops/runtime/json.h"
#include "ops/runtime/log.h"
#include "schema/documents/verdict.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* When and by whom it was recorded first. */
#define M_ORIGIN(t, origin) \
    M_TEXT_AS("recorded_at_utc", t, origin.recorded_at_utc), M_TEXT_AS("by", t, origin.by)

/* Defines a function that writes all rows of a table, page by page: `rows_after` reads a page of
 * those behind an id, `row_write` writes one. */
#define EXPORT_PAGES(name, page_type, rows_after, row_write) \
    static bool name(struct export *export, struct err *err) \
    { \
        size_t count; \
        int64_t after = 0; \
        bool done; \
        do { \
            struct page_type page; \
            scoped_arena arena; \
            arena_init_within(&arena, export->memory); \
            done = rows_after(export->db, after, &arena, &page, err); \
            count = done ? page.count : 0; \
            for (size_t i = 0; i < count && done; i++) \
                done = row_write(export, &page.items[i], err); \
            after = count > 0 ? page.items[count - 1].id : after; \
        } while (done && count > 0); \
        return done; \
    }
/* The same of rows that the table describes as they are; `counter` of the manifest counts them. */
#define EXPORT_ROWS(name, row_type, page_type, rows_after, type, record, counter) \
    static bool name##_row(struct export *export, const struct row_type *row, struct err *err) \
    { \
        export->manifest.end.counter++; \
        return export_line(export, type, &(record), row, err); \
    } \
    EXPORT_PAGES(name, page_type, rows_after, name##_row)

/* ---- series ---------------------------------------------------------------------------------- */

/* Before all that is recorded in them: recorded documents name them by number, and an import that
 * made them for its profiles would make them in another order where profiles were amended. */
static const struct member series_members[] = {
    M_ENTRY("id", series_row, id, 's'),
    M_FIELDS(series_row, project, workload, device_type, device_count, host_count, topology,
             definition_version),
};
static const struct record series_record = RECORD_OF(series_row, series_members);

static bool series_write(struct export *export, const struct series_row *row, struct err *err)
{
    return export_line(export, "series", &series_record, row, err);
}
EXPORT_PAGES(all_series_write, series_page, ledger_series_after, series_write)

/* ---- profiles -------------------------------------------------------------------------------- */

struct profile_line {
    int64_t id;
    const char *run; /* NULL: it was named by the id, and has no name of its own */
    struct profile_recorded recorded;
    struct event_list events;
    struct amendment_list amendments;
    struct superseded_list superseded;
    struct string_list supersedes; /* the ids alone: older programs know no more */
    struct host_record_list hosts;
    json_t *document;
    struct archive archive;
    bool is_archived, is_unreadable;
    const char *unreadable;
};

static const struct member event_members[] = {
    M_FIELDS(profile_event, branch, commit, label),
};
static const struct record event_record = RECORD_OF(profile_event, event_members);

static const struct member amendment_members[] = {
    M_CHOICE_AS("action", recorded_amendment, amendment.action, enum amend_action,
                amend_action_names),
    M_TEXT_AS("workload", recorded_amendment, amendment.workload),
    M_TEXT_AS("branch", recorded_amendment, amendment.branch),
    M_TEXT_AS("commit", recorded_amendment, amendment.commit),
    M_TEXT_AS("run", recorded_amendment, amendment.run),
    M_TEXT_AS("label", recorded_amendment, amendment.label),
    M_INT(recorded_amendment, events_before),
    M_TEXT_AS("reason", recorded_amendment, amendment.reason),
    M_ORIGIN(recorded_amendment, origin),
};
static const struct record amendment_record = RECORD_OF(recorded_amendment, amendment_members);

static const struct member superseded_members[] = {
    M_FIELDS(superseded_profile, profile, reason),
    M_ORIGIN(superseded_profile, origin),
};
static const struct record superseded_record = RECORD_OF(superseded_profile, superseded_members);

/* Documents are text here: they are those of files, and are never read one by one. */
static const struct member host_members[] = {
    M_FIELDS(host_record, job, document),
};
static const struct record host_record = RECORD_OF(host_record, host_members);

/* What is left of a profile whose document went into an archive. */
static const struct member archive_members[] = {
    M_TEXT(archive, month),
    M_TEXT_AS("file", archive, file_name),
    M_SHA256("sha256", archive, file_sha256),
};
static const struct record archive_record = RECORD_OF(archive, archive_members);

static const struct member profile_members[] = {
    M_ENTRY("id", profile_line, id, 'p'),
    M_TEXT_AS("project", profile_line, recorded.project),
    M_TEXT_AS("workload", profile_line, recorded.workload),
    M_TEXT(profile_line, run),
    M_ORIGIN(profile_line, recorded.origin),
    M_LIST("events", profile_line, events.items, events.count, profile_event, event_record),
    M_LIST("amendments", profile_line, amendments.items, amendments.count, recorded_amendment,
           amendment_record),
    M_FIELDS(profile_line, supersedes),
    M_LIST("superseded", profile_line, superseded.items, superseded.count, superseded_profile,
           superseded_record),
    M_LIST("hosts", profile_line, hosts.items, hosts.count, host_record, host_record),
    M_JSON(profile_line, document),
    M_RECORD("archive", profile_line, archive, archive, archive_record,
             .flag_offset = FIELD_AT(struct profile_line, is_archived, bool)),
    M_TEXT(profile_line, unreadable, M_OPTIONAL,
           .flag_offset = FIELD_AT(struct profile_line, is_unreadable, bool)),
};
static const struct record profile_record = RECORD_OF(profile_line, profile_members);

/* The document, a new reference; none, and where it is or why it cannot be read. */
static bool document_load(struct export *export, struct arena *arena, struct profile_line *line,
                          struct err *err)
{
    struct ledger_profile profile;
    if (!archive_of_profile(export->db, line->id, arena, &line->archive, &line->is_archived, err))
        return false;
    if (line->is_archived)
        return true;
    line->unreadable = line->recorded.unreadable;
    if (line->unreadable == NULL &&
        !ledger_load_stored(export->db, line->id, arena, &profile, &line->unreadable, err))
        return false;
    line->is_unreadable = line->unreadable != NULL;
    if (!line->is_unreadable) {
        line->document = summary_to_json(&profile.summary);
        return true;
    }
    char name[24];
    (void)snprintf(name, sizeof name, "p%" PRId64, line->id);
    log_event(LOG_WARN, LOG_profile_left_out, "profile", name, "why", line->unreadable, NULL);
    return true;
}

static bool profile_export(struct export *export, int64_t id, struct err *err)
{
    struct profile_line line = {.id = id};
    char own_run[24];
    scoped_arena arena;
    arena_init_within(&arena, export->memory);
    (void)snprintf(own_run, sizeof own_run, "p%" PRId64, id);
    if (!ledger_events(export->db, id, &arena, &line.events, err) ||
        !ledger_recorded(export->db, id, &arena, &line.recorded, err) ||
        !ledger_amendments(export->db, id, &arena, &line.amendments, err) ||
        !ledger_superseded(export->db, id, &arena, &line.superseded, err) ||
        !ledger_hosts_kept(export->db, id, &arena, &line.hosts, err) ||
        !document_load(export, &arena, &line, err))
        return false;
    struct string_list *supersedes = &line.supersedes;
    supersedes->items = arena_array(&arena, const char *, line.superseded.count);
    for (; supersedes->count < line.superseded.count; supersedes->count++)
        supersedes->items[supersedes->count] = line.superseded.items[supersedes->count].profile;
    line.run = strcmp(line.recorded.run, own_run) == 0 ? NULL : line.recorded.run;
    export->manifest.end.profiles++;
    bool done = export_line(export, "profile", &profile_record, &line, err);
    json_decref(line.document);
    return done;
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

/* ---- verdicts -------------------------------------------------------------------------------- */

struct verdict_line {
    struct verdict_record recorded;
    json_t *document;
    bool is_unreadable;
    const char *unreadable;
};

static const struct member verdict_members[] = {
    M_ENTRY("id", verdict_line, recorded.id, 'v'),
    M_TEXT_AS("request", verdict_line, recorded.request),
    M_TEXT_AS("policy", verdict_line, recorded.policy),
    M_ORIGIN(verdict_line, recorded.origin),
    M_JSON(verdict_line, document),
    M_TEXT(verdict_line, unreadable, M_OPTIONAL,
           .flag_offset = FIELD_AT(struct verdict_line, is_unreadable, bool)),
};
static const struct record verdict_line_record = RECORD_OF(verdict_line, verdict_members);

/* Who judges may store a verdict that is none: it is left out, with its name. */
static bool verdict_read(struct verdict_line *line, struct arena *arena, struct err *err)
{
    char id[24];
    struct err why = {0};
    struct verdict verdict;
    (void)snprintf(id, sizeof id, "v%" PRId64, line->recorded.id);
    line->document = json_parse(line->recorded.document, strlen(line->recorded.document), id, &why);
    if (line->document != NULL && verdict_from_json(line->document, id, arena, &verdict, &why))
        return true;
    json_decref(line->document);
    line->document = NULL;
    if (why.kind != ERR_INPUT) {
        *err = why;
        return false;
    }
    log_event(LOG_WARN, LOG_verdict_left_out, "verdict", id, "why", why.text, NULL);
    line->is_unreadable = true;
    line->unreadable = arena_strdup(arena, why.text);
    return true;
}

static bool verdicts_export(struct export *export, struct err *err)
{
    int64_t after = 0;
    for (;;) {
        bool found;
        struct verdict_line line = {.document = NULL};
        scoped_arena arena;
        arena_init_within(&arena, export->memory);
        if (!ledger_verdict_after(export->db, after, &arena, &line.recorded, &found, err))
            return false;
        if (!found)
            return true;
        after = line.recorded.id;
        if (!verdict_read(&line, &arena, err))
            return false;
        export->manifest.end.verdicts++;
        bool done = export_line(export, "verdict", &verdict_line_record, &line, err);
        json_decref(line.document);
        if (!done)
            return false;
    }
}

/* ---- records of track ------------------------------------------------------------------------ */

struct track_line {
    struct track_row row;
    json_t *document;
};

static const struct member track_members[] = {
    M_TEXT_AS("project", track_line, row.project),
    M_TEXT_AS("workload", track_line, row.workload),
    M_JSON(track_line, document),
    M_ORIGIN(track_line, row.origin),
};
static const struct record track_line_record = RECORD_OF(track_line, track_members);

static bool track_export(struct export *export, const struct track_row *row, struct err *err)
{
    struct err why = {0};
    scoped_json *document =
        json_parse(row->document, strlen(row->document), "a track record", &why);
    if (document == NULL && why.kind == ERR_INPUT) {
        log_event(LOG_WARN, LOG_input_warning, "file", "a track record", "why", why.text, NULL);
        return true;
    }
    if (document == NULL) {
        *err = why;
        return false;
    }
    export->manifest.end.tracks++;
    return export_line(export, "track", &track_line_record, &(struct track_line){*row, document},
                       err);
}

static bool tracks_after(struct db *db, int64_t after_id, struct arena *arena,
                         struct track_page *ret_page, struct err *err)
{
    return ledger_tracks(db, &(struct track_query){.after_id = after_id}, arena, ret_page, err);
}
EXPORT_PAGES(tracks_export, track_page, tracks_after, track_export)

/* ---- moves of alerts and receipts ------------------------------------------------------------ */

static const struct member move_members[] = {
    M_FIELDS(alert_move_row, project, workload, branch),
    M_ENTRY("verdict", alert_move_row, verdict_id, 'v'),
    M_FIELDS(alert_move_row, from, to, action, good_count, reason, until_utc),
    M_ORIGIN(alert_move_row, origin),
};
static const struct record move_record = RECORD_OF(alert_move_row, move_members);
EXPORT_ROWS(moves_write, alert_move_row, alert_move_page, alert_moves_after, "alert_move",
            move_record, decisions)

static const struct member delivery_members[] = {
    M_FIELDS(delivery_row, message, destination, dedupe_key),
    M_ENTRY("verdict", delivery_row, verdict_id.value, 'v',
            .flag_offset = FIELD_AT(struct delivery_row, verdict_id.set, bool)),
    M_FIELDS(delivery_row, attempt, outcome, http_status, reason, remote_ref, recorded_at_utc),
};
static const struct record delivery_record = RECORD_OF(delivery_row, delivery_members);
EXPORT_ROWS(deliveries_write, delivery_row, delivery_page, deliveries_after, "delivery",
            delivery_record, deliveries)

/* ---- decisions ------------------------------------------------------------------------------- */

static const struct member acceptance_members[] = {
    M_ENTRY("verdict", acceptance_row, entry.verdict_id, 'v'),
    M_TEXT_AS("change_key", acceptance_row, entry.change_key),
    M_TEXT_AS("reason", acceptance_row, entry.reason),
    M_ORIGIN(acceptance_row, entry.origin),
};
static const struct record acceptance_record = RECORD_OF(acceptance_row, acceptance_members);
EXPORT_ROWS(acceptances_write, acceptance_row, acceptance_page, acceptances_after, "acceptance",
            acceptance_record, decisions)

static const struct member rebaseline_members[] = {
    M_ENTRY("after", rebaseline_row, after_profile_id, 'p'),
    M_ENTRY("of", rebaseline_row, of_profile_id, 'p'),
    M_TEXT(rebaseline_row, reason),
    M_ORIGIN(rebaseline_row, origin),
};
static const struct record rebaseline_record = RECORD_OF(rebaseline_row, rebaseline_members);
EXPORT_ROWS(rebaselines_write, rebaseline_row, rebaseline_page, rebaselines_after, "rebaseline",
            rebaseline_record, decisions)

static const struct member change_point_members[] = {
    M_ENTRY("profile", change_point_entry, at_profile_id, 'p'),
    M_TEXT(change_point_entry, measure),
    M_CHOICE(change_point_entry, status, enum change_point_status, change_point_status_names,
             CHANGE_POINT_STATUS_COUNT),
    M_FIELDS(change_point_entry, before, after, method, evidence),
    M_ORIGIN(change_point_entry, origin),
};
static const struct record change_point_record =
    RECORD_OF(change_point_entry, change_point_members);
EXPORT_ROWS(change_points_write, change_point_entry, change_point_page, change_points_after,
            "change_point", change_point_record, decisions)

struct report_line {
    const char *id;
    struct report_row row;
};

static const struct member report_members[] = {
    M_TEXT(report_line, id),
    M_TEXT_AS("document", report_line, row.document),
    M_ORIGIN(report_line, row.origin),
};
static const struct record report_record = RECORD_OF(report_line, report_members);

static bool report_write(struct export *export, const struct report_row *row, struct err *err)
{
    char id[24];
    (void)snprintf(id, sizeof id, "rp%" PRId64, row->id);
    export->manifest.end.decisions++;
    return export_line(export, "report", &report_record, &(struct report_line){id, *row}, err);
}
EXPORT_PAGES(reports_write, report_page, ledger_reports_after, report_write)

/* ---- all of it ------------------------------------------------------------------------------- */

struct first_line {
    const char *schema_version;
    bool tells_alert_moves;
};

static const struct member first_members[] = {
    M_FIELDS(first_line, schema_version, tells_alert_moves),
};
static const struct record first_record = RECORD_OF(first_line, first_members);

/* Of decisions about a thing the last one decides: each kind stands in the order in which they were
 * appended. */
bool export_lines(struct export *export, struct err *err)
{
    const struct first_line first = {"export.v1", true};
    bool done = export_line(export, "export", &first_record, &first, err) &&
                all_series_write(export, err) && profiles_export(export, err) &&
                verdicts_export(export, err) && acceptances_write(export, err) &&
                rebaselines_write(export, err) && change_points_write(export, err) &&
                reports_write(export, err) && moves_write(export, err) &&
                deliveries_write(export, err) && tracks_export(export, err) &&
                export_end_line(export, err);
    export_done(export);
    return done;
}
